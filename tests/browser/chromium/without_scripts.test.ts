// Scripts off. In the other engines the drivers read a page with its scripts, too.
import { expect, test } from "vitest";
import { until, useBench } from "../bench.ts";
import { labPages } from "../pages.ts";

const bench = useBench();

const paths = ["", ...labPages].map((path, index) => `${index % 2 === 0 ? "en" : "zh"}/${path}`);

test.each(paths)("scripts off: /%s shows its figure and numbers", async (path) => {
  const page = await bench.open(path, { javascript: false });
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
  expect(figures.length).toBe(path.length > 3 ? 1 : 2); // in the story the hero and the race
  for (const figure of figures) {
    expect(figure.height).toBeGreaterThan(100);
    expect(figure.charts).toBeGreaterThan(0);
    expect(figure.broken).toBe(0);
    expect(figure.empty).toBe(0);
    expect(figure.text).toBeGreaterThan(20);
  }
});
