// How much a first visit, a whole visit and an embed transfer, brotli-compressed, as the server sent it. What the
// kernels and their glue may weigh is checked where they are built, in scripts/build_package.mjs.
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { ready, until, useBench } from "../bench.ts";
import type { Page } from "../drivers/index.ts";

const kB = 1000;
const size = (path: string): number => brotliCompressSync(readFileSync(path)).length;
const bench = useBench("/", {}, 11); // as static hosts store it

interface File {
  path: string;
  bytes: number;
}

function filesOf(page: Page): Promise<File[]> {
  return page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map((entry) => entry as PerformanceResourceTiming)
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }))
      .filter(({ path }) => path !== "/problems.js"),
  );
}

/** A section's charts for those whose elements do not come alive. */
const isPicture = ({ path }: File): boolean => /-(en|zh)-\w+\.svg$/.test(path);

const sum = (files: readonly File[], pattern: RegExp): number =>
  files.filter(({ path }) => pattern.test(path)).reduce((total, { bytes }) => total + bytes, 0);

test.each(["en", "zh"])("the first visit of /%s/ is at most 150 kB, of scripts 60 kB", async (language) => {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}${language}/`);
  await until(page, () => "_$litPart$" in document.querySelector("sqrtdk-hero")!); // alive: all is loaded
  const first = await filesOf(page);
  console.log(first.map(({ path, bytes }) => `${path} ${bytes}`).join("\n"));
  expect(first.filter(({ path }) => path.endsWith(".wasm"))).toHaveLength(1);
  expect(first.filter(isPicture)).toEqual([]);
  expect(first.filter(({ path }) => path.includes("race"))).toEqual([]);
  expect(sum(first, /./)).toBeLessThanOrEqual(150 * kB);
  expect(sum(first, /\.js$/)).toBeLessThanOrEqual(60 * kB);

  await ready(page);
  const all = await filesOf(page);
  expect(all.filter(({ path }) => path.endsWith(".wasm"))).toHaveLength(2);
  console.log(`everything seen: ${sum(all, /./)} bytes`);
  const pictures = all.filter(isPicture); // of charts whose figures take their time
  if (pictures.length > 0) console.log(`of them ${pictures.length} pictures`);
  expect(sum(all, /./)).toBeLessThanOrEqual(500 * kB);
});

test("an address of a section asks for the one module that the section needs, once", async () => {
  for (const [section, module] of [
    ["score_variance", "first"],
    ["encoder_layer&encoder_layer.seed=3", "experiments"],
  ] as const) {
    const page = await bench.blank();
    await page.goto(`${bench.site.url}en/#${section}`);
    await until(
      page,
      (id) => "_$litPart$" in document.querySelector(`#${id} sqrtdk-figure`)!,
      section.split("&")[0]!,
    );
    const modules = (await filesOf(page)).filter(({ path }) => path.endsWith(".wasm"));
    expect(modules.map(({ bytes }) => bytes)).toEqual([size(`build/wasm/${module}.wasm`)]);
    expect(await page.problems()).toEqual([]);
  }
});

test("the embed, kernels included, is at most 100 kB", () => {
  expect(size("build/site/embed/sqrtdk.auto.js")).toBeLessThanOrEqual(100 * kB);
});
