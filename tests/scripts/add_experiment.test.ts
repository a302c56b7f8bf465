// What the README says about adding an experiment, done in a copy: its sources are compiled and linked with what is
// built already.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Description, RunResult } from "../../bindings/api/types.ts";
import { noteProblems } from "../../web/page/chart_notes.ts";
import { missingWords } from "../../web/page/words.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const build = join(root, "build/native");
const copy = mkdtempSync(join(tmpdir(), "sqrtdk-add-"));
const id = "positive_scores";

/** The README's code blocks, without the indentation of their list. */
function blocks(): string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const section = readme.slice(readme.indexOf("## Add an experiment")).split("\n## ")[0]!;
  return [...section.matchAll(/^ {3}```cpp\n(.*?)^ {3}```$/gms)].map(([, code]) =>
    code!.replace(/^ {3}/gm, ""),
  );
}

/** The commands that ninja runs for a target, the link at last. */
function commands(target: string): string[] {
  const text = execFileSync("ninja", ["-C", build, "-t", "commands", target], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return text.trimEnd().split("\n");
}

/** Compiles `source` of the copy as `like` was compiled for `target`; gives the object's name. */
function compile(target: string, source: string, like: string): string {
  const object = join(copy, `${source.replaceAll("/", "_")}.o`);
  const command = commands(target).find((line) => line.endsWith(` -c ${join(root, like)}`));
  if (!command) throw new Error(`${target} does not compile ${like}`);
  const own = command
    .replace(/ -MD -MT \S+ -MF \S+/, "")
    .replace(/ -o \S+/, ` -o ${object}`)
    .replaceAll(`-I${join(root, "src")}`, `-I${join(copy, "src")}`)
    .replace(join(root, like), join(copy, source));
  execFileSync("sh", ["-c", own], { cwd: build });
  return object;
}

/** Links `target` again, with these objects before what the library has of the same name. */
function link(target: string, objects: readonly string[], without: RegExp): string {
  const program = join(copy, target);
  const words = commands(target)
    .at(-1)!
    .split(" ")
    .filter((word) => !without.test(word));
  const own = words.join(" ").replace(/ -o \S+/, ` ${objects.join(" ")} -o ${program}`);
  execFileSync("sh", ["-c", own], { cwd: build });
  return program;
}

const vocabulary = (language: string): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(join(copy, `web/content/${language}/vocabulary.json`), "utf8")) as Record<
    string,
    Record<string, string>
  >;

describe.skipIf(!existsSync(join(build, "build.ninja")))("an experiment added as the README says", () => {
  let command = "";
  let tests = "";

  beforeAll(() => {
    for (const folder of ["src", "tests/experiments", "web/content"])
      cpSync(join(root, folder), join(copy, folder), { recursive: true });
    const [source, asserted, line] = blocks();
    writeFileSync(join(copy, `src/experiments/${id}.cpp`), source!);
    writeFileSync(join(copy, `tests/experiments/${id}_test.cpp`), asserted!);
    appendFileSync(join(copy, "src/experiments/experiments.inc"), line!);
    const like = "src/experiments/registry.cpp";
    const objects = [compile("sqrtdk", `src/experiments/${id}.cpp`, like), compile("sqrtdk", like, like)];
    command = link("sqrtdk", objects, /^$/);
    const test = "tests/experiments/words_test.cpp";
    objects.push(compile("sqrtdk_tests", `tests/experiments/${id}_test.cpp`, test));
    tests = link("sqrtdk_tests", objects, /(?<!\/allocations)_test\.cpp\.o$/); // whose linking counts allocations
  }, 120_000);
  afterAll(() => rmSync(copy, { recursive: true }));

  const list = (): Description[] =>
    JSON.parse(
      execFileSync(command, ["list", "--json"], { encoding: "utf8", maxBuffer: 1 << 26 }),
    ) as Description[];

  test("is listed with its place, module and words", () => {
    const all = list();
    expect(all.at(-1)).toMatchObject({ id, module: "experiments", group: "why" });
    expect(all.at(-1)?.words["scalars"]).toEqual(["positive_share"]);
    expect(all.length).toBeGreaterThan(28);
  });

  test("runs, and holds", () => {
    const text = execFileSync(command, ["run", id, "--trials", "500", "--json"], { encoding: "utf8" });
    const result = JSON.parse(text) as RunResult;
    expect(result.verdict).toBe("half_are_positive");
    expect(result.figures[0]?.series[0]?.x).toEqual([8, 64, 512]);
  });

  test("passes its own test", () => {
    const { status, stdout } = spawnSync(tests, [`--test-case=${id}*`], { encoding: "utf8" });
    expect(stdout).toMatch(/test cases: +1 \| +1 passed/);
    expect(status).toBe(0);
  });

  test.each(["en", "zh"])("is told which words are missing, and where they belong (%s)", (language) => {
    const file = `web/content/${language}/vocabulary.json`;
    const words = vocabulary(language);
    expect(missingWords(words, list(), file)).toEqual([
      `${file}: verdicts.half_are_positive is missing (needed by ${id})`,
      `${file}: verdicts.not_half_are_positive is missing (needed by ${id})`,
      `${file}: scalars.positive_share is missing (needed by ${id})`,
      `${file}: figures.positive_over_d is missing (needed by ${id})`,
      `${file}: axes.positive_share is missing (needed by ${id})`,
    ]);
    for (const topic of ["verdicts", "scalars", "figures", "axes"]) {
      for (const key of list().at(-1)!.words[topic]!) words[topic]![key] ??= key;
    }
    expect(missingWords(words, list(), file)).toEqual([]);
  });

  test("is told that its chart has no sentence, and takes the README's", () => {
    const file = `web/content/en/lab/${id}.md`;
    const added = list().at(-1)!;
    expect(noteProblems(added, [], {}, file)).toEqual([
      `${file}: the chart positive_over_d of ${id} has no sentence`,
    ]);
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const [, name = "", sentence = ""] = /``- `(\w+)`: (.+?)``/.exec(readme) ?? [];
    expect(noteProblems(added, [], { [name]: sentence }, file)).toEqual([]);
  });
});
