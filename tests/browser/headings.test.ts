// Chinese headings on a phone: a line ends between phrases where one ends before the edge, never within a word.
import { expect, test } from "vitest";
import { useBench } from "./bench.ts";

const bench = useBench();

test("a heading's lines end after its marks", async () => {
  const page = await bench.open("zh/check/promises/", { width: 360 });
  const lines = await page.evaluate(() => {
    const text = document.querySelector("h1")!.firstChild as Text;
    const range = document.createRange();
    const said = new Map<number, string>(); // by the line's top
    for (let i = 0; i < text.length; ++i) {
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      const { top } = range.getBoundingClientRect();
      said.set(top, (said.get(top) ?? "") + text.data[i]!);
    }
    return [...said.values()];
  });
  expect(lines).toEqual(["我们承诺什么，", "又如何检验"]);
  expect(await page.problems()).toEqual([]);
});
