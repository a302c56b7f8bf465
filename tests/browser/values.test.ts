// Numbers in sentences that follow a figure: printed before any script, then those of the reader's settings.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { change, idOf, lab, readyFigure, setText } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const exchange = "qk_exchange";
const printed = ["0.41", "0.61", "1.41", "0.27", "1.87"];

function valuesOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("sqrtdk-value")].map(({ textContent }) => textContent),
  );
}

test("are there without a script", async () => {
  const page = await bench.open(lab(exchange), { javascript: false });
  expect(await valuesOf(page)).toEqual(printed);
});

test("follow the figure", async () => {
  const page = await bench.open(lab(exchange));
  await readyFigure(page, exchange);
  await until(page, () => customElements.get("sqrtdk-value") !== undefined);
  expect(await valuesOf(page)).toEqual(printed);
  await change(page, exchange, "seed", "3");
  const other = await valuesOf(page);
  expect(other.every((text, i) => /^\d\.\d{2}$/.test(text) && text !== printed[i])).toBe(true);
  await change(page, exchange, "seed", "0");
  expect(await valuesOf(page)).toEqual(printed);
  await setText(page, `#${idOf(exchange)}-seed`, "none");
  await until(page, () => document.querySelector("sqrtdk-value")?.textContent === "–");
});

test("are a dash where the figure has no such number", async () => {
  const id = "scaling_values";
  const page = await bench.open(lab(id));
  await readyFigure(page, id);
  await until(page, () => customElements.get("sqrtdk-value") !== undefined);
  expect(await valuesOf(page)).not.toContain("–");
  await change(page, id, "d", "64"); // and not at 512
  expect(await valuesOf(page)).toEqual(["–", "–", "–"]);
});

test("are plain text to assistive technology, and cost nothing where there is none", async () => {
  const page = await bench.open(lab(exchange));
  await readyFigure(page, exchange);
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
