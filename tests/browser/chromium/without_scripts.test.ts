// Scripts off. In the other engines the drivers read a page with its scripts, too.
import { expect, test } from "vitest";
import { until, useBench } from "../bench.ts";
import { hashOf } from "../figure.ts";

const bench = useBench();

test.each(["en", "zh"])("scripts off: %s shows its figures and numbers", async (language) => {
  const page = await bench.open(`${language}/`, { javascript: false });
  await until(page, () => {
    const late = [...document.images].find((image) => !image.complete);
    late?.scrollIntoView(); // they are loaded when they come near
    return !late;
  });
  const figures = await page.evaluate(() =>
    [...document.querySelectorAll("sqrtdk-hero, sqrtdk-figure, sqrtdk-race")].map((element) => ({
      height: element.getBoundingClientRect().height,
      charts: [...element.querySelectorAll<SVGSVGElement | HTMLImageElement>("svg, img")].filter(
        (chart) => !("naturalWidth" in chart) || chart.naturalWidth > 0,
      ).length,
      broken: [...element.querySelectorAll("img")].filter((image) => image.naturalWidth === 0).length,
      empty: [...element.querySelectorAll("details")].filter(
        (details) => details.checkVisibility() && details.children.length < 2,
      ).length,
      text: (element as HTMLElement).innerText.length,
    })),
  );
  expect(figures.length).toBeGreaterThan(12);
  for (const figure of figures) {
    expect(figure.height).toBeGreaterThan(100);
    expect(figure.charts).toBeGreaterThan(0);
    expect(figure.broken).toBe(0);
    expect(figure.empty).toBe(0);
    expect(figure.text).toBeGreaterThan(20);
  }
  expect(await hashOf(page, "article_snippet")).toMatch(/^[0-9a-f]{16}$/);
});
