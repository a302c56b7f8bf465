// How much a first visit, a whole visit and an embed transfer, brotli-compressed, as the server sent it. What the
// kernels and what starts them may weigh is checked where they are built, in scripts/build_package.mjs.
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { ready, until, useBench } from "../bench.ts";
import { lab } from "../figure.ts";
import { samplePages } from "../pages.ts";
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

const sum = (files: readonly File[], pattern: RegExp): number =>
  files.filter(({ path }) => pattern.test(path)).reduce((total, { bytes }) => total + bytes, 0);

/** All that was asked for until nothing was asked for a second long, the service worker's included. */
async function visit(path: string): Promise<{ page: Page; files: File[] }> {
  const before = bench.site.requests.length;
  const page = await bench.blank();
  await page.goto(bench.site.url + path);
  await until(page, () => navigator.serviceWorker.controller !== null);
  let count = -1;
  while (count !== bench.site.requests.length) {
    count = bench.site.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const files = await filesOf(page);
  const known = new Set(files.map(({ path }) => path));
  const unseen = bench.site.requests
    .slice(before)
    .filter((path) => !known.has(path) && path !== "/problems.js");
  return { page, files: [...files, ...unseen.map((path) => ({ path, bytes: sizeOf(path) }))] };
}

/** As the server sends a file that the page does not list. */
const sizeOf = (path: string): number => size(`build/site${path.endsWith("/") ? `${path}index.html` : path}`);

test.each(["en", "zh"])(
  "the first visit of /%s/ is at most 150 kB until all is still, of scripts 60 kB",
  async (language) => {
    const { page, files } = await visit(`${language}/`);
    console.log(files.map(({ path, bytes }) => `${path} ${bytes}`).join("\n"));
    expect(await page.evaluate(() => "_$litPart$" in document.querySelector("sqrtdk-hero")!)).toBe(true);
    expect(files.filter(({ path }) => path.endsWith(".wasm"))).toHaveLength(1);
    expect(sum(files, /./)).toBeLessThanOrEqual(150 * kB);
    expect(sum(files, /\.js$/)).toBeLessThanOrEqual(60 * kB);
  },
);

test.each(samplePages)("the first visit of /en/%s is at most 200 kB until all is still", async (path) => {
  const { page, files } = await visit(`en/${path}`);
  console.log(`${path}: ${sum(files, /./)} bytes`);
  expect(sum(files, /./)).toBeLessThanOrEqual(200 * kB);
  expect(await page.problems()).toEqual([]);
});

test("a page asks for the one module that its figure needs, once; a large one when a reader means it", async () => {
  for (const [id, module, state] of [
    ["score_variance", "first", ""],
    ["encoder_layer", "experiments", ""],
    ["encoder_layer", "experiments", "#encoder_layer&encoder_layer.seed=3"],
  ] as const) {
    const { page, files } = await visit(lab(id) + state);
    const modules = (list: readonly File[]) =>
      list.flatMap(({ path }) => /\/(\w+)-[^/]*\.wasm$/.exec(path)?.[1] ?? []);
    expect(modules(files)).toEqual(module === "experiments" && !state ? [] : [module]);
    await ready(page);
    expect(modules(await filesOf(page))).toEqual([module]);
    expect(await page.problems()).toEqual([]);
  }
});

test("the embed, kernels included, is at most 100 kB", () => {
  expect(size("build/site/embed/sqrtdk.auto.js")).toBeLessThanOrEqual(100 * kB);
});
