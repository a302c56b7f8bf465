// Scripts off. In the other engines the drivers read a page with its scripts, too.
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { until, useBench } from "../bench.ts";
import { labPages } from "../pages.ts";

const bench = useBench();

/** Each stands in one chapter. */
const storyFigures = readdirSync(new URL("../../../web/story/figures", import.meta.url));

const paths = ["", ...labPages].map((path, index) => `${index % 2 === 0 ? "en" : "zh"}/${path}`);

test.each(paths)("scripts off: /%s shows its figure and numbers", async (path) => {
  const page = await bench.open(path, { javascript: false });
  await until(page, () => {
    const late = [...document.images].find((image) => !image.complete);
    late?.scrollIntoView(); // they are loaded when they come near
    return !late;
  });
  const figures = await page.evaluate(() =>
    [...document.querySelectorAll("[prerendered]")].map((element) => ({
      isStory: element.localName.startsWith("story-"),
      height: element.getBoundingClientRect().height,
      charts: [
        ...element.querySelectorAll<SVGSVGElement | HTMLImageElement>("svg, img, .story-typed, .story-block"),
      ].filter((chart) => !("naturalWidth" in chart) || chart.naturalWidth > 0).length,
      broken: [...element.querySelectorAll("img")].filter((image) => image.naturalWidth === 0).length,
      empty: [...element.querySelectorAll("details")].filter(
        (details) => details.checkVisibility() && details.children.length < 2,
      ).length,
      text: (element as HTMLElement).innerText.length,
    })),
  );
  const own = figures.filter(({ isStory }) => !isStory); // in the story the hero and the race
  expect(own.length).toBe(path.length > 3 ? 1 : 2);
  expect(figures.length - own.length).toBe(path.length > 3 ? 0 : storyFigures.length);
  for (const figure of figures) {
    expect(figure.height).toBeGreaterThan(100);
    expect(figure.charts).toBeGreaterThan(0);
    expect(figure.broken).toBe(0);
    expect(figure.empty).toBe(0);
    expect(figure.text).toBeGreaterThan(20);
  }
});
