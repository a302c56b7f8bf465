// Every golden run gives the same bits in this engine, under a strict CSP, on the page's thread and in a worker.
import { expect, test } from "vitest";
import type { Sqrtdk, SqrtdkWorker, TrainerConfig } from "../../bindings/entry/full.ts";
import { load } from "../../bindings/entry/full.ts";
import { bitsHash } from "../golden/bits_hash.ts";
import { goldens } from "../golden/goldens.ts";
import { kernelHashes } from "../golden/kernel_hashes.ts";
import { expectedLayerHashes, layerHashes } from "../golden/layer_hashes.ts";
import { goldenTrainings, steps } from "../golden/trainings.ts";
import { until, useBench } from "./bench.ts";
import type { Page } from "./drivers/index.ts";

declare global {
  var kernels: { main: Sqrtdk; worker: SqrtdkWorker } | undefined;
  var hashes: Record<string, string> | undefined;
}

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src 'self'; " +
  "require-trusted-types-for 'script'; trusted-types sqrtdk";
const bench = useBench("/", {
  "/package.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>package</title>
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <script type="module" src="/use_package.js"></script></head><body></body></html>`,
  "/use_package.js": `import { load } from "/package/index.js";
    globalThis.kernels = { main: await load(), worker: await load({ worker: true }) };`,
});

async function openPackage(): Promise<Page> {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}package.html`);
  await until(page, () => globalThis.kernels !== undefined);
  return page;
}

test("on the page's thread", async () => {
  const page = await openPackage();
  for (const { line, id, params, hash } of goldens) {
    const got = await page.evaluate((a, b) => kernels!.main.experiments.get(a).run(b).hash, id, params);
    expect(got, line).toBe(hash);
  }
  expect(await page.problems()).toEqual([]);
});

test("in a worker", async () => {
  const page = await openPackage();
  for (const { line, id, params, hash } of goldens) {
    const run = (a: string, b: Record<string, string>) =>
      kernels!.worker.experiments
        .get(a)
        .run(b)
        .then((result) => result.hash);
    expect(await page.evaluate(run, id, params), line).toBe(hash);
  }
  expect(await page.evaluate(() => kernels!.worker.inWorker)).toBe(true);
  expect(await page.problems()).toEqual([]);
});

test("every kernel, as in Node", async () => {
  const page = await openPackage();
  const expected = kernelHashes(await load(), bitsHash);
  expect(Object.keys(expected).length).toBeGreaterThan(50);
  await page.run(`globalThis.hashes = (${kernelHashes.toString()})(kernels.main, ${bitsHash.toString()})`);
  expect(await page.evaluate(() => globalThis.hashes)).toEqual(expected);
});

test("layers and models, as everywhere", async () => {
  const page = await openPackage();
  await page.run(`globalThis.hashes = (${layerHashes.toString()})(kernels.main, ${bitsHash.toString()})`);
  expect(await page.evaluate(() => globalThis.hashes)).toEqual(expectedLayerHashes());
});

test.each(goldenTrainings())(
  "the weights after 1,000 steps, as everywhere: $name",
  async ({ config, hash }) => {
    const page = await openPackage();
    const train = async (config: TrainerConfig, steps: number, beside: boolean): Promise<string> => {
      const trainer = await kernels![beside ? "worker" : "main"].train.trainer(config);
      await trainer.run(steps);
      const hash = await trainer.weightHash();
      trainer.dispose();
      return hash;
    };
    expect(await page.evaluate(train, config, steps, false)).toBe(hash);
    expect(await page.evaluate(train, config, steps, true)).toBe(hash);
    expect(await page.problems()).toEqual([]);
  },
);
