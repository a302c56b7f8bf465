// The laboratory's gallery: what one types finds experiments by the words of either language.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { labPages } from "./pages.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();

async function find(page: Page, words: string): Promise<string[]> {
  return page.evaluate((words) => {
    const input = document.querySelector<HTMLInputElement>("#search")!;
    input.value = words;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    return [...document.querySelectorAll<HTMLAnchorElement>(".cards a")]
      .filter((card) => card.checkVisibility())
      .map((card) => card.getAttribute("href")!);
  }, words);
}

test.each(["en", "zh"])("the search of /%s/lab/ finds experiments in both languages", async (language) => {
  const page = await bench.open(`${language}/lab/`);
  await until(page, () => document.querySelector(".search:not([hidden])") !== null);
  expect(await find(page, "")).toHaveLength(labPages.length);
  for (const words of ["overflow", "溢出", "  OVERFLOW ", "softmax_overflow"]) {
    const found = await find(page, words);
    expect(found, words).toContain("softmax_overflow/");
    expect(found.length, words).toBeLessThan(labPages.length / 2);
  }
  expect(await find(page, "overflow 溢出")).toContain("softmax_overflow/"); // all of the words
  const said = (): string => document.querySelector(".search [role=status]")!.textContent;
  expect(await page.evaluate(said)).toBe("");
  expect(await find(page, "nothing-like-this")).toEqual([]);
  expect(await page.evaluate(said)).not.toBe("");
  expect(await page.problems()).toEqual([]);
});
