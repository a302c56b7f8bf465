// Numbers in sentences that follow a figure: printed before any script, then those of the reader's settings.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { change, idOf, lab, readyFigure, setText } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const steps = "attention_steps";

function valuesOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("sqrtdk-value")].map(({ textContent }) => textContent),
  );
}

test("are there without a script", async () => {
  const page = await bench.open(lab(steps), { javascript: false });
  expect(await valuesOf(page)).toEqual(["0.283", "0.246", "0.177"]);
});

test("follow the figure, and are a dash where it has no such number", async () => {
  const page = await bench.open(lab(steps));
  await readyFigure(page, steps);
  await until(page, () => customElements.get("sqrtdk-value") !== undefined);
  expect(await valuesOf(page)).toEqual(["0.283", "0.246", "0.177"]);
  await change(page, steps, "seed", "3");
  const other = await valuesOf(page);
  expect(other.every((text) => /^0\.\d{3}$/.test(text) && text !== "0.283")).toBe(true);
  await change(page, steps, "text", "a dog");
  expect(await valuesOf(page)).toEqual(["–", "–", "–"]);
  await change(page, steps, "text", "The cat sat on the mat");
  expect(await valuesOf(page)).toEqual(other);
  await setText(page, `#${idOf(steps)}-seed`, "none");
  await until(page, () => document.querySelector("sqrtdk-value")?.textContent === "–");
});

test("are plain text to assistive technology, and cost nothing where there is none", async () => {
  const page = await bench.open(lab(steps));
  await readyFigure(page, steps);
  const [first] = await page.evaluate(() =>
    [...document.querySelectorAll("sqrtdk-value")].map((value) => ({
      names: value.getAttributeNames().sort(),
      role: value.role ?? null,
      display: getComputedStyle(value).display,
    })),
  );
  expect(first).toEqual({ names: ["format", "of", "path"], role: null, display: "inline" });
  const without = await bench.open(lab("article_snippet"));
  await readyFigure(without, "article_snippet");
  const loaded = await without.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => name),
  );
  expect(loaded.filter((name) => name.includes("sqrtdk_value"))).toEqual([]);
});
