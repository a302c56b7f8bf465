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
const bits = (...tensors: readonly Tensor[]): number[][] => tensors.map(({ data }) => [...data]);

describe.each(widths)("at d_k = %i", (d) => {
  const inputs = (): [Tensor, Tensor, Tensor] => [
    sqrtdk.randn([2, 5, d], { seed: 1 }),
    sqrtdk.randn([2, 7, d], { seed: 2 }),
    sqrtdk.randn([2, 7, 4], { seed: 3 }),
  ];

  it("attention takes every name, with and without the weights", () => {
    sqrtdk.scope(() => {
      const [q, k, v] = inputs();
      const tiled = sqrtdk.attention(q, k, v);
      const seen = sqrtdk.attention(q, k, v, { return_weights: true });
      for (const scale of own) {
        expect(bits(sqrtdk.attention(q, k, v, { scale }))).toEqual(bits(tiled));
        const { out, weights, scores } = sqrtdk.attention(q, k, v, { scale, return_weights: true });
        expect(bits(out, weights, scores)).toEqual(bits(seen.out, seen.weights, seen.scores));
      }
      for (const [scale, factor] of Object.entries(factors)) {
        const number = sqrtdk.attention(q, k, v, { scale: factor(d) });
        expect(bits(sqrtdk.attention(q, k, v, { scale })), scale).toEqual(bits(number));
      }
    });
  });

  it("attention_backward takes every name", () => {
    sqrtdk.scope(() => {
      const [q, k, v] = inputs();
      const dout = sqrtdk.randn([2, 5, 4], { seed: 4 });
      const gradients = (scale?: number | string): number[][] => {
        const options = scale === undefined ? {} : { scale };
        const seen = sqrtdk.attention(q, k, v, { ...options, return_weights: true });
        const tiled = sqrtdk.attention(q, k, v, { ...options, return_stats: true });
        return [seen, tiled].flatMap((forward) => {
          const { dq, dk, dv } = sqrtdk.attention_backward(q, k, v, forward, dout, options);
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
      const heads = { d_model: 6, n_heads: 2, d_head: d };
      const x = sqrtdk.randn([1, 3, 6], { seed: 5 });
      const [attention, decoder] = [sqrtdk.multi_head_attention(heads), sqrtdk.decoder_layer(heads)];
      const layer = sqrtdk.encoder_layer(heads);
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
      const x = sqrtdk.randn([1, 3, 6], { seed: 5 });
      const passes = (scale?: number | string): number[][] => {
        const heads = { d_model: 6, n_heads: 2, d_head: d, ...(scale !== undefined && { scale }) };
        const sizes = { vocab: 11, context: 8, n_layers: 1 };
        return bits(
          sqrtdk.multi_head_attention(heads).forward(x, x, x),
          sqrtdk.encoder_layer(heads).forward(x),
          sqrtdk.transformer_encoder({ ...heads, n_layers: 2 }).forward(x),
          sqrtdk.transformer({ ...heads, n_encoder_layers: 1, n_decoder_layers: 1 }).forward(x, x),
          sqrtdk.language_model({ ...heads, ...sizes }).forward([1, 2, 3]),
        );
      };
      for (const scale of own) expect(passes(scale)).toEqual(passes());
      for (const [scale, factor] of Object.entries(factors))
        expect(passes(scale), scale).toEqual(passes(factor(d)));
    });
  });

  it("models generate, decode and tell likelihoods with every name", () => {
    sqrtdk.scope(() => {
      const config = { d_model: 6, n_heads: 2, d_head: d, n_layers: 1, vocab: 11, context: 8 };
      const model = sqrtdk.language_model({ ...config, init: { normal: 1 }, seed: 6 });
      const passes = (scale?: number | string): unknown => {
        const options = scale === undefined ? {} : { scale };
        return [
          model.generate([1, 2], options),
          model.nll([1, 5, 2, 9], options),
          bits(model.decode([3, 4], model.make_cache(), options), model.forward([3, 4], options)),
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
      const heads = { d_model: 2, n_heads: 1 };
      const model = sqrtdk.language_model({ ...heads, n_layers: 1, vocab: 2, context: 4 });
      const seen = sqrtdk.attention(x, x, x, { return_weights: true });
      const calls: Readonly<Record<string, (options: { scale: string }) => unknown>> = {
        attention: (o) => sqrtdk.attention(x, x, x, o),
        attention_backward: (o) => sqrtdk.attention_backward(x, x, x, seen, x, o),
        generate: (o) => model.generate([1], o),
        nll: (o) => model.nll([1, 0], o),
        decode: (o) => model.decode([1], model.make_cache(), o),
        language_model: (o) => model.forward([1], o),
        encoder_layer: (o) => sqrtdk.encoder_layer(heads).forward(x, o),
        norm: (o) => sqrtdk.norm({ d_model: 2 }).forward(x, o),
        multi_head_attention: (o) => sqrtdk.multi_head_attention({ ...heads, ...o }),
        transformer: (o) => sqrtdk.transformer({ ...heads, n_encoder_layers: 1, n_decoder_layers: 1, ...o }),
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
