// The command, the sources, the tests and the prose name the same experiments.
import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { descriptions } from "../../web/page/words.mjs";

const folder = (path: string) => new URL(`../../${path}/`, import.meta.url);
const ids = descriptions().map(({ id }) => id);

test("every source file without a header, and every folder, is an experiment under its own name", () => {
  const entries = readdirSync(folder("src/experiments"), { withFileTypes: true });
  const headers = entries.map(({ name }) => name).filter((name) => name.endsWith(".h"));
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(".cpp"))
    .map(({ name }) => name.replace(/\.cpp$/, ""))
    .filter((name) => !headers.includes(`${name}.h`));
  expect(ids.length).toBeGreaterThanOrEqual(3);
  expect(names.sort()).toEqual([...ids].sort());
});

test.each(ids)("%s has a test and prose in both languages", (id) => {
  const has = (path: string): boolean => existsSync(new URL(path, folder(".")));
  expect(has(`tests/experiments/${id}_test.cpp`) || has(`tests/experiments/${id}/${id}_test.cpp`)).toBe(true);
  for (const language of ["en", "zh"]) expect(has(`web/content/${language}/lab/${id}.md`)).toBe(true);
});
