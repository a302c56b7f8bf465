// load({ threads }) in Node: no bit depends on them, and where there can be but one thread it is said.
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ShapeError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Instance, Sqrtdk } from "../../bindings/entry/full.ts";
import { load as loadOps } from "../../bindings/entry/ops.ts";
import { bitsHash } from "../golden/bits_hash.ts";
import { kernelHashes } from "../golden/kernel_hashes.ts";
import { largeHashes } from "../golden/large_hashes.ts";
import { expectedLayerHashes, layerHashes } from "../golden/layer_hashes.ts";
import { NodeWorker, open } from "./node_worker.ts";

const script = readFileSync(new URL("../../build/workers/threads.js", import.meta.url), "utf8");
const choice = (n: number) => ({ n, create: () => new NodeWorker(script) });

let used: (Sqrtdk & Instance)[] = [];
async function withThreads(n: number): Promise<Sqrtdk & Instance> {
  const sqrtdk = await load({ threads: n });
  used.push(sqrtdk);
  return sqrtdk;
}
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const sqrtdk of used) sqrtdk.dispose();
  used = [];
});

function trained(sqrtdk: Sqrtdk): string {
  const trainer = sqrtdk.train.trainer({ task: "sort", dModel: 64, dFf: 256, batch: 32, seed: 4 });
  trainer.run(20);
  const hash = trainer.weightHash();
  trainer.dispose();
  return hash;
}

describe("threads", () => {
  it("give the bits of one", async () => {
    const one = await withThreads(1);
    const [kernels, large, weights] = [kernelHashes(one, bitsHash), largeHashes(one, bitsHash), trained(one)];
    for (const n of [2, 3]) {
      const several = await withThreads(n);
      expect(several.threads).toBe(n);
      expect(kernelHashes(several, bitsHash)).toEqual(kernels);
      expect(largeHashes(several, bitsHash)).toEqual(large);
      expect(layerHashes(several, bitsHash)).toEqual(expectedLayerHashes());
      expect(trained(several)).toBe(weights);
      expect(several.experiments.score_variance.run({ trials: 2000 }).hash).toBe(
        one.experiments.score_variance.run({ trials: 2000 }).hash,
      );
    }
  });

  it("go on where the memory grows, and views stay", async () => {
    const { ops, random, tensor } = await withThreads(2);
    const a = random.randn([64, 64]);
    const [before, numbers] = [ops.matmul(a, a).toArray(), a.toArray()];
    const { array } = a.view();
    const large = tensor(new Float32Array(2 ** 23), [2 ** 23]);
    expect(ops.matmul(a, a).toArray()).toEqual(before);
    expect([...array]).toEqual([...numbers]);
    large.dispose();
  });

  it("leave errors what they are", async () => {
    const { ops, random, experiments } = await withThreads(2);
    const [a, b] = [random.randn([200, 300]), random.randn([200, 300])];
    expect(() => ops.matmul(a, b)).toThrow(ShapeError);
    expect(() => experiments.get("none")).toThrow(ValueError);
    expect(ops.matmul(a, b, { transposeB: true }).shape).toEqual([200, 200]);
  });

  it("end with their instance", async () => {
    const sqrtdk = await load({ threads: choice(4) });
    expect([sqrtdk.threads, open.size]).toEqual([4, 3]);
    sqrtdk.dispose();
    sqrtdk.dispose();
    expect(open.size).toBe(0);
    expect(() => sqrtdk.random.randn([2])).toThrow("disposed");
  });

  it("are one where there is no isolation, no worker, or no module for them, and say so", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const said = (): unknown[] => warn.mock.calls.flat();
    for (let i = 0; i < 2; ++i) {
      vi.stubGlobal("crossOriginIsolated", false);
      expect((await withThreads(2)).threads).toBe(1);
      expect(said()).toEqual([expect.stringContaining("not cross-origin isolated")]);
      vi.unstubAllGlobals();
    }
    const failing = () => new NodeWorker("globalThis.onmessage = () => { throw Error('no'); }");
    const fallen = await load({ threads: { n: 2, create: failing } });
    expect([fallen.threads, open.size]).toEqual([1, 0]);
    expect(said()[1]).toContain("could not start a worker");
    expect(fallen.random.randn([2]).shape).toEqual([2]);
    const beside = await load({ worker: true, threads: 2 });
    expect(beside.threads).toBe(1);
    expect(said()).toContainEqual(expect.stringContaining("calls run in workers"));
    beside.dispose();
    expect((await loadOps({ threads: 2 })).threads).toBe(1);
  });

  it("are a whole number of 1 to 32, or a choice", async () => {
    const wrong = [0, 33, 1.5, NaN, "2", null, { n: 0 }, { n: 2, size: 1 }, {}];
    for (const threads of wrong) {
      await expect(load({ threads: threads as number }), JSON.stringify(threads)).rejects.toThrow(ValueError);
    }
    expect((await withThreads(1)).threads).toBe(1);
    expect((await load()).threads).toBe(1);
  });
});
