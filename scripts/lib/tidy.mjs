// clang-tidy over many sources: several in one translation unit, as in a unity build, so that the headers that they share
// are parsed and checked once and not for each. Constants get names of their own; sources that declare the same other name
// are kept apart; where that is not enough and a unit does not compile, its parts are tried on their own.
// A unit in which nothing was found is remembered in the user's cache folder, by all that clang-tidy sees of it.
// usage: node scripts/lib/tidy.mjs BUILD_FOLDER SOURCE... [-- CLANG_TIDY_OPTION...]
//   BUILD_FOLDER   holds compile_commands.json
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { join, resolve } from "node:path";

const largest = 40; // sources in a unit: the headers take as long as 20 sources
const words = process.argv.slice(2);
const divider = words.includes("--") ? words.indexOf("--") : words.length;
const [build, ...sources] = words.slice(0, divider);
const options = words.slice(divider + 1);
const folder = `${build}/tidy`;

const commands = JSON.parse(readFileSync(`${build}/compile_commands.json`, "utf8"));

/**
 * How the source is compiled, without the headers that another compiler precompiled; one that the build does not know,
 * as its neighbours are.
 */
function flagsOf(source) {
  const neighbours = resolve(source.split("/")[0]) + "/";
  const entry =
    commands.find(({ file }) => file === resolve(source)) ??
    commands.find(({ file }) => file.startsWith(neighbours));
  const words = entry.command
    .match(/(?:\\.|"[^"]*"|[^\s\\"])+/g)
    .map((word) => word.replace(/\\(.)|"/g, "$1"));
  return words
    .slice(1, words.indexOf("-o"))
    .filter((word, i, all) => ![word, all[i - 1]].includes("-include") && word !== "-Winvalid-pch");
}

/** What a source declares, or defines as a macro, at the left margin, where namespaces leave it. */
function namesIn(source) {
  const names = new Set();
  for (const line of readFileSync(source, "utf8").split("\n")) {
    if (!/^([A-Za-z]|#define)/.test(line) || /^((using )?namespace|TEST_CASE)\b/.test(line)) continue;
    const [, name] =
      /^#define (\w+)/.exec(line) ??
      /^using (\w+) =/.exec(line) ??
      /([\w:]+)\s*(?:[({[;=]|$)/.exec(line) ??
      [];
    if (name) names.add(name);
  }
  return names;
}

const headers = execFileSync("git", ["ls-files", "*.h"], { encoding: "utf8" }).trim().split("\n");
const inHeaders = new Set(headers.flatMap((path) => readFileSync(path, "utf8").match(/\bk[A-Z]\w*/g) ?? []));

/** A constant that a source alone knows. */
const isOwn = (name) => /^k[A-Z]/.test(name) && !inHeaders.has(name);

/** `sources` in units: each in the first that is compiled as it is, has room and none of its names. */
function unitsOf(sources) {
  const units = [];
  for (const source of sources) {
    const flags = flagsOf(source);
    const names = new Set([...namesIn(source)].filter((name) => !isOwn(name)));
    let unit = units.find(
      (unit) =>
        unit.flags.join(" ") === flags.join(" ") &&
        unit.sources.length < largest &&
        [...names].every((name) => !unit.names.has(name)),
    );
    if (!unit) units.push((unit = { flags, sources: [], names: new Set() }));
    unit.sources.push(source);
    for (const name of names) unit.names.add(name);
  }
  return units;
}

let count = 0;

/** The unit as a file. */
function written(sources) {
  if (sources.length === 1) return sources[0];
  const path = `${folder}/unit${++count}.cpp`;
  const include = (source, i) => {
    const own = [...namesIn(source)].filter(isOwn);
    return [
      ...own.map((name) => `#define ${name} ${name}${i}`),
      `#include "${resolve(source)}" // NOLINT(bugprone-suspicious-include)`,
      ...own.map((name) => `#undef ${name}\n`),
    ].join("\n");
  };
  writeFileSync(path, sources.map(include).join("\n"));
  return path;
}

/** What clang-tidy says of a file. */
function tidy(path, flags, ...more) {
  return said("clang-tidy", [
    "--quiet",
    "--config-file=.clang-tidy",
    ...options,
    ...more,
    path,
    "--",
    ...flags,
  ]);
}

function said(program, args) {
  return new Promise((done, failed) => {
    const child = spawn(program, args);
    let text = "";
    child.stdout.on("data", (data) => (text += data));
    child.stderr.on("data", (data) => (text += data));
    child.once("error", failed);
    child.once("close", (status) => done({ status, text }));
  });
}

/** The unit in two: the sources that hold the errors, and the others. */
function parted({ flags, sources }, text) {
  const broken = (source) =>
    text.split("\n").some((line) => line.includes(`${source}:`) && / error: /.test(line));
  let [one, other] = [sources.filter(broken), sources.filter((source) => !broken(source))];
  if (one.length === 0 || other.length === 0) {
    const half = Math.ceil(sources.length / 2);
    [one, other] = [sources.slice(0, half), sources.slice(half)];
  }
  return [one, other].map((sources) => ({ flags, sources }));
}

const known = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sqrtdk-tidy");
const judge =
  execFileSync("clang-tidy", ["--version"], { encoding: "utf8" }) + readFileSync(".clang-tidy", "utf8");

/** A file named by all that is judged, which is there where nothing was found. */
async function markOf(path, flags) {
  const ours = flags.filter((word) => !word.startsWith("-W")); // preprocessing compiles nothing
  const { status, text } = await said("clang++", ["-E", "-P", "-C", "-w", ...frontEnd, ...ours, path]);
  if (status !== 0) return undefined;
  const all = [judge, options.join(" "), flags.join(" "), text].join("\0").replaceAll(resolve(), "");
  return join(known, createHash("sha256").update(all).digest("hex"));
}
const frontEnd = options.flatMap((word) => /^--extra-arg=(.*)$/.exec(word)?.slice(1) ?? []);

mkdirSync(folder, { recursive: true });
mkdirSync(known, { recursive: true });
const waiting = unitsOf(sources);
console.log(`${sources.length} sources in ${waiting.length} units`);
let found = 0;
let apart = 0;
let remembered = 0;
async function work() {
  for (let unit; (unit = waiting.shift());) {
    const path = written(unit.sources);
    const mark = await markOf(path, unit.flags);
    if (mark && existsSync(mark)) {
      remembered++;
      continue;
    }
    if (unit.sources.length > 1) {
      const { text } = await tidy(path, unit.flags, "--checks=-*,performance-noexcept-move-constructor"); // a quick one
      if (text.includes("[clang-diagnostic-error")) {
        waiting.push(...parted(unit, text));
        apart++;
        continue;
      }
    }
    const { status, text } = await tidy(path, unit.flags);
    if (status !== 0) {
      found++;
      console.log(text);
    } else if (mark) {
      writeFileSync(mark, "");
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`${apart} units did not compile as one, ${remembered} were known; findings in ${found}`);
if (found > 0) process.exitCode = 1;
