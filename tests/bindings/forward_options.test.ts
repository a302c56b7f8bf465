// What a forward pass returns carries its options: a backward pass has the same, and refuses others.
import { beforeAll, describe, expect, it } from "vitest";
import { load } from "../../bindings/entry/full.ts";
import type { AttentionGradients, AttentionOptions, Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
let q: Tensor, k: Tensor, v: Tensor, dout: Tensor;
beforeAll(async () => {
  sqrtdk = await load();
  [q, k, v, dout] = [1, 2, 3, 4].map((stream) => sqrtdk.random.randn([2, 3, 4], { stream })) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ];
});

const mask = [
  [1, 0, 1],
  [1, 1, 0],
  [1, 1, 1],
];
const options: AttentionOptions = { scale: "1/d", softcap: 5, causal: "top_left", mask, bias: [[0.5, 0, 1]] };
const bits = (gradients: AttentionGradients): number[][] =>
  [gradients.dq, gradients.dk, gradients.dv].map((tensor) => [...tensor.toArray()]);

describe.each(["returnWeights", "returnStats"] as const)("attention with %s", (kind) => {
  const forward = (given: AttentionOptions = options) =>
    sqrtdk.ops.attention(q, k, v, { ...given, [kind]: true } as AttentionOptions & { returnWeights: true });

  it("carries what it was given", () => {
    sqrtdk.scope(() => {
      expect(forward().options).toEqual(options);
      expect(forward({}).options).toEqual({});
      const { options: own, ...alone } = forward();
      const expected = bits(sqrtdk.ops.attentionBackward(q, k, v, alone, dout, own));
      expect(bits(sqrtdk.ops.attentionBackward(q, k, v, forward(), dout))).toEqual(expected);
      expect(bits(sqrtdk.ops.attentionBackward(q, k, v, forward(), dout, options))).toEqual(expected);
      expect(bits(sqrtdk.ops.attentionBackward(q, k, v, alone, dout))).not.toEqual(expected);
    });
  });

  it("refuses others in the backward pass", () => {
    sqrtdk.scope(() => {
      const made = forward();
      const others: AttentionOptions[] = [
        { scale: 1 },
        { softcap: 4 },
        { causal: "bottom_right" },
        { nPast: 2 },
        { mask: [[1, 1, 1]] },
        { bias: [[0.5, 0, 2]] },
        { lengths: [3, 3] },
      ];
      for (const other of others) {
        const error = thrown(() => sqrtdk.ops.attentionBackward(q, k, v, made, dout, other));
        expect(error).toMatchObject({ name: "ValueError", operator: "attentionBackward" });
        expect(error.argument).toBe(Object.keys(other)[0]);
        expect(error.expected).toContain("what the forward pass was given");
      }
      sqrtdk.ops.attentionBackward(q, k, v, forward({}), dout, { scale: "default", softcap: 0, nPast: 0 });
    });
  });
});

it("a forward pass without statistics is told so", () => {
  sqrtdk.scope(() => {
    const out = sqrtdk.ops.attention(q, k, v);
    for (const forward of [out, undefined, null, 5, {}, { weights: out }]) {
      const error = thrown(() => sqrtdk.ops.attentionBackward(q, k, v, forward as never, dout));
      expect(error).toMatchObject({ name: "ValueError", operator: "attentionBackward", argument: "forward" });
      expect(error.message).toContain("returnWeights or returnStats");
    }
  });
});

it("other attentions, norms and the loss carry theirs", () => {
  sqrtdk.scope(() => {
    const { ops } = sqrtdk;
    const x = sqrtdk.random.randn([3, 4]);
    const parameters = { wQ: x, wK: x, v: [1, 2, 3] };
    const additive = ops.additiveAttention(q, k, v, parameters, { mask });
    const plain = ops.additiveAttentionBackward(q, k, v, parameters, additive.weights, dout, { mask });
    const carried = ops.additiveAttentionBackward(q, k, v, parameters, additive, dout);
    expect(carried.dq.toArray()).toEqual(plain.dq.toArray());
    expect(
      thrown(() => ops.additiveAttentionBackward(q, k, v, parameters, additive, dout, { mask: [[1, 1, 1]] }))
        .argument,
    ).toBe("mask");

    const cosine = ops.cosineAttention(q, k, v, 2);
    expect(cosine.options).toEqual({ tau: 2 });
    expect(thrown(() => ops.cosineAttentionBackward(q, k, v, 3, cosine, dout)).argument).toBe("tau");
    expect(ops.cosineAttentionBackward(q, k, v, 2, cosine, dout).dtau).toBe(
      ops.cosineAttentionBackward(q, k, v, 2, cosine.weights, dout).dtau,
    );

    const gain = [1, 2, 3, 4];
    for (const [forward, backward] of [
      [ops.layerNorm, ops.layerNormBackward],
      [ops.rmsNorm, ops.rmsNormBackward],
    ] as const) {
      const made = forward(x, { gain, returnStats: true });
      expect(backward(x, made, x).dx.toArray()).toEqual(backward(x, made.rowStats, x, { gain }).dx.toArray());
      expect(thrown(() => backward(x, made, x, { gain: [1, 1, 1, 1] })).argument).toBe("gain");
    }

    const loss = ops.crossEntropy(x, [0, 1, 2], { labelSmoothing: 0.1, reduction: "sum" });
    const gradient = ops.crossEntropyBackward(loss.logProbs, [0, 1, 2], 1, loss.options);
    expect(ops.crossEntropyBackward(loss, [0, 1, 2], 1).toArray()).toEqual(gradient.toArray());
    const other = thrown(() => ops.crossEntropyBackward(loss, [0, 1, 2], 1, { reduction: "mean" }));
    expect(other.argument).toBe("reduction");
  });
});
