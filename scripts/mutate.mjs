#!/usr/bin/env node
// Mutation testing: changes one place of a source, compiles that source, links the C++ tests with it and runs those of its
// room; a mutant is caught where a test fails or does not end. What compiles to the same machine code is no mutant, nor what
// computes the same in another way: scripts/lib/harmless_mutants.mjs. Says the share that is caught and lists the
// survivors. Places are drawn with a seed, so that a run can be repeated.
//   arithmetic   + - * / exchanged                      comparison   < <= > >= == != && || exchanged
//   off_by_one   a whole number is one more             dropped      a statement is left out
// usage: node scripts/mutate.mjs [--count N] [--seed N] [--seconds N] [--thorough] [--update]
//                                [SOURCE | SOURCE:LINE | FOLDER...]
//   by default 60 places of src/kernels, src/layers, src/training and src/lab; --seconds ends earlier; --thorough runs the
//   tests of the other rooms, too; --update also writes the figures into README.md and the site's page
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { harmless } from "./lib/harmless_mutants.mjs";

const numbers = { count: 60, seed: 0, seconds: Infinity };
const given = [];
let updates = false,
  thorough = false;
for (const words = process.argv.slice(2); words.length > 0;) {
  const word = words.shift();
  const name = word.replace(/^--/, "");
  if (word.startsWith("--") && Object.hasOwn(numbers, name) && /^\d+$/.test(words[0] ?? "")) {
    numbers[name] = Number(words.shift());
  } else if (word === "--update") {
    updates = true;
  } else if (word === "--thorough") {
    thorough = true;
  } else if (word.startsWith("-")) {
    console.error(readFileSync(import.meta.filename, "utf8").match(/^\/\/ usage.*(\n\/\/  .*)*/m)[0]);
    process.exit(2);
  } else {
    given.push(word);
  }
}
const folder = "build/mutation";
mkdirSync(folder, { recursive: true });

// --- places ---------------------------------------------------------------------------------------------

/** The text with comments, strings, preprocessor lines and templates' brackets blanked, at the same places. */
function bare(text) {
  const blank = (part) => part.replace(/[^\n]/g, " ");
  return text
    .replace(/\/\/.*|\/\*[^]*?\*\//g, blank)
    .replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'/g, blank)
    .replace(/^#.*$/gm, blank)
    .replace(/^\s*(using|template|static_assert)\b.*$/gm, blank);
}

const exchanges = [
  ["arithmetic", / (\+|-|\*|\/)=? /g, { "+": "-", "-": "+", "*": "/", "/": "*" }],
  [
    "comparison",
    / (<=?|>=?|==|!=|&&|\|\|) /g,
    { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&" },
  ],
];

/** All mutants of a source: where, what is there and what will be. */
function mutantsOf(source) {
  const text = readFileSync(source, "utf8");
  const code = bare(text);
  const mutants = [];
  const add = (kind, at, length, becomes) =>
    mutants.push({ source, line: text.slice(0, at).split("\n").length, kind, at, length, becomes });
  for (const [kind, pattern, others] of exchanges) {
    for (const { index, 1: operator } of code.matchAll(pattern)) {
      add(kind, index + 1, operator.length, others[operator]);
    }
  }
  for (const { index, 0: number } of code.matchAll(/(?<![\w.])\d+(?![\w.'])/g)) {
    add("off_by_one", index, number.length, String(Number(number) + 1));
  }
  // Calls and assignments of a line; a declaration left out would not compile.
  for (const { index, 1: indent, 2: statement } of code.matchAll(
    /^( +)((?!return\b|throw\b|const\b|auto\b|using\b|break\b|continue\b|case\b)[\w:.[\]>()*-]+ ?(?:[-+*/]?= .*|\(.*\));)$/gm,
  )) {
    add("dropped", index + indent.length, statement.length, ";");
  }
  return mutants;
}

const sourcesIn = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => sourcesIn(join(path, name))) : [path];

/** Gives whole numbers below `end`; those of two seeds have nothing in common. */
function draws(seed) {
  let drawn = 0;
  return (end) => createHash("sha256").update(`${seed} ${drawn++}`).digest().readUInt32LE() % end;
}

// --- compiling and running ------------------------------------------------------------------------------

const commands = JSON.parse(readFileSync("build/native/compile_commands.json", "utf8"));
const shell = (command, seconds) =>
  spawnSync("bash", ["-c", command], { cwd: "build/native", timeout: seconds * 1000, encoding: "utf8" });
const link = execFileSync("ninja", ["-C", "build/native", "-t", "commands", "sqrtdk_tests"], {
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .at(-1)
  .replace(" -o bin/sqrtdk_tests", ` -o ../mutation/tests ../mutation/mutant.o`);

/**
 * Compiles the text in place of the source; its machine code, or undefined. What goes beyond an array or a vector ends the
 * tests; a compiler may else conclude from an array that a loop ends before.
 */
function compile(source, text) {
  writeFileSync(`${folder}/mutant.cpp`, text);
  const { command } = commands.find(({ file }) => file === resolve(source));
  const compiled = command.replace(
    / -o \S+ -c \S+$/,
    " -O1 -w -fsanitize=bounds -fsanitize-undefined-trap-on-error -fno-aggressive-loop-optimizations -D_GLIBCXX_ASSERTIONS -o ../mutation/mutant.o -c ../mutation/mutant.cpp",
  );
  return shell(compiled, 120).status === 0 ? readFileSync(`${folder}/mutant.o`) : undefined;
}

/** The first test that fails of what is compiled; undefined where all pass. */
function failing(source) {
  const room = source.split("/")[1];
  const filters = [`-sf='*/tests/${room}/*'`, ...(thorough ? [`-sfe='*/tests/${room}/*'`] : [])];
  for (const filter of filters) {
    // A mutant may ask for all memory that there is. What measures times depends on what else the machine does.
    const tests = `ulimit -v 8000000; exec ../mutation/tests ${filter} -tce='*cost little more than it*' --abort-after=1 --no-colors=true`;
    const run = shell(tests, thorough ? 900 : 300);
    if (run.error?.code === "ETIMEDOUT") return "does not end";
    if (run.status !== 0)
      return [...run.stdout.matchAll(/TEST CASE: +(.*)/g)].at(-1)?.[1] ?? "ends with a signal";
  }
  return undefined;
}

// The texts of the harmless mutants, each with its reason.
const reasons = new Map();
for (const [source, mutants] of Object.entries(harmless)) {
  const text = readFileSync(source, "utf8");
  for (const [before, after, reason] of mutants) {
    const parts = text.split(before);
    if (parts.length !== 2) throw new Error(`${source} has this ${parts.length - 1} times: ${before}`);
    reasons.set(`${source}\n${parts.join(after)}`, reason);
  }
}

const originals = new Map(); // the machine code of each source as it is

/** What became of the mutant: "survived", "no mutant", or how it was caught; and why it is harmless, if it is. */
function tell({ source, at, length, becomes }) {
  const text = readFileSync(source, "utf8");
  if (!originals.has(source)) originals.set(source, compile(source, text));
  const mutated = text.slice(0, at) + becomes + text.slice(at + length);
  const code = compile(source, mutated);
  if (!code || originals.get(source).equals(code) || shell(link, 120).status !== 0)
    return { by: "no mutant" };
  return { by: failing(source) ?? "survived", reason: reasons.get(`${source}\n${mutated}`) };
}

const roots = given.length > 0 ? given : ["src/kernels", "src/layers", "src/training", "src/lab"];
const all = roots
  .flatMap((root) => {
    const [path, line] = root.split(":");
    return sourcesIn(path).map((source) => ({ source, line: Number(line) }));
  })
  .filter(({ source }) => source.endsWith(".cpp"))
  .flatMap(({ source, line }) => mutantsOf(source).filter((mutant) => !line || mutant.line === line));
const draw = draws(numbers.seed);
const end = performance.now() + numbers.seconds * 1000;
// Without a change all tests pass, or nothing could be said.
if (all[0]) {
  const { source } = all[0];
  if (!compile(source, readFileSync(source, "utf8")) || shell(link, 120).status !== 0 || failing(source))
    throw new Error("the tests fail without a mutant");
}
const survivors = [],
  same = [];
let tried = 0,
  invalid = 0;
while (tried < numbers.count && all.length > 0 && performance.now() < end) {
  const [mutant] = all.splice(draw(all.length), 1);
  const text = readFileSync(mutant.source, "utf8");
  const place = `${mutant.source}:${mutant.line} ${mutant.kind}: ${text.slice(mutant.at, mutant.at + mutant.length)} → ${mutant.becomes}`;
  const { by, reason } = tell(mutant);
  if (by === "no mutant") {
    ++invalid;
    continue;
  }
  if (reason) {
    if (by !== "survived") throw new Error(`called harmless, but caught: ${place} (${by})`);
    same.push(`${place} (${reason})`);
    console.log(`harmless ${place}`);
    continue;
  }
  ++tried;
  if (by === "survived") survivors.push(place);
  console.log(by === "survived" ? `SURVIVED ${place}` : `caught   ${place}  (${by.slice(0, 60)})`);
}
console.log(
  `\n${tried - survivors.length} of ${tried} caught; ${invalid} others do not compile, or to the same code, and ${same.length} compute the same`,
);
for (const place of same) console.log(`harmless: ${place}`);
for (const place of survivors) console.log(`survived: ${place}`);
if (updates) {
  const figures = [`mutation_tried=${tried}`, `mutation_caught=${tried - survivors.length}`];
  execFileSync(process.execPath, ["scripts/update_promises.mjs", ...figures], { stdio: "inherit" });
}
