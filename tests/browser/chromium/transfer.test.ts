// How much a first visit and an embed transfer, brotli-compressed, as the server sent it. What the
// kernels and their glue may weigh is checked where they are built, in scripts/build_package.mjs.
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { useBench } from "../bench.ts";

const kB = 1000;
const size = (path: string): number => brotliCompressSync(readFileSync(path)).length;
const bench = useBench();

test.each(["en", "zh"])("the first visit of /%s/ is at most 150 kB, of scripts 60 kB", async (language) => {
  const page = await bench.open(`${language}/`);
  const files = await page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map((entry) => entry as PerformanceResourceTiming)
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }))
      .filter(({ path }) => path !== "/problems.js"),
  );
  const sum = (pattern: RegExp) =>
    files.filter(({ path }) => pattern.test(path)).reduce((total, { bytes }) => total + bytes, 0);
  console.log(files.map(({ path, bytes }) => `${path} ${bytes}`).join("\n"));
  expect(files.some(({ path }) => path.endsWith(".wasm"))).toBe(true);
  expect(sum(/./)).toBeLessThanOrEqual(150 * kB);
  expect(sum(/\.js$/)).toBeLessThanOrEqual(60 * kB);
});

test("the embed, kernels included, is at most 100 kB", () => {
  expect(size("build/site/embed/sqrtdk.auto.js")).toBeLessThanOrEqual(100 * kB);
});
