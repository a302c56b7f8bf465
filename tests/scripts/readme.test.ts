// The README's map is true: every file and folder that it names is there.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");
const languages = (path: string): string[] =>
  path.includes("{en,zh}") ? ["en", "zh"].map((each) => path.replace("{en,zh}", each)) : [path];

test("every file and folder that the map names is there", () => {
  const map = readme.slice(readme.indexOf("## Where things are"), readme.indexOf("## Add an experiment"));
  const named = [...map.matchAll(/`([\w{},/.]+)`/g)]
    .map(([, path]) => path!)
    .filter((path) => /\/|\.(cpp|h|ts)$/.test(path));
  expect(named.length).toBeGreaterThan(50);
  expect(named.flatMap(languages).filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
