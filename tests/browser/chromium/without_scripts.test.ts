// Scripts off. In the other engines the drivers read a page with its scripts, too.
import { expect, test } from "vitest";
import { useBench } from "../bench.ts";
import { hashOf } from "../figure.ts";

const bench = useBench();

test.each(["en", "zh"])("scripts off: %s shows its figures and numbers", async (language) => {
  const page = await bench.open(`${language}/`, { javascript: false });
  const figures = await page.evaluate(() =>
    [...document.querySelectorAll("sqrtdk-hero, sqrtdk-figure")].map((element) => ({
      height: element.getBoundingClientRect().height,
      charts: element.querySelectorAll("svg").length,
      text: (element as HTMLElement).innerText.length,
    })),
  );
  expect(figures.length).toBeGreaterThan(12);
  for (const figure of figures) {
    expect(figure.height).toBeGreaterThan(100);
    expect(figure.charts).toBeGreaterThan(0);
    expect(figure.text).toBeGreaterThan(20);
  }
  expect(await hashOf(page, "article_snippet")).toMatch(/^[0-9a-f]{16}$/);
});
