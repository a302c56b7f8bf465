// Chinese headings where there is no room for a line: it ends between words or after marks, never within a word.
import { expect, test } from "vitest";
import { useBench } from "./bench.ts";

const bench = useBench();

/** The heading's words, and what stands with its neighbours. */
const phrases = ["我们", "承诺", "什么，", "又", "如何", "检验"];

test.each([3, 5, 9, 11])("a heading of %i characters' width tears no word", async (width) => {
  const page = await bench.open("zh/check/promises/");
  const lines = await page.evaluate((width) => {
    const heading = document.querySelector("h1")!;
    heading.style.width = `${width}em`;
    const range = document.createRange();
    const said = new Map<number, string>(); // by the line's top
    for (const text of heading.childNodes) {
      if (!(text instanceof Text)) continue;
      for (let i = 0; i < text.length; ++i) {
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        const { top } = range.getBoundingClientRect();
        said.set(top, (said.get(top) ?? "") + text.data[i]!);
      }
    }
    return [...said.values()];
  }, width);
  expect(lines.join("")).toBe(phrases.join(""));
  expect(lines.length).toBeGreaterThan(1);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  for (const line of lines) {
    const words = line.match(new RegExp(phrases.join("|"), "g")) ?? [];
    expect(words.join(""), "whole words").toBe(line);
  }
  expect(await page.problems()).toEqual([]);
});
