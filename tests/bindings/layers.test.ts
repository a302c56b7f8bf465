// Each layer against the plain reference: values, the gradient of every input and of every parameter.
import { beforeAll, describe, expect, it } from "vitest";
import { Tensor } from "../../bindings/api/tensor.ts";
import { load } from "../../bindings/entry/full.ts";
import type { Layer, Sqrtdk, Values } from "../../bindings/entry/full.ts";
import * as reference from "./layer_reference.ts";
import type { Rows, Weights } from "./layer_reference.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const [n, n_memory, dModel, nHeads, dFf, vocab] = [3, 4, 4, 2, 6, 7];
const small = { dModel, nHeads, dFf, seed: 5 };
let stream = 0;
const draw = (...shape: number[]): Tensor => sqrtdk.random.randn(shape, { seed: 3, stream: ++stream });

/** Parameters that are no special ones: as drawn, plus noise. */
function stir(layer: Layer): void {
  const dict = Object.entries(layer.stateDict()).map(([name, { data, shape }], i) => {
    const noise = sqrtdk.random.randn(shape, { seed: 4, stream: i }).toArray();
    return [name, { data: data.map((value, j) => value + 0.2 * noise[j]!), shape }];
  });
  expect(layer.loadStateDict(Object.fromEntries(dict) as Record<string, Values>)).toEqual({
    missingKeys: [],
    unexpectedKeys: [],
  });
}

const largest = (got: ArrayLike<number>, expected: ArrayLike<number>): number => {
  expect(got.length).toBe(expected.length);
  return Math.max(...Array.from(expected, (x, i) => Math.abs(x - got[i]!) / (1 + Math.abs(x))));
};

interface Case {
  readonly layer: Layer;
  readonly inputs: Readonly<Record<string, Tensor>>;
  /** With dout; returns out and what backward gave. */
  run(dout: Tensor): { out: Tensor; dinputs: Readonly<Record<string, Tensor>> };
  /** inputs and parameters -> rows of out */
  exact(inputs: Readonly<Record<string, Rows>>, weights: Weights): Rows;
  readonly shape: readonly number[];
}

function check({ layer, inputs, run, exact, shape }: Case): void {
  stir(layer);
  const dout = draw(...shape);
  const { out, dinputs } = run(dout);
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, given]) => [
      name,
      given instanceof Tensor ? { data: given.toArray(), shape: given.shape } : given,
    ]),
  );
  const all = { ...layer.stateDict(), ...(values as Record<string, Values>) };
  const rows = (given: Weights): number[] => {
    const x = Object.keys(inputs).map((name) => [
      name,
      reference.rowsOf(given[name]!.data, given[name]!.shape.at(-1)!),
    ]);
    return exact(Object.fromEntries(x) as Record<string, Rows>, given).flat();
  };
  expect(out.shape).toEqual(shape);
  expect(largest(out.toArray(), rows(all))).toBeLessThan(1e-5);
  const expected = reference.gradients(all, (given) => reference.dot(rows(given), dout.toArray()));
  const got = { ...layer.gradients(), ...dinputs };
  expect(Object.keys(got).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, gradient] of Object.entries(expected)) {
    const found = got[name]!;
    expect(largest(found instanceof Tensor ? found.toArray() : found.data, gradient), name).toBeLessThan(
      1e-4,
    );
  }
}

describe("agrees with the reference, forward and backward", () => {
  it("linear", () => {
    sqrtdk.scope(() => {
      const [layer, x] = [new sqrtdk.nn.Linear({ nIn: 5, nOut: 7 }), draw(2, 3, 5)];
      check({
        layer,
        inputs: { x },
        shape: [2, 3, 7],
        run: (dout) => ({ out: layer.forward(x), dinputs: { x: layer.backward(dout) } }),
        exact: ({ x }, w) => reference.linear(x!, w, "weight", "bias"),
      });
    });
  });

  it("norm", () => {
    sqrtdk.scope(() => {
      const [layer, x] = [new sqrtdk.nn.LayerNorm({ dModel: 5 }), draw(3, 5)];
      check({
        layer,
        inputs: { x },
        shape: [3, 5],
        run: (dout) => ({ out: layer.forward(x), dinputs: { x: layer.backward(dout) } }),
        exact: ({ x }, w) => reference.norm(x!, { "n.weight": w["weight"]!, "n.bias": w["bias"]! }, "n"),
      });
    });
  });

  it("FeedForward", () => {
    sqrtdk.scope(() => {
      const [layer, x] = [new sqrtdk.nn.FeedForward({ dModel, dFf }), draw(n, dModel)];
      check({
        layer,
        inputs: { x },
        shape: [n, dModel],
        run: (dout) => ({ out: layer.forward(x), dinputs: { x: layer.backward(dout) } }),
        exact: ({ x }, w) => reference.feedForward(x!, w),
      });
    });
  });

  it("MultiHeadAttention", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.MultiHeadAttention({ dModel, nHeads });
      const [query, key] = [draw(1, n, dModel), draw(1, n_memory, dModel)];
      check({
        layer,
        inputs: { query, key },
        shape: [1, n, dModel],
        run: (dout) => {
          const out = layer.forward(query, key, key);
          const { dquery, dkey, dvalue } = layer.backward(dout);
          const both = dkey.toArray().map((x, i) => x + dvalue.toArray()[i]!);
          return { out, dinputs: { query: dquery, key: sqrtdk.tensor(both, key.shape) } };
        },
        exact: ({ query, key }, w) => reference.attention(query!, key!, w, "", nHeads),
      });
    });
  });

  it.each([true, false])("encoder_layer, norm_first: %s", (normFirst) => {
    sqrtdk.scope(() => {
      const [layer, x] = [new sqrtdk.nn.EncoderLayer({ ...small, normFirst }), draw(1, n, dModel)];
      check({
        layer,
        inputs: { x },
        shape: x.shape,
        run: (dout) => ({ out: layer.forward(x), dinputs: { x: layer.backward(dout) } }),
        exact: ({ x }, w) => reference.encoderLayer(x!, w, nHeads, normFirst),
      });
    });
  });

  it.each([true, false])("decoder_layer, norm_first: %s", (normFirst) => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.DecoderLayer({ ...small, normFirst });
      const [x, memory] = [draw(1, n, dModel), draw(1, n_memory, dModel)];
      check({
        layer,
        inputs: { x, memory },
        shape: x.shape,
        run: (dout) => {
          const out = layer.forward(x, memory);
          const { dx, dmemory } = layer.backward(dout);
          return { out, dinputs: { x: dx, memory: dmemory } };
        },
        exact: ({ x, memory }, w) => reference.decoderLayer(x!, memory!, w, nHeads, normFirst),
      });
    });
  });

  it("transformer_encoder and transformer_decoder", () => {
    sqrtdk.scope(() => {
      const encoder = new sqrtdk.nn.TransformerEncoder({ ...small, nLayers: 2, normFirst: true });
      const x = draw(1, n, dModel);
      const stack = (y: Rows, w: Weights, layer: (y: Rows, w: Weights) => Rows): Rows =>
        ["layers.0.", "layers.1."].reduce((z, name) => layer(z, reference.inside(w, name)), y);
      check({
        layer: encoder,
        inputs: { x },
        shape: x.shape,
        run: (dout) => ({ out: encoder.forward(x), dinputs: { x: encoder.backward(dout) } }),
        exact: ({ x }, w) =>
          reference.norm(
            stack(x!, w, (y, own) => reference.encoderLayer(y, own, nHeads, true)),
            w,
            "norm",
          ),
      });
      const decoder = new sqrtdk.nn.TransformerDecoder({ ...small, nLayers: 2 });
      const memory = draw(1, n_memory, dModel);
      check({
        layer: decoder,
        inputs: { x, memory },
        shape: x.shape,
        run: (dout) => {
          const out = decoder.forward(x, memory);
          const { dx, dmemory } = decoder.backward(dout);
          return { out, dinputs: { x: dx, memory: dmemory } };
        },
        exact: ({ x, memory }, w) =>
          stack(x!, w, (y, own) => reference.decoderLayer(y, memory!, own, nHeads)),
      });
    });
  });

  it("transformer", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.Transformer({ ...small, nEncoderLayers: 1, nDecoderLayers: 1 });
      const [source, target] = [draw(1, n_memory, dModel), draw(1, n, dModel)];
      check({
        layer,
        inputs: { source, target },
        shape: target.shape,
        run: (dout) => {
          const out = layer.forward(source, target);
          const { dsource, dtarget } = layer.backward(dout);
          return { out, dinputs: { source: dsource, target: dtarget } };
        },
        exact: ({ source, target }, w) => {
          const own = (name: string): Weights => reference.inside(w, `${name}.layers.0.`);
          const memory = reference.norm(
            reference.encoderLayer(source!, own("encoder"), nHeads),
            w,
            "encoder.norm",
          );
          return reference.norm(
            reference.decoderLayer(target!, memory, own("decoder"), nHeads),
            w,
            "decoder.norm",
          );
        },
      });
    });
  });

  it("token_embedding and language_model", () => {
    const ids = [4, 0, 6];
    sqrtdk.scope(() => {
      const embedding = new sqrtdk.nn.Embedding({ vocab, dModel });
      check({
        layer: embedding,
        inputs: {},
        shape: [n, dModel],
        run: (dout) => {
          const out = embedding.forward(ids);
          embedding.backward(dout);
          return { out, dinputs: {} };
        },
        exact: (_, w) => ids.map((id) => reference.rowsOf(w["weight"]!.data, dModel)[id]!),
      });
      const config = { ...small, vocab, context: 5, nLayers: 1, tied: false, positions: "learned" } as const;
      const model = new sqrtdk.models.LanguageModel(config);
      check({
        layer: model,
        inputs: {},
        shape: [1, n, vocab],
        run: (dout) => {
          const out = model.forward(ids);
          model.backward(dout);
          return { out, dinputs: {} };
        },
        exact: (_, w) => {
          const rows = (name: string): number[][] => reference.rowsOf(w[name]!.data, dModel);
          const x = ids.map((id) => rows("embedding.weight")[id]!);
          const y = reference.add(x, rows("positions.weight").slice(0, n));
          const z = reference.encoderLayer(y, reference.inside(w, "layers.0."), nHeads, false, true);
          return reference.linear(reference.norm(z, w, "norm"), w, "head.weight", "head.bias");
        },
      });
    });
  });
});
