// The page of the promises: each figure has its place in both languages, and each command is there.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { told, type Measured } from "../../../web/page/measured.mjs";

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const measured = JSON.parse(read("web/content/measured.json")) as Measured;
const rows = (language: string): string[] =>
  told(read(`web/content/${language}/docs/promises.md`), measured)
    .split("\n")
    .filter((line) => line.startsWith("|"));

test("every figure is told in both languages, beside the same commands", () => {
  const commands = (language: string): string[] =>
    rows(language).flatMap((row) => row.match(/`[^`]*scripts\/[^`]+`/g) ?? []);
  expect(commands("zh")).toEqual(commands("en"));
  expect(commands("en")).toHaveLength(rows("en").length - 2);
  for (const command of commands("en")) {
    expect(existsSync(new URL(/scripts\/[\w.]+/.exec(command)![0], root)), command).toBe(true);
  }
});

test("what is measured and not told, and what is told and not measured, is refused", () => {
  expect(told("{a} of {b}", { a: "1", b: "2" })).toBe("1 of 2");
  expect(() => told("{a}", { a: "1", b: "2" })).toThrow("told nowhere: b");
  expect(() => told("{a} {c}", { a: "1" })).toThrow("{c}");
});
