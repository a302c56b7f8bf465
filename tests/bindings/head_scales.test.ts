// A scale for each head: the bits of each head by itself, wherever a scale is an option.
import { beforeAll, describe, expect, it } from "vitest";
import { load } from "../../bindings/entry/full.ts";
import type { Scales, Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const scales = [0.3, "none", "1/d", "-0.7"] as const;
const numbers = [0.3, 1, 1 / 8, -0.7];
const head = (x: Tensor, i: number): Tensor => sqrtdk.ops.slice(x, { axis: 1, start: i, end: i + 1 });

describe("attention", () => {
  it("gives each head the bits of its scale alone, in both forms, and their gradients", () => {
    sqrtdk.scope(() => {
      const { ops, random } = sqrtdk;
      const [q, k] = [random.randn([2, 4, 9, 8], { seed: 1 }), random.randn([2, 4, 7, 8], { seed: 2 })];
      const [v, dout] = [random.randn([2, 4, 7, 5], { seed: 3 }), random.randn([2, 4, 9, 5], { seed: 4 })];
      for (const returned of [{ returnWeights: true }, { returnStats: true }] as const) {
        const all = ops.attention(q, k, v, { ...returned, scale: scales }) as { out: Tensor };
        const back = ops.attentionBackward(q, k, v, all as never, dout, { scale: scales });
        numbers.forEach((scale, i) => {
          const own = [q, k, v].map((x) => head(x, i)) as [Tensor, Tensor, Tensor];
          const one = ops.attention(...own, { ...returned, scale }) as { out: Tensor };
          const gradients = ops.attentionBackward(...own, one as never, head(dout, i), { scale });
          expect(head(all.out, i).toArray()).toEqual(one.out.toArray());
          for (const name of ["dq", "dk", "dv"] as const) {
            expect(head(back[name], i).toArray()).toEqual(gradients[name].toArray());
          }
        });
      }
    });
  });

  it("rounds a number of the list as it rounds one alone", () => {
    sqrtdk.scope(() => {
      const x = sqrtdk.random.randn([2, 3, 4], { seed: 5 });
      const one = sqrtdk.ops.attention(x, x, x, { scale: 0.1 }).toArray();
      for (const scale of [
        [0.1, 0.1],
        ["0.1", 0.1],
        [0.1, " 0.1 "],
      ]) {
        expect(sqrtdk.ops.attention(x, x, x, { scale }).toArray()).toEqual(one);
      }
      const usual = sqrtdk.ops.attention(x, x, x).toArray();
      expect(sqrtdk.ops.attention(x, x, x, { scale: ["default", "1/sqrt(d)"] }).toArray()).toEqual(usual);
    });
  });

  it.each<[Scales, object]>([
    [[1], { name: "ShapeError", argument: "scale", expected: "(2,)", got: "(1,)" }],
    [[1, 2, 3], { name: "ShapeError", argument: "scale", got: "(3,)" }],
    [[], { name: "ValueError", code: "empty", argument: "scale" }],
    [[1, NaN], { name: "ValueError", argument: "scale[1]", got: "NaN" }],
    [[1, "1/e"], { name: "ValueError", argument: "scale", got: "1/e" }],
    [[1, ""], { name: "ValueError", argument: "scale[1]" }],
    [[1, null as never], { name: "ValueError", argument: "scale[1]" }],
    [[[1, 2]] as never, { name: "ValueError", argument: "scale[0]" }],
  ])("refuses %j", (scale, fields) => {
    sqrtdk.scope(() => {
      const x = sqrtdk.random.randn([2, 3, 4], { seed: 5 });
      expect(thrown(() => sqrtdk.ops.attention(x, x, x, { scale }))).toMatchObject({
        operator: "attention",
        ...fields,
      });
    });
  });
});

describe("layers and models", () => {
  const sizes = { dModel: 12, nHeads: 4, dFf: 16, seed: 3 } as const;

  it("take them with a call and from their config", () => {
    sqrtdk.scope(() => {
      const x = sqrtdk.random.randn([1, 6, 12], { seed: 1 });
      const plain = new sqrtdk.nn.EncoderLayer(sizes);
      const scaled = new sqrtdk.nn.EncoderLayer({ ...sizes, scale: scales });
      const out = plain.forward(x, { scale: scales, explain: true }).toArray();
      expect(scaled.forward(x).toArray()).not.toEqual(plain.forward(x).toArray());
      expect(scaled.forward(x, { explain: true }).toArray()).toEqual(out);
      expect(scaled.forward(x, { scale: 0.3 }).toArray()).toEqual(plain.forward(x, { scale: 0.3 }).toArray());
      // A pass back uses the scales of the pass forward, however they came.
      const gradients = [plain, scaled].map((layer) => {
        layer.forward(x, layer === plain ? { scale: scales } : {});
        return layer.backward(out.length === 72 ? { data: out, shape: [1, 6, 12] } : x).toArray();
      });
      expect(gradients[0]).toEqual(gradients[1]);
    });
  });

  it("generate, decode and nll with them: the bits of the whole text at once", () => {
    sqrtdk.scope(() => {
      const config = { ...sizes, vocab: 9, context: 12, nLayers: 2 };
      const [plain, scaled] = [config, { ...config, scale: scales }].map(
        (each) => new sqrtdk.models.LanguageModel(each),
      ) as [InstanceType<Sqrtdk["models"]["LanguageModel"]>, InstanceType<Sqrtdk["models"]["LanguageModel"]>];
      const ids = [1, 5, 2, 8];
      const whole = plain.forward(ids, { scale: scales, causal: "top_left" }).toArray().slice(-9);
      expect(plain.decode(ids, plain.makeCache(), { scale: scales }).toArray()).toEqual(whole);
      expect(scaled.decode(ids, scaled.makeCache()).toArray()).toEqual(whole);
      const told = plain.generate(ids, { scale: scales });
      expect(scaled.generate(ids)).toEqual(told);
      // What is told of a token may call operators, with arguments of their own.
      const onToken = (): void => sqrtdk.ops.add([1, 2, 3, 4], [5, 6, 7, 8]).dispose();
      expect(plain.generate(ids, { scale: scales, onToken })).toEqual(told);
      expect(scaled.nll(ids)).toEqual(plain.nll(ids, { scale: scales }));
    });
  });

  it("refuse another number of them, and leave nothing behind", () => {
    const error = thrown(() => new sqrtdk.nn.EncoderLayer({ ...sizes, scale: [1, 2] }));
    expect(error).toMatchObject({
      name: "ShapeError",
      operator: "EncoderLayer",
      argument: "scale",
      got: "(2,)",
    });
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.MultiHeadAttention({ dModel: 12, nHeads: 4 });
      const x = sqrtdk.random.randn([1, 3, 12], { seed: 1 });
      const before = layer.forward(x, x, x).toArray();
      expect(thrown(() => layer.forward(x, x, x, { scale: [1, 2, 3] })).argument).toBe("scale");
      expect(layer.forward(x, x, x).toArray()).toEqual(before);
    });
  });
});
