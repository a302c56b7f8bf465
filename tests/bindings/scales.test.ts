// The names of scales: the bits that the kernels' own factor and the same numbers give, wherever a scale is an option.
import { beforeAll, describe, expect, it } from "vitest";
import { load } from "../../bindings/entry/full.ts";
import type { Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const widths = [1, 3, 8, 64, 96, 100];
/** What a name stands for at d, rounded to float once. */
const factors: Readonly<Record<string, (d: number) => number>> = {
  none: () => 1,
  "1/d": (d) => Math.fround(1 / d),
  "1/sqrt(d)": (d) => Math.fround(1 / Math.sqrt(d)),
  "1/(2*sqrt(d))": (d) => Math.fround(0.5 / Math.sqrt(d)),
  " 1 / d ": (d) => Math.fround(1 / d),
  "0.125": () => 0.125,
};
const own = ["default", "1/sqrt(d)"];
const bits = (...tensors: readonly Tensor[]): number[][] => tensors.map((tensor) => [...tensor.toArray()]);

describe.each(widths)("at d_k = %i", (d) => {
  const inputs = (): [Tensor, Tensor, Tensor] => [
    sqrtdk.random.randn([2, 5, d], { seed: 1 }),
    sqrtdk.random.randn([2, 7, d], { seed: 2 }),
    sqrtdk.random.randn([2, 7, 4], { seed: 3 }),
  ];

  it("attention takes every name, with and without the weights", () => {
    sqrtdk.scope(() => {
      const [q, k, v] = inputs();
      const tiled = sqrtdk.ops.attention(q, k, v);
      const seen = sqrtdk.ops.attention(q, k, v, { returnWeights: true });
      for (const scale of own) {
        expect(bits(sqrtdk.ops.attention(q, k, v, { scale }))).toEqual(bits(tiled));
        const { out, weights, scores } = sqrtdk.ops.attention(q, k, v, { scale, returnWeights: true });
        expect(bits(out, weights, scores)).toEqual(bits(seen.out, seen.weights, seen.scores));
      }
      for (const [scale, factor] of Object.entries(factors)) {
        const number = sqrtdk.ops.attention(q, k, v, { scale: factor(d) });
        expect(bits(sqrtdk.ops.attention(q, k, v, { scale })), scale).toEqual(bits(number));
      }
    });
  });

  it("attention_backward takes every name", () => {
    sqrtdk.scope(() => {
      const [q, k, v] = inputs();
      const dout = sqrtdk.random.randn([2, 5, 4], { seed: 4 });
      const gradients = (scale?: number | string): number[][] => {
        const options = scale === undefined ? {} : { scale };
        const seen = sqrtdk.ops.attention(q, k, v, { ...options, returnWeights: true });
        const tiled = sqrtdk.ops.attention(q, k, v, { ...options, returnStats: true });
        return [seen, tiled].flatMap((forward) => {
          const { dq, dk, dv } = sqrtdk.ops.attentionBackward(q, k, v, forward, dout, options);
          return bits(dq, dk, dv);
        });
      };
      for (const scale of own) expect(gradients(scale)).toEqual(gradients());
      for (const [scale, factor] of Object.entries(factors))
        expect(gradients(scale), scale).toEqual(gradients(factor(d)));
    });
  });

  it("layers take the dimension of a head", () => {
    sqrtdk.scope(() => {
      const heads = { dModel: 6, nHeads: 2, dHead: d };
      const x = sqrtdk.random.randn([1, 3, 6], { seed: 5 });
      const [attention, decoder] = [
        new sqrtdk.nn.MultiHeadAttention(heads),
        new sqrtdk.nn.DecoderLayer(heads),
      ];
      const layer = new sqrtdk.nn.EncoderLayer(heads);
      const passes = (scale?: number | string): number[][] => {
        const options = scale === undefined ? {} : { scale };
        return bits(
          attention.forward(x, x, x, options),
          layer.forward(x, options),
          decoder.forward(x, x, { self: options, cross: options }),
        );
      };
      for (const scale of own) expect(passes(scale)).toEqual(passes());
      for (const [scale, factor] of Object.entries(factors))
        expect(passes(scale), scale).toEqual(passes(factor(d)));
    });
  });

  it("configs take every name", () => {
    sqrtdk.scope(() => {
      const x = sqrtdk.random.randn([1, 3, 6], { seed: 5 });
      const passes = (scale?: number | string): number[][] => {
        const heads = { dModel: 6, nHeads: 2, dHead: d, ...(scale !== undefined && { scale }) };
        const sizes = { vocab: 11, context: 8, nLayers: 1 };
        return bits(
          new sqrtdk.nn.MultiHeadAttention(heads).forward(x, x, x),
          new sqrtdk.nn.EncoderLayer(heads).forward(x),
          new sqrtdk.nn.TransformerEncoder({ ...heads, nLayers: 2 }).forward(x),
          new sqrtdk.nn.Transformer({ ...heads, nEncoderLayers: 1, nDecoderLayers: 1 }).forward(x, x),
          new sqrtdk.models.LanguageModel({ ...heads, ...sizes }).forward([1, 2, 3]),
        );
      };
      for (const scale of own) expect(passes(scale)).toEqual(passes());
      for (const [scale, factor] of Object.entries(factors))
        expect(passes(scale), scale).toEqual(passes(factor(d)));
    });
  });

  it("models generate, decode and tell likelihoods with every name", () => {
    sqrtdk.scope(() => {
      const config = { dModel: 6, nHeads: 2, dHead: d, nLayers: 1, vocab: 11, context: 8 };
      const model = new sqrtdk.models.LanguageModel({ ...config, init: { normal: 1 }, seed: 6 });
      const passes = (scale?: number | string): unknown => {
        const options = scale === undefined ? {} : { scale };
        return [
          model.generate([1, 2], options),
          model.nll([1, 5, 2, 9], options),
          bits(model.decode([3, 4], model.makeCache(), options), model.forward([3, 4], options)),
        ];
      };
      for (const scale of own) expect(passes(scale)).toEqual(passes());
      for (const [scale, factor] of Object.entries(factors))
        expect(passes(scale), scale).toEqual(passes(factor(d)));
    });
  });
});

describe("an unknown name", () => {
  const x = { data: [1, 2, 3, 4], shape: [1, 2, 2] };
  const known = "default, none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, number";

  it("is refused by whoever was given it", () => {
    sqrtdk.scope(() => {
      const heads = { dModel: 2, nHeads: 1 };
      const model = new sqrtdk.models.LanguageModel({ ...heads, nLayers: 1, vocab: 2, context: 4 });
      const { scores, weights } = sqrtdk.ops.attention(x, x, x, { returnWeights: true });
      const seen = { scores, weights }; // without the options that it was made with, which others would contradict
      const calls: Readonly<Record<string, (options: { scale: string }) => unknown>> = {
        attention: (o) => sqrtdk.ops.attention(x, x, x, o),
        attentionBackward: (o) => sqrtdk.ops.attentionBackward(x, x, x, seen, x, o),
        generate: (o) => model.generate([1], o),
        nll: (o) => model.nll([1, 0], o),
        decode: (o) => model.decode([1], model.makeCache(), o),
        LanguageModel: (o) => model.forward([1], o),
        EncoderLayer: (o) => new sqrtdk.nn.EncoderLayer(heads).forward(x, o),
        LayerNorm: (o) => new sqrtdk.nn.LayerNorm({ dModel: 2 }).forward(x, o),
        MultiHeadAttention: (o) => new sqrtdk.nn.MultiHeadAttention({ ...heads, ...o }),
        Transformer: (o) =>
          new sqrtdk.nn.Transformer({ ...heads, nEncoderLayers: 1, nDecoderLayers: 1, ...o }),
      };
      for (const [operator, call] of Object.entries(calls)) {
        for (const scale of ["sqrt(d)", "", "learned", "1/sqrt(d)!"]) {
          expect(
            thrown(() => call({ scale })),
            `${operator} ${scale}`,
          ).toMatchObject({
            name: "ValueError",
            code: "not_a_choice",
            operator,
            argument: "scale",
            expected: known,
            got: scale,
          });
        }
        const long = thrown(() => call({ scale: "1/d".repeat(1e6) }));
        expect(long).toMatchObject({ code: "not_a_choice", operator, argument: "scale" });
        expect(long.message.length).toBeLessThan(500);
        for (const scale of ["inf", "nan"])
          expect(thrown(() => call({ scale }))).toMatchObject({
            name: "ValueError",
            operator,
            argument: "scale",
          });
      }
    });
  });
});
