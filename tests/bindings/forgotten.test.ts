// What is forgotten is given back once the garbage collector has found it, with one warning; and what is in memory is told.
import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { load } from "../../bindings/entry/full.ts";
import type { Instance, Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;
/** Lets the collector find what is forgotten, and what it found be given back. */
async function collect(): Promise<void> {
  gc();
  await new Promise((resolve) => setTimeout(resolve, 0));
}

let sqrtdk: Sqrtdk & Instance;
const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
beforeAll(async () => {
  sqrtdk = await load();
});
afterAll(() => warn.mockRestore());

const counts = (): Record<string, number> => {
  const { bytes, used, ...rest } = sqrtdk.memory();
  expect(used).toBeLessThanOrEqual(bytes);
  return rest;
};
const nothing = { tensors: 0, layers: 0, trainers: 0, others: 0 };

it("memory() counts what there is", () => {
  const { random, nn, models, train, ops } = sqrtdk;
  expect(counts()).toEqual(nothing);
  const before = sqrtdk.memory().used;
  const x = random.randn([1000, 1000]);
  expect(sqrtdk.memory().used - before).toBeGreaterThanOrEqual(4e6);
  const layer = new nn.Linear({ nIn: 2, nOut: 2 });
  const model = new models.LanguageModel({ dModel: 4, nHeads: 1, nLayers: 1, vocab: 3, context: 4 });
  const cache = model.makeCache();
  const trainer = train.trainer({ dModel: 4 });
  const packed = ops.packMatrix([[1]]);
  expect(counts()).toEqual({ tensors: 2, layers: 2, trainers: 1, others: 1 });
  for (const each of [x, layer, model, cache, trainer, packed]) each.dispose();
  expect(counts()).toEqual(nothing);
  expect(sqrtdk.memory().used - before).toBeLessThan(2e5);
});

it("of what a disposed instance left nothing is said", async () => {
  const other = await load();
  other.random.randn([8, 8]);
  other.dispose();
  await collect();
  await collect();
  expect(warn).not.toHaveBeenCalled();
});

it("10,000 forgotten explainable attentions do not fill the memory", async () => {
  const { ops, random } = sqrtdk;
  const q = random.randn([8, 64, 16]);
  for (let i = 0; i < 10_000; ++i) {
    ops.attention(q, q, q, { returnWeights: true }); // 300 kB
    if (i % 200 === 0) await collect();
  }
  await collect();
  await collect();
  expect(sqrtdk.memory().bytes).toBeLessThan(300e6);
  expect(counts()).toEqual({ ...nothing, tensors: 1 });
  q.dispose();
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]![0]).toMatch(/^sqrtdk: .*dispose\(\)/);
});

it("layers, models and trainers too; what is still held stays", async () => {
  const held = new sqrtdk.nn.Linear({ nIn: 2, nOut: 2 });
  const forget = (): void => {
    new sqrtdk.nn.EncoderLayer({ dModel: 4, nHeads: 1 });
    new sqrtdk.models.LanguageModel({ dModel: 4, nHeads: 1, nLayers: 1, vocab: 3, context: 4 }).makeCache();
    sqrtdk.train.trainer({ dModel: 4 });
    sqrtdk.ops.packMatrix([[1]]);
    sqrtdk.scope(() => [sqrtdk.tensor([1]), sqrtdk.tensor([2])]);
    sqrtdk.tensor([3]).dispose();
  };
  forget();
  expect(counts()).toEqual({ tensors: 3, layers: 3, trainers: 1, others: 1 });
  await collect();
  await collect();
  expect(counts()).toEqual({ ...nothing, layers: 1 });
  expect(held.forward([[1, 2]]).shape).toEqual([1, 2]);
  held.dispose();
  expect(warn).toHaveBeenCalledTimes(1);
});

it("what belongs to an instance that was disposed is nobody's to give back", async () => {
  const other = await load();
  const make = (): void => {
    other.tensor([1]);
    new other.nn.Linear({ nIn: 2, nOut: 2 });
  };
  make();
  const kept = other.tensor([1]);
  other.dispose();
  await collect();
  kept.dispose();
  expect(thrown(() => other.memory())).toMatchObject({ name: "DisposedError" });
});
