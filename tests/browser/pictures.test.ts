// Pictures of charts are loaded only where no element draws the charts in time.
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ready, until, useBench } from "./bench.ts";
import type { Page } from "./drivers/index.ts";

const built = (pattern: RegExp): Record<string, string> =>
  Object.fromEntries(
    readdirSync("build/site/assets")
      .filter((name) => pattern.test(name))
      .map((name) => [`/assets/${name}`, ""]),
  );

async function showsPictures(page: Page, section: string): Promise<void> {
  await page.evaluate((id) => document.querySelector(`#${id} .chart`)!.scrollIntoView(), section);
  await until(
    page,
    (id) => {
      const image = document.querySelector<HTMLImageElement>(`#${id} picture > img`)!;
      const { top, width } = image.getBoundingClientRect();
      return image.complete && image.naturalWidth > 0 && top >= 0 && top < innerHeight && width > 200;
    },
    section,
  );
}

describe("where elements come alive", () => {
  const bench = useBench();

  test("no picture is asked for", async () => {
    const page = await bench.open("en/");
    await ready(page, "#softmax_jacobian sqrtdk-figure");
    const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    const modules = asked.filter((name) => name.endsWith(".wasm")); // WebKit lists a preload twice
    expect(new Set(modules).size).toBe(2);
    expect(asked.filter((name) => /-(en|zh)-\w+\.svg$/.test(name))).toEqual([]);
  });

  test("all are asked for before the page is printed", async () => {
    const page = await bench.open("en/");
    expect(await page.evaluate(() => document.images.length)).toBeGreaterThan(50);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await until(page, () => [...document.images].every((image) => image.complete && image.naturalWidth > 0));
    expect(await page.problems()).toEqual([]);
  });
});

describe.each([
  ["the page's scripts do not come", /^boot-/],
  ["the modules cannot be compiled", /\.wasm$/],
])("where %s", (_, pattern) => {
  const bench = useBench("/", built(pattern));

  test("the pictures are shown when they have been in view for a second", async () => {
    const page = await bench.blank();
    await page.goto(`${bench.site.url}en/`);
    for (const section of ["score_variance", "encoder_layer", "training_race"])
      await showsPictures(page, section);
  });
});
