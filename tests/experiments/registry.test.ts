// The registry, the sources and the tests name the same experiments.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = (path: string) => new URL(`../../${path}/`, import.meta.url);
const sources = folder("src/experiments");

const registered = [
  ...readFileSync(new URL("experiments.inc", sources), "utf8").matchAll(/^EXPERIMENT\((\w+), \w+\)$/gm),
].map(([, id]) => id!);

test("every source file that defines an experiment is registered, under its file's name", () => {
  const defined: string[] = [];
  for (const name of readdirSync(sources).filter((each) => each.endsWith(".cpp"))) {
    for (const [, id] of readFileSync(new URL(name, sources), "utf8").matchAll(/^const Experiment (\w+)/gm)) {
      expect(name).toBe(`${id}.cpp`);
      defined.push(id!);
    }
  }
  expect(registered.length).toBeGreaterThanOrEqual(3);
  expect(defined.sort()).toEqual([...registered].sort());
});

test("every experiment has a test and prose in both languages", () => {
  const tests = readdirSync(folder("tests/experiments"));
  for (const id of registered) {
    expect(tests).toContain(`${id}_test.cpp`);
    for (const language of ["en", "zh"])
      expect(readdirSync(folder(`web/content/${language}`))).toContain(`${id}.md`);
  }
});
