// Chinese headings where there is no room for a line: it ends between phrases, not within a word.
import { expect, test } from "vitest";
import { useBench } from "./bench.ts";

const bench = useBench();

test("a heading's lines end after its marks", async () => {
  const page = await bench.open("zh/check/promises/");
  const lines = await page.evaluate(() => {
    const heading = document.querySelector("h1")!;
    heading.style.width = "10em"; // of its twelve characters
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
  });
  expect(lines).toEqual(["我们承诺什么，", "又如何检验"]);
  expect(await page.problems()).toEqual([]);
});
