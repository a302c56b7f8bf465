// What every layer has: gradients, life and death, and errors that change nothing.
import { beforeAll, describe, expect, it } from "vitest";
import { ShapeError, DisposedError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Layer, Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { startModule } from "./start_module.ts";
import { makeModels } from "../../bindings/api/models.ts";
import { makeNn } from "../../bindings/api/nn.ts";
import { Border } from "../../bindings/api/raw.ts";
import { clearGradients, releaseObject } from "../../bindings/api/signatures.ts";
import { TensorMemory } from "../../bindings/api/tensor.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const small = { dModel: 8, nHeads: 2, dFf: 12 };
describe("gradients", () => {
  it("add up until zero_grad, and need a forward pass", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer(small);
      const x = sqrtdk.random.randn([1, 3, 8]);
      expect(thrown(() => layer.backward(x))).toMatchObject({
        name: "ValueError",
        operator: "EncoderLayer.backward",
      });
      layer.forward(x);
      layer.backward(x);
      const once = layer.gradients()["linear2.bias"]!.data;
      layer.backward(x);
      expect(layer.gradients()["linear2.bias"]!.data).toEqual(once.map((value) => 2 * value));
      layer.zeroGrad();
      expect(layer.gradients()["linear2.bias"]!.data.every((value) => value === 0)).toBe(true);
    });
  });

  it("do not depend on what became of the inputs", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.MultiHeadAttention({ dModel: 8, nHeads: 2 });
      const x = sqrtdk.random.randn([1, 3, 8]);
      const mask = { data: [1, 1, 0], shape: [3] };
      const gradient = (after: () => void): Float32Array => {
        const copy = sqrtdk.tensor(x.toArray(), x.shape);
        layer.zeroGrad();
        layer.forward(copy, copy, copy, { mask });
        copy.view().array.fill(NaN);
        copy.dispose();
        after();
        layer.backward(x);
        return layer.gradients()["in_proj_weight"]!.data;
      };
      const expected = gradient(() => undefined);
      expect(expected.every(Number.isFinite)).toBe(true);
      expect(gradient(() => sqrtdk.tensor(new Float32Array(24).fill(NaN), [24]))).toEqual(expected);
    });
  });

  it("are the same with packed weights, which repeated forward passes have", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer(small);
      const x = sqrtdk.random.randn([1, 3, 8]);
      const once = () => {
        const out = layer.forward(x).toArray();
        layer.zeroGrad();
        layer.backward(x);
        return { out, gradients: layer.gradients() };
      };
      const run = () => [once(), once(), once()];
      const [first, second, third] = run();
      expect(second).toEqual(first);
      expect(third).toEqual(first);
      const dict = layer.stateDict();
      layer.loadStateDict(
        Object.fromEntries(
          Object.entries(dict).map(([name, { data, shape }]) => [
            name,
            { data: data.map((value) => 2 * value), shape },
          ]),
        ),
      );
      const changed = run();
      expect(changed[0]?.out).not.toEqual(first?.out);
      expect(changed[2]).toEqual(changed[0]);
    });
  });
});

describe("what goes wrong", () => {
  it("is said, and changes nothing", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer(small);
      const decoder = new sqrtdk.nn.DecoderLayer(small);
      const embedding = new sqrtdk.nn.Embedding({ vocab: 4, dModel: 3 });
      const [x, narrow] = [sqrtdk.random.randn([2, 3, 8]), sqrtdk.random.randn([2, 3, 7])];
      const before = layer.stateDict();
      for (const [action, operator, argument] of [
        [() => layer.forward(narrow), "EncoderLayer", "x"],
        [() => layer.forward({ data: [1], shape: [1] }), "EncoderLayer", "x"],
        [() => decoder.forward(narrow, x), "DecoderLayer", "x"],
        [() => decoder.forward(x, narrow), "DecoderLayer", "memory"],
        [() => layer.forward(x, { out: narrow }), "EncoderLayer", "out"],
        [() => layer.forward(x, { mask: { data: [1, 1], shape: [2] } }), undefined, "mask"],
        [() => (layer.forward(x), layer.backward(narrow)), "EncoderLayer.backward", "dout"],
        [() => new sqrtdk.nn.Linear({ nIn: 2, nOut: 1 }).forward(x), "Linear", "x"],
        [() => new sqrtdk.nn.LayerNorm({ dModel: 2 }).forward(x), "LayerNorm", "x"],
      ] as const) {
        const error = thrown(action);
        expect(error).toBeInstanceOf(ShapeError);
        expect(error.argument).toBe(argument);
        if (operator) expect(error.operator).toBe(operator);
      }
      expect(layer.stateDict()).toEqual(before);
      expect(Object.values(layer.gradients()).every(({ data }) => data.every((value) => value === 0))).toBe(
        true,
      );
      expect(thrown(() => embedding.forward([0, 4]))).toBeInstanceOf(ValueError);
      for (const step of [-1, 0.5, NaN]) {
        expect(thrown(() => layer.forward(x, { training: true, step }))).toMatchObject({ argument: "step" });
      }
      expect(thrown(() => layer.intermediate("nothing"))).toMatchObject({
        code: "unknown_name",
        got: "nothing",
      });
      layer.forward(x);
      expect(() => layer.forward(narrow)).toThrow();
      expect(thrown(() => layer.backward(x))).toBeInstanceOf(ValueError); // the last forward pass failed
    });
  });

  it("is an invalid configuration", () => {
    for (const [action, argument] of [
      [() => new sqrtdk.nn.EncoderLayer({ dModel: 10, nHeads: 3 }), "nHeads"],
      [() => new sqrtdk.nn.EncoderLayer({ dModel: 0, nHeads: 1 }), "dModel"],
      [() => new sqrtdk.nn.EncoderLayer({ dModel: 8.5, nHeads: 1 }), "dModel"],
      [() => new sqrtdk.nn.EncoderLayer({ dModel: 8, nHeads: NaN }), "nHeads"],
      [() => new sqrtdk.nn.EncoderLayer({ ...small, scale: NaN }), "scale"],
      [() => new sqrtdk.nn.EncoderLayer({ ...small, scale: 1e39 }), "scale"],
      [() => new sqrtdk.nn.EncoderLayer({ ...small, softcap: -1 }), "softcap"],
      [() => new sqrtdk.nn.EncoderLayer({ ...small, epsilon: -1 }), "epsilon"],
      [() => new sqrtdk.nn.EncoderLayer({ ...small, bias: null as unknown as boolean }), "bias"],
      [() => new sqrtdk.nn.EncoderLayer({ ...small, activation: "elu" as "relu" }), "activation"],
      [() => new sqrtdk.nn.Linear({ nIn: 1, nOut: 1, init: null as unknown as "pytorch" }), "init"],
      [() => new sqrtdk.nn.Linear({ nIn: 1, nOut: 1, init: 5 as unknown as "pytorch" }), "init"],
      [() => new sqrtdk.nn.TransformerEncoder({ ...small, nLayers: 0 }), "nLayers"],
      [() => new sqrtdk.nn.Linear({ nIn: 1e9, nOut: 1 }), "nIn"],
      [() => new sqrtdk.nn.Linear({ nIn: 1, nOut: 1, seed: -1 }), "seed"],
    ] as const) {
      const error = thrown(action);
      expect(error).toBeInstanceOf(ValueError);
      expect(error.argument).toBe(argument);
    }
    expect(thrown(() => new sqrtdk.nn.Linear({ nIn: 2 ** 20, nOut: 2 ** 16 }))).toMatchObject({
      code: "out_of_memory",
    });
  });

  it("is not an option that is null", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer(small);
      const x = sqrtdk.random.randn([1, 3, 8]);
      const nothing = { mask: null, bias: null, lengths: null } as never;
      expect(layer.forward(x, nothing).toArray()).toEqual(layer.forward(x).toArray());
    });
  });

  it("is an invalid option", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer(small);
      const x = sqrtdk.random.randn([1, 3, 8]);
      for (const options of [
        { scale: 1e39 },
        { softcap: NaN },
        { nPast: 0.5 },
        { step: -1 },
        { training: null as unknown as boolean },
        { explain: 1 as unknown as boolean },
      ]) {
        const error = thrown(() => layer.forward(x, options));
        expect(error).toBeInstanceOf(ValueError);
        expect(error.argument).toBe(Object.keys(options)[0]);
      }
    });
  });

  it("is the use of a layer that was disposed", () => {
    const layer = new sqrtdk.nn.Linear({ nIn: 2, nOut: 1 });
    const handle = layer.handle;
    layer.dispose();
    layer.dispose();
    expect(layer.disposed).toBe(true);
    const x = { data: [1, 2], shape: [1, 2] };
    for (const action of [
      () => layer.forward(x),
      () => layer.backward(x),
      () => layer.stateDict(),
      () => layer.save(),
      () => layer.zeroGrad(),
      () => layer.intermediates(),
    ]) {
      expect(thrown(action)).toBeInstanceOf(DisposedError);
    }
    const next = new sqrtdk.nn.Linear({ nIn: 2, nOut: 1 });
    expect(next.handle).not.toBe(handle); // a handle is never used again
    next.dispose();
  });

  it("is a handle that C++ does not know", async () => {
    const border = new Border(await startModule());
    for (const handle of [0, -1, 1e15, NaN]) {
      const error = thrown(() => border.call("layer", clearGradients, { layer: handle }));
      expect(error).toMatchObject({ name: "ValueError", code: "unknown_name", operator: "layer" });
    }
    border.call("layer", releaseObject, { handle: 17 });
  });
});

describe("an `out` that was disposed", () => {
  it("leaves the last forward pass as it was", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer(small);
      const x = sqrtdk.random.randn([1, 3, 8]);
      layer.forward(x);
      const once = layer.backward(x).toArray();
      const out = sqrtdk.random.randn([1, 3, 8]);
      out.dispose();
      expect(thrown(() => layer.forward(x, { out }))).toBeInstanceOf(DisposedError);
      expect(layer.backward(x).toArray()).toEqual(once);
    });
  });
});

describe("scope", () => {
  it("disposes layers and keeps what is returned", () => {
    let inner: Layer | undefined;
    const { kept } = sqrtdk.scope(() => {
      inner = new sqrtdk.nn.Linear({ nIn: 1, nOut: 1 });
      return { kept: new sqrtdk.nn.Linear({ nIn: 1, nOut: 1 }) };
    });
    expect([inner?.disposed, kept.disposed]).toEqual([true, false]);
    kept.dispose();
  });
});

describe("memory", () => {
  it("does not grow with passes, failed ones included", async () => {
    const border = new Border(await startModule());
    const memory = new TensorMemory(border);
    const { EncoderLayer, Linear } = makeNn(memory);
    const { LanguageModel } = makeModels(memory);
    const size = (): number => border.raw.bytes(0, 1).buffer.byteLength;
    const x = { data: new Float32Array(2 * 10 * 64), shape: [2, 10, 64] };
    const config = { dModel: 64, nHeads: 4, dropout: 0.1 };
    const once = (
      layer: Layer & { forward(x: unknown, options?: object): Tensor; backward(x: unknown): Tensor },
    ): void =>
      memory.scope(() => {
        for (const training of [true, false]) {
          layer.forward(x, { training, explain: true });
          layer.backward(x);
        }
        layer.load(layer.save({ dtype: "bf16" }));
        layer.loadStateDict(layer.stateDict());
        expect(() => layer.forward({ data: [1], shape: [1] })).toThrow();
        expect(() => new Linear({ nIn: 256, nOut: 256, init: { normal: -1 } })).toThrow();
        const model = new LanguageModel({ ...config, vocab: 9, context: 8, nLayers: 1 });
        model.generate([1], { steps: 3 });
        model.nll([1, 2, 3]);
      });
    const layer = new EncoderLayer(config) as never;
    for (let i = 0; i < 3; ++i) once(layer);
    const before = size();
    for (let i = 0; i < 200; ++i) once(layer);
    const big = new BigInt64Array(2 ** 16) as unknown as number[];
    for (let i = 0; i < 200; ++i) expect(() => memory.from("tensor", "data", big, [2 ** 16])).toThrow();
    expect(size()).toBe(before);
  });
});
