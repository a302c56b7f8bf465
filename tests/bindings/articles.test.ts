// The code examples of article 5 (web/content/en/articles/5.md), as they are written there in shape
// and meaning.
import { beforeAll, describe, expect, it } from "vitest";
import { load } from "../../bindings/entry/full.ts";
import type { Sqrtdk } from "../../bindings/entry/full.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const mean = (values: Float32Array): number => values.reduce((sum, x) => sum + x, 0) / values.length;

describe("the examples of article 5", () => {
  it("encoder layer: (2, 10, 512), 8 heads, d_ff 2048", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer({ dModel: 512, nHeads: 8, dFf: 2048, dropout: 0.1 });
      const x = sqrtdk.random.randn([2, 10, 512], { seed: 1 });
      const out = layer.forward(x);
      expect(out.shape).toEqual([2, 10, 512]);
      const row = out.toArray().slice(0, 512); // after the last norm
      expect(Math.abs(mean(row))).toBeLessThan(1e-6);
      expect(mean(row.map((value) => value * value))).toBeCloseTo(1, 3);
      const count = layer.parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
      expect(count).toBe(3152384); // as PyTorch's TransformerEncoderLayer(512, 8, 2048)
      expect(layer.parameters.map(({ name }) => name)).toContain("self_attn.in_proj_weight");

      layer.forward(x, { training: true, step: 1 });
      const [one, two] = [1, 2].map((step) => layer.forward(x, { training: true, step }).toArray());
      expect(one).not.toEqual(two);
      expect(layer.forward(x, { training: true, step: 1 }).toArray()).toEqual(one);
      expect(layer.forward(x).toArray()).toEqual(out.toArray());
    });
  });

  it("decoder layer with the encoder's output", () => {
    sqrtdk.scope(() => {
      const config = { dModel: 512, nHeads: 8, dFf: 2048 };
      const [encoder, decoder] = [new sqrtdk.nn.EncoderLayer(config), new sqrtdk.nn.DecoderLayer(config)];
      const [source, target] = [
        sqrtdk.random.randn([2, 10, 512]),
        sqrtdk.random.randn([2, 8, 512], { stream: 1 }),
      ];
      const memory = encoder.forward(source);
      const out = decoder.forward(target, memory, { explain: true });
      expect(out.shape).toEqual([2, 8, 512]);
      const own = decoder.intermediate("self_attn.weights");
      expect(own.shape).toEqual([2, 8, 8, 8]);
      own.data.forEach((weight, i) => {
        if (i % 8 > Math.floor(i / 8) % 8) expect(weight).toBe(0); // a token sees no later one
      });
      expect(decoder.intermediate("multihead_attn.weights").shape).toEqual([2, 8, 8, 10]);

      decoder.forward(target, memory, { self: { causal: "none" }, explain: true });
      expect(decoder.intermediate("self_attn.weights").data.every((weight) => weight > 0)).toBe(true);
    });
  });

  it("multi-head attention that returns its weights", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.MultiHeadAttention({ dModel: 512, nHeads: 8 });
      const x = sqrtdk.random.randn([2, 10, 512]);
      const { out, weights } = layer.forward(x, x, x, { returnWeights: true });
      expect(out.shape).toEqual([2, 10, 512]);
      expect(weights.shape).toEqual([2, 8, 10, 10]);
      for (let row = 0; row < 160; ++row) {
        const sum = weights
          .toArray()
          .slice(10 * row, 10 * row + 10)
          .reduce((total, weight) => total + weight, 0);
        expect(sum).toBeCloseTo(1, 5);
      }
      layer
        .forward(x, x, x)
        .toArray()
        .forEach((value, i) => expect(value).toBeCloseTo(out.toArray()[i]!, 5));
    });
  });

  it("positional encoding 100 x 512", () => {
    sqrtdk.scope(() => {
      const positions = sqrtdk.ops.positionalEncoding(100, 512);
      expect(positions.shape).toEqual([100, 512]);
      const data = positions.toArray();
      for (const [position, i] of [
        [0, 0],
        [1, 0],
        [7, 33],
        [99, 255],
      ] as const) {
        const angle = position / 10000 ** ((2 * i) / 512);
        expect(data[position * 512 + 2 * i]).toBeCloseTo(Math.sin(angle), 6);
        expect(data[position * 512 + 2 * i + 1]).toBeCloseTo(Math.cos(angle), 6);
      }
    });
  });

  it("the whole Transformer", () => {
    sqrtdk.scope(() => {
      const config = { dModel: 64, nHeads: 4, nEncoderLayers: 2, nDecoderLayers: 2 };
      const layer = new sqrtdk.nn.Transformer({ ...config, init: "xavier_uniform" });
      const [source, target] = [
        sqrtdk.random.randn([2, 10, 64]),
        sqrtdk.random.randn([2, 7, 64], { stream: 1 }),
      ];
      expect(layer.forward(source, target).shape).toEqual([2, 7, 64]);
      const { dsource, dtarget } = layer.backward(sqrtdk.random.randn([2, 7, 64], { stream: 2 }));
      expect([dsource.shape, dtarget.shape]).toEqual([source.shape, target.shape]);
    });
  });
});
