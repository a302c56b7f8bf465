import { beforeAll, describe, expect, it } from "vitest";
import { ShapeError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Ops, Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { largestDifference, map, matrix, product, softmax, transposed } from "./reference.ts";
import type { Matrix } from "./reference.ts";
import { thrown } from "./thrown.ts";

const [nQ, nK, dK, dV] = [5, 7, 16, 3];

let sqrtdk: Sqrtdk;
let q: Tensor, k: Tensor, v: Tensor, dout: Tensor;
beforeAll(async () => {
  sqrtdk = await load();
  q = sqrtdk.random.randn([nQ, dK], { stream: 1 });
  k = sqrtdk.random.randn([nK, dK], { stream: 2 });
  v = sqrtdk.random.randn([nK, dV], { stream: 3 });
  dout = sqrtdk.random.randn([nQ, dV], { stream: 4 });
});

const double = (tensor: Tensor): Matrix =>
  matrix(tensor.toArray(), tensor.shape[0] ?? 1, tensor.shape[1] ?? 1);
const plain = (tensor: Tensor) => ({ data: [...tensor.toArray()], shape: tensor.shape });

/** Largest difference of all that attention returns from `scores` and what follows from them. */
function attentionError(scores: Matrix, options: Parameters<Ops["attention"]>[3]): number {
  return sqrtdk.scope(() => {
    const got = sqrtdk.ops.attention(q, k, v, { ...options, returnWeights: true });
    const weights = softmax(scores);
    return Math.max(
      largestDifference(got.scores.toArray(), scores),
      largestDifference(got.weights.toArray(), weights),
      largestDifference(got.out.toArray(), product(weights, double(v))),
    );
  });
}

const scoresTimes = (scale: number): Matrix =>
  map(product(double(q), transposed(double(k))), (x) => x * scale);

describe("the comparison", () => {
  it("is below no bound where something is wrong", () => {
    const expected = matrix([1, NaN, 0], 1, 3);
    expect(largestDifference([1, NaN, 0], expected)).toBe(0);
    for (const got of [
      [1, 2, 0],
      [NaN, NaN, 0],
      [1, NaN],
      [1, NaN, 0.1],
    ]) {
      expect(largestDifference(got, expected) < 0.05).toBe(false);
    }
  });
});

describe("matmul", () => {
  it("agrees with the reference, transposed or not", () => {
    const expected = product(double(q), transposed(double(k)));
    sqrtdk.scope(() => {
      const plainly = sqrtdk.ops.matmul(q, k, { transposeB: true });
      expect(plainly.shape).toEqual([nQ, nK]);
      expect(largestDifference(plainly.toArray(), expected)).toBeLessThan(1e-5);
      const other = sqrtdk.ops.matmul(k, q, { transposeB: true });
      expect(largestDifference(other.toArray(), transposed(expected))).toBeLessThan(1e-5);
      const outer = sqrtdk.ops.matmul(q, q, { transposeA: true });
      expect(largestDifference(outer.toArray(), product(transposed(double(q)), double(q)))).toBeLessThan(
        1e-5,
      );
    });
  });

  it("takes batches and plain numbers", () => {
    const a = { data: [1, 2, 3, 4], shape: [2, 1, 2] };
    const b = { data: new Float32Array([5, 6, 7, 8]), shape: [2, 2, 1] };
    const out = sqrtdk.ops.matmul(a, b);
    expect(out.shape).toEqual([2, 1, 1]);
    expect([...out.toArray()]).toEqual([17, 53]);
    out.dispose();
  });

  it("names the shapes that do not fit", () => {
    const error = thrown(() => sqrtdk.ops.matmul(q, k));
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ code: "wrong_shape", operator: "matmul" });
    expect(error.got).toContain("7");
    expect(thrown(() => sqrtdk.ops.matmul({ data: [1], shape: [1] }, k))).toBeInstanceOf(ShapeError);
  });
});

describe("softmax", () => {
  it("agrees with the reference, also for huge numbers", () => {
    for (const factor of [1, 1e3, 1e30]) {
      const x = { data: q.toArray().map((value) => value * factor), shape: q.shape };
      const p = sqrtdk.ops.softmax(x);
      const expected = softmax(matrix(x.data, nQ, dK));
      expect(largestDifference(p.toArray(), expected)).toBeLessThan(3e-7);
      p.dispose();
    }
  });

  it("gives NaN where there is no distribution", () => {
    const p = sqrtdk.ops.softmax({ data: [-Infinity, -Infinity, 1, NaN, 1, Infinity, 1, 1], shape: [4, 2] });
    expect([...p.toArray()]).toEqual([NaN, NaN, NaN, NaN, NaN, NaN, 0.5, 0.5]);
    p.dispose();
  });

  it("has the gradient p (dp - dp·p)", () => {
    sqrtdk.scope(() => {
      const p = sqrtdk.ops.softmax(q);
      const dp = sqrtdk.random.randn(q.shape, { stream: 9 });
      const dx = sqrtdk.ops.softmaxBackward(p, dp);
      const dots = product(double(p), transposed(double(dp)));
      const expected = map(double(p), (weight, i, j) => weight * (double(dp).at(i, j) - dots.at(i, i)));
      expect(largestDifference(dx.toArray(), expected)).toBeLessThan(1e-6);
      expect(thrown(() => sqrtdk.ops.softmaxBackward(p, k))).toBeInstanceOf(ShapeError);
    });
  });
});

describe("attention", () => {
  it("scales by 1/√d_k unless told otherwise", () => {
    expect(attentionError(scoresTimes(1 / Math.sqrt(dK)), {})).toBeLessThan(2e-6);
    expect(attentionError(scoresTimes(0.5), { scale: 0.5 })).toBeLessThan(2e-6);
  });

  it("returns the output alone, or with weights and scores", () => {
    const out = sqrtdk.ops.attention(q, k, v);
    expect(out.shape).toEqual([nQ, dV]);
    const all = sqrtdk.ops.attention(plain(q), plain(k), plain(v), { returnWeights: true });
    all.out.toArray().forEach((value, i) => expect(out.toArray()[i]).toBeCloseTo(value, 6)); // another order of sums
    expect(all.weights.shape).toEqual([nQ, nK]);
    for (const tensor of [out, all.out, all.weights, all.scores]) tensor.dispose();
  });

  it("cuts the future off at the diagonal that was named", () => {
    const cut = (shift: number) => map(scoresTimes(0.25), (x, i, j) => (j > i + shift ? -Infinity : x));
    expect(attentionError(cut(0), { causal: "top_left" })).toBeLessThan(2e-6);
    expect(attentionError(cut(nK - nQ), { causal: "bottom_right" })).toBeLessThan(2e-6);
    const causal = true as unknown as "top_left";
    const error = thrown(() => sqrtdk.ops.attention(q, k, v, { causal }));
    expect(error).toBeInstanceOf(ValueError);
    expect(error).toMatchObject({ code: "not_a_choice", argument: "causal", got: "true" });
  });

  it("takes masks of numbers or booleans, and biases", () => {
    const keeps = (i: number, j: number) => i !== 2 && (i + j) % 3 !== 0; // row 2 sees nothing
    const data = Array.from({ length: nQ * nK }, (_, i) => keeps(Math.floor(i / nK), i % nK));
    const shape = [nQ, nK];
    const expected = map(scoresTimes(0.25), (x, i, j) => (keeps(i, j) ? x : -Infinity));
    expect(attentionError(expected, { mask: { data, shape } })).toBeLessThan(2e-6);
    expect(attentionError(expected, { mask: { data: data.map(Number), shape } })).toBeLessThan(2e-6);
    const bias = { data: data.map((keep) => (keep ? 0 : -Infinity)), shape };
    expect(attentionError(expected, { bias })).toBeLessThan(2e-6);
    const shifted = map(scoresTimes(0.25), (x, i, j) => x + i - j);
    const slope = data.map((_, i) => Math.floor(i / nK) - (i % nK));
    expect(attentionError(shifted, { bias: { data: slope, shape } })).toBeLessThan(2e-6);
  });

  it("says which argument does not fit", () => {
    for (const [action, argument] of [
      [() => sqrtdk.ops.attention(q, { data: [1], shape: [1, 1] }, v), "k"],
      [() => sqrtdk.ops.attention(q, k, { data: [1], shape: [1, 1] }), "v"],
      [() => sqrtdk.ops.attention(q, k, v, { mask: { data: [1, 1], shape: [1, 2] } }), "mask"],
      [() => sqrtdk.ops.attention(q, k, v, { mask: { data: [1], shape: [nQ, nK] } }), "mask"],
      [() => sqrtdk.ops.attention(q, k, v, { bias: { data: [1, 1], shape: [2, 1] } }), "bias"],
    ] as const) {
      const error = thrown(action);
      expect(error).toBeInstanceOf(ShapeError);
      expect(error.argument).toBe(argument);
    }
    const error = thrown(() => sqrtdk.ops.attention(q, k, v, { scale: NaN }));
    expect(error).toMatchObject({ name: "ValueError", code: "not_finite", argument: "scale", got: "NaN" });
  });

  it("has gradients that agree with the reference", () => {
    sqrtdk.scope(() => {
      const forward = sqrtdk.ops.attention(q, k, v, { returnWeights: true });
      const { dq, dk, dv } = sqrtdk.ops.attentionBackward(q, k, v, forward, dout);
      const p = double(forward.weights);
      const dp = product(double(dout), transposed(double(v)));
      const dots = product(p, transposed(dp));
      const dscores = map(p, (weight, i, j) => (weight * (dp.at(i, j) - dots.at(i, i))) / Math.sqrt(dK));
      expect(largestDifference(dq.toArray(), product(dscores, double(k)))).toBeLessThan(2e-6);
      expect(largestDifference(dk.toArray(), product(transposed(dscores), double(q)))).toBeLessThan(2e-6);
      expect(largestDifference(dv.toArray(), product(transposed(p), double(dout)))).toBeLessThan(2e-6);
    });
    const wrong = { out: q, weights: q, scores: q };
    expect(thrown(() => sqrtdk.ops.attentionBackward(q, k, v, wrong, dout))).toBeInstanceOf(ShapeError);
  });
});
