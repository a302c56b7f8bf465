// What every layer has: gradients, life and death, and errors that change nothing.
import { beforeAll, describe, expect, it } from "vitest";
import { ShapeError, StaleViewError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Layer, Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { startModule } from "./start_module.ts";
import { makeLayers } from "../../bindings/api/make_layers.ts";
import { Border } from "../../bindings/api/raw.ts";
import { clear_gradients, release_object } from "../../bindings/api/signatures.ts";
import { TensorMemory } from "../../bindings/api/tensor.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const small = { d_model: 8, n_heads: 2, d_ff: 12 };
describe("gradients", () => {
  it("add up until zero_grad, and need a forward pass", () => {
    sqrtdk.scope(() => {
      const layer = sqrtdk.encoder_layer(small);
      const x = sqrtdk.randn([1, 3, 8]);
      expect(thrown(() => layer.backward(x))).toMatchObject({
        name: "ValueError",
        operator: "encoder_layer",
      });
      layer.forward(x);
      layer.backward(x);
      const once = layer.gradients()["linear2.bias"]!.data;
      layer.backward(x);
      expect(layer.gradients()["linear2.bias"]!.data).toEqual(once.map((value) => 2 * value));
      layer.zero_grad();
      expect(layer.gradients()["linear2.bias"]!.data.every((value) => value === 0)).toBe(true);
    });
  });

  it("do not depend on what became of the inputs", () => {
    sqrtdk.scope(() => {
      const layer = sqrtdk.multi_head_attention({ d_model: 8, n_heads: 2 });
      const x = sqrtdk.randn([1, 3, 8]);
      const mask = { data: [1, 1, 0], shape: [3] };
      const gradient = (after: () => void): Float32Array => {
        const copy = sqrtdk.tensor(x.data, x.shape);
        layer.zero_grad();
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
      const layer = sqrtdk.encoder_layer(small);
      const x = sqrtdk.randn([1, 3, 8]);
      const once = () => {
        const out = layer.forward(x).data;
        layer.zero_grad();
        layer.backward(x);
        return { out, gradients: layer.gradients() };
      };
      const run = () => [once(), once(), once()];
      const [first, second, third] = run();
      expect(second).toEqual(first);
      expect(third).toEqual(first);
      const dict = layer.state_dict();
      layer.load_state_dict(
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
      const layer = sqrtdk.encoder_layer(small);
      const decoder = sqrtdk.decoder_layer(small);
      const embedding = sqrtdk.token_embedding({ vocab: 4, d_model: 3 });
      const [x, narrow] = [sqrtdk.randn([2, 3, 8]), sqrtdk.randn([2, 3, 7])];
      const before = layer.state_dict();
      for (const [action, operator, argument] of [
        [() => layer.forward(narrow), "encoder_layer", "x"],
        [() => layer.forward({ data: [1], shape: [1] }), "encoder_layer", "x"],
        [() => decoder.forward(narrow, x), "decoder_layer", "x"],
        [() => decoder.forward(x, narrow), "decoder_layer", "memory"],
        [() => layer.forward(x, { out: narrow }), "encoder_layer", "out"],
        [() => layer.forward(x, { mask: { data: [1, 1], shape: [2] } }), undefined, "mask"],
        [() => (layer.forward(x), layer.backward(narrow)), "encoder_layer", "dout"],
        [() => sqrtdk.linear({ n_in: 2, n_out: 1 }).forward(x), "linear", "x"],
        [() => sqrtdk.norm({ d_model: 2 }).forward(x), "norm", "x"],
      ] as const) {
        const error = thrown(action);
        expect(error).toBeInstanceOf(ShapeError);
        expect(error.argument).toBe(argument);
        if (operator) expect(error.operator).toBe(operator);
      }
      expect(layer.state_dict()).toEqual(before);
      expect(Object.values(layer.gradients()).every(({ data }) => data.every((value) => value === 0))).toBe(
        true,
      );
      expect(thrown(() => embedding.forward([0, 4]))).toBeInstanceOf(ValueError);
      for (const step of [-1, 0.5, NaN]) {
        expect(thrown(() => layer.forward(x, { training: true, step }))).toMatchObject({ argument: "step" });
      }
      expect(thrown(() => layer.cache("nothing"))).toMatchObject({ code: "unknown_name", got: "nothing" });
      layer.forward(x);
      expect(() => layer.forward(narrow)).toThrow();
      expect(thrown(() => layer.backward(x))).toBeInstanceOf(ValueError); // the last forward pass failed
    });
  });

  it("is an invalid configuration", () => {
    for (const [action, argument] of [
      [() => sqrtdk.encoder_layer({ d_model: 10, n_heads: 3 }), "n_heads"],
      [() => sqrtdk.encoder_layer({ d_model: 0, n_heads: 1 }), "d_model"],
      [() => sqrtdk.encoder_layer({ d_model: 8.5, n_heads: 1 }), "d_model"],
      [() => sqrtdk.encoder_layer({ d_model: 8, n_heads: NaN }), "n_heads"],
      [() => sqrtdk.encoder_layer({ ...small, scale: NaN }), "scale"],
      [() => sqrtdk.encoder_layer({ ...small, scale: 1e39 }), "scale"],
      [() => sqrtdk.encoder_layer({ ...small, softcap: -1 }), "softcap"],
      [() => sqrtdk.encoder_layer({ ...small, epsilon: -1 }), "epsilon"],
      [() => sqrtdk.encoder_layer({ ...small, bias: null as unknown as boolean }), "bias"],
      [() => sqrtdk.encoder_layer({ ...small, activation: "elu" as "relu" }), "activation"],
      [() => sqrtdk.linear({ n_in: 1, n_out: 1, init: null as unknown as "pytorch" }), "init"],
      [() => sqrtdk.linear({ n_in: 1, n_out: 1, init: 5 as unknown as "pytorch" }), "init"],
      [() => sqrtdk.transformer_encoder({ ...small, n_layers: 0 }), "n_layers"],
      [() => sqrtdk.linear({ n_in: 1e9, n_out: 1 }), "n_in"],
      [() => sqrtdk.linear({ n_in: 1, n_out: 1, seed: -1 }), "seed"],
    ] as const) {
      const error = thrown(action);
      expect(error).toBeInstanceOf(ValueError);
      expect(error.argument).toBe(argument);
    }
    expect(thrown(() => sqrtdk.linear({ n_in: 2 ** 20, n_out: 2 ** 16 }))).toMatchObject({
      code: "out_of_memory",
    });
  });

  it("is not an option that is null", () => {
    sqrtdk.scope(() => {
      const layer = sqrtdk.encoder_layer(small);
      const x = sqrtdk.randn([1, 3, 8]);
      const nothing = { mask: null, bias: null, lengths: null } as never;
      expect(layer.forward(x, nothing).data).toEqual(layer.forward(x).data);
    });
  });

  it("is an invalid option", () => {
    sqrtdk.scope(() => {
      const layer = sqrtdk.encoder_layer(small);
      const x = sqrtdk.randn([1, 3, 8]);
      for (const options of [
        { scale: 1e39 },
        { softcap: NaN },
        { n_past: 0.5 },
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
    const layer = sqrtdk.linear({ n_in: 2, n_out: 1 });
    const handle = layer.handle;
    layer.dispose();
    layer.dispose();
    expect(layer.disposed).toBe(true);
    const x = { data: [1, 2], shape: [1, 2] };
    for (const action of [
      () => layer.forward(x),
      () => layer.backward(x),
      () => layer.state_dict(),
      () => layer.save(),
      () => layer.zero_grad(),
      () => layer.intermediates(),
    ]) {
      expect(thrown(action)).toBeInstanceOf(StaleViewError);
    }
    const next = sqrtdk.linear({ n_in: 2, n_out: 1 });
    expect(next.handle).not.toBe(handle); // a handle is never used again
    next.dispose();
  });

  it("is a handle that C++ does not know", async () => {
    const border = new Border(await startModule());
    for (const handle of [0, -1, 1e15, NaN]) {
      const error = thrown(() => border.call(clear_gradients, { layer: handle }));
      expect(error).toMatchObject({ name: "ValueError", code: "unknown_name", operator: "layer" });
    }
    border.call(release_object, { handle: 17 });
  });
});

describe("an `out` that was disposed", () => {
  it("leaves the last forward pass as it was", () => {
    sqrtdk.scope(() => {
      const layer = sqrtdk.encoder_layer(small);
      const x = sqrtdk.randn([1, 3, 8]);
      layer.forward(x);
      const once = layer.backward(x).data;
      const out = sqrtdk.randn([1, 3, 8]);
      out.dispose();
      expect(thrown(() => layer.forward(x, { out }))).toBeInstanceOf(StaleViewError);
      expect(layer.backward(x).data).toEqual(once);
    });
  });
});

describe("scope", () => {
  it("disposes layers and keeps what is returned", () => {
    let inner: Layer | undefined;
    const { kept } = sqrtdk.scope(() => {
      inner = sqrtdk.linear({ n_in: 1, n_out: 1 });
      return { kept: sqrtdk.linear({ n_in: 1, n_out: 1 }) };
    });
    expect([inner?.disposed, kept.disposed]).toEqual([true, false]);
    kept.dispose();
  });
});

describe("memory", () => {
  it("does not grow with passes, failed ones included", async () => {
    const border = new Border(await startModule());
    const memory = new TensorMemory(border);
    const { encoder_layer, language_model, linear } = makeLayers(memory);
    const size = (): number => border.raw.bytes(0, 1).buffer.byteLength;
    const x = { data: new Float32Array(2 * 10 * 64), shape: [2, 10, 64] };
    const config = { d_model: 64, n_heads: 4, dropout: 0.1 };
    const once = (
      layer: Layer & { forward(x: unknown, options?: object): Tensor; backward(x: unknown): Tensor },
    ): void =>
      memory.scope(() => {
        for (const training of [true, false]) {
          layer.forward(x, { training, explain: true });
          layer.backward(x);
        }
        layer.load(layer.save({ dtype: "bf16" }));
        layer.load_state_dict(layer.state_dict());
        expect(() => layer.forward({ data: [1], shape: [1] })).toThrow();
        expect(() => linear({ n_in: 256, n_out: 256, init: { normal: -1 } })).toThrow();
        const model = language_model({ ...config, vocab: 9, context: 8, n_layers: 1 });
        model.generate([1], { steps: 3 });
        model.nll([1, 2, 3]);
      });
    const layer = encoder_layer(config) as never;
    for (let i = 0; i < 3; ++i) once(layer);
    const before = size();
    for (let i = 0; i < 200; ++i) once(layer);
    const big = new BigInt64Array(2 ** 16) as unknown as number[];
    for (let i = 0; i < 200; ++i) expect(() => memory.from("tensor", "data", big, [2 ** 16])).toThrow();
    expect(size()).toBe(before);
  });
});
