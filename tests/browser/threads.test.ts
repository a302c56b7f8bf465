// Cross-origin isolated, as scripts/demo serves them: the package computes with several threads, and the site's pages and
// what others embed of it work as before.
import { expect, test } from "vitest";
import { isolation } from "../../scripts/lib/serve.mjs";
import type { Instance, Sqrtdk, load } from "../../bindings/entry/full.ts";
import { bitsHash } from "../golden/bits_hash.ts";
import { largeHashes } from "../golden/large_hashes.ts";
import { expectedLayerHashes, layerHashes } from "../golden/layer_hashes.ts";
import { until, useBench } from "./bench.ts";
import { engineName, type Page } from "./drivers/index.ts";
import { useHost } from "./embed_host.ts";

declare global {
  var loadPackage: typeof load | undefined;
  var several: (Sqrtdk & Instance)[] | undefined;
  var bits: Record<string, string>[] | undefined;
}

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src 'self'; " +
  "require-trusted-types-for 'script'; trusted-types sqrtdk";
const pages = {
  "/threads.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>threads</title>
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <script type="module" src="/use_threads.js"></script></head><body></body></html>`,
  "/use_threads.js": `import { load } from "/package/index.js"; globalThis.loadPackage = load;`,
};
const isolated = useBench("/", pages, undefined, isolation);
const plain = useBench("/", pages);
const host = useHost(isolated);

async function openPackage(bench: typeof plain): Promise<Page> {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}threads.html`);
  await until(page, () => globalThis.loadPackage !== undefined);
  return page;
}

test("one, two and three threads give the same bits, under a strict CSP", async () => {
  const page = await openPackage(isolated);
  const threads = await page.evaluate(async () => {
    globalThis.several = await Promise.all([1, 2, 3].map((threads) => globalThis.loadPackage!({ threads })));
    return [crossOriginIsolated, ...globalThis.several.map(({ threads }) => threads)];
  });
  // WebKitGTK 2.50 has none.
  const canShare = await page.evaluate(() => typeof globalThis.SharedArrayBuffer === "function");
  expect(threads).toEqual(canShare ? [true, 1, 2, 3] : [true, 1, 1, 1]);
  if (!canShare) {
    expect(engineName).toBe("webkit");
    expect((await page.problems()).join()).toContain("one thread computes");
    return;
  }
  for (const hashes of [largeHashes, layerHashes]) {
    await page.run(
      `globalThis.bits = several.map((sqrtdk) => (${hashes.toString()})(sqrtdk, ${bitsHash.toString()}))`,
    );
    const [one, ...others] = (await page.evaluate(() => globalThis.bits))!;
    expect(Object.keys(one!).length).toBeGreaterThan(4);
    for (const other of others) expect(other).toEqual(one);
    if (hashes === layerHashes) expect(one).toEqual(expectedLayerHashes());
  }
  const after = await page.evaluate(() => {
    const errors = globalThis.several!.map((sqrtdk) => {
      try {
        sqrtdk.ops.matmul(sqrtdk.random.randn([200, 300]), sqrtdk.random.randn([200, 300]));
        return "none";
      } catch (error) {
        return (error as Error).name;
      }
    });
    for (const sqrtdk of globalThis.several!) sqrtdk.dispose();
    return errors;
  });
  expect(after).toEqual(["ShapeError", "ShapeError", "ShapeError"]);
  expect(await page.problems()).toEqual([]);
});

test("without isolation there is one thread, which is said once", async () => {
  const page = await openPackage(plain);
  const threads = await page.evaluate(async () => {
    const loaded = [];
    for (const threads of [2, 3]) loaded.push((await globalThis.loadPackage!({ threads })).threads);
    return loaded;
  });
  expect(threads).toEqual([1, 1]);
  const warnings = (await page.problems()).filter((problem) => problem.startsWith("warn: "));
  expect(warnings).toEqual([expect.stringContaining("not cross-origin isolated")]);
});

test.each(["en/", "zh/lab/training_race/", "en/embed/gallery/", "en/api/"])(
  "/%s works isolated",
  async (path) => {
    const page = await isolated.open(path);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(await page.problems()).toEqual([]);
  },
);

test("another's page takes its script and its frame from an isolated site", async () => {
  const frame = `<iframe src="${isolated.site.url}embed/score_variance.html"></iframe>`;
  const body = `<sqrtdk-figure experiment="score_variance"></sqrtdk-figure>${engineName === "webkit" ? "" : frame}`;
  const page = await host.show({ body });
  expect(await page.problems()).toEqual([]);
});
