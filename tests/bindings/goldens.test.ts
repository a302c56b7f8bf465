// Every operator through the JavaScript API against PyTorch's values and gradients.
import { beforeAll, expect, it } from "vitest";
import { camelCase } from "../../bindings/api/camel_case.ts";
import { load } from "../../bindings/entry/full.ts";
import type { Activation, Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { caseNames, largestError, readCase } from "./golden_cases.ts";
import type { GoldenCase } from "./golden_cases.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

type Results = Record<string, Tensor | number>;
type Run = (given: (name: string) => Shaped, attributes: GoldenCase["attributes"]) => Results;
interface Shaped {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

const optional = (given: Parameters<Run>[0], name: string): Shaped | undefined => {
  const value = given(name) as Shaped | undefined;
  return value;
};

function attention(tiled: boolean): Run {
  return (given, attributes) => {
    const [q, k, v, dout] = ["Q", "K", "V", "grad_O"].map(given) as [Shaped, Shaped, Shaped, Shaped];
    const causal = String(attributes.causal).replace("-", "_") as "none" | "top_left" | "bottom_right";
    const masked = optional(given, "attn_mask_bool");
    const bias = optional(given, "attn_bias");
    const options = {
      scale: Number(attributes.scale),
      ...(causal !== "none" && { causal }),
      ...(masked && { mask: { data: masked.data.map((x) => 1 - x), shape: masked.shape } }),
      ...(bias && { bias }),
    };
    if (tiled) {
      const forward = sqrtdk.ops.attention(q, k, v, { ...options, returnStats: true });
      const { dq, dk, dv } = sqrtdk.ops.attentionBackward(q, k, v, forward, dout, options);
      return { O: forward.out, d_Q: dq, d_K: dk, d_V: dv };
    }
    const forward = sqrtdk.ops.attention(q, k, v, { ...options, returnWeights: true });
    const { dq, dk, dv } = sqrtdk.ops.attentionBackward(q, k, v, forward, dout, options);
    return { O: forward.out, A: forward.weights, d_Q: dq, d_K: dk, d_V: dv };
  };
}

const runs: Record<string, readonly Run[]> = {
  SDPA: [attention(false), attention(true)],
  Softmax: [
    (given) => {
      const y = sqrtdk.ops.softmax(given("x"));
      return { y, d_x: sqrtdk.ops.softmaxBackward(y, given("grad_y")) };
    },
  ],
  LogSoftmax: [
    (given) => {
      const y = sqrtdk.ops.logSoftmax(given("x"));
      return { y, d_x: sqrtdk.ops.logSoftmaxBackward(y, given("grad_y")) };
    },
  ],
  LayerNorm: [
    (given) => {
      const [x, gain, bias] = [given("x"), given("weight"), given("bias")];
      const { out, rowStats } = sqrtdk.ops.layerNorm(x, { gain, bias, returnStats: true });
      const { dx, dgain, dbias } = sqrtdk.ops.layerNormBackward(x, rowStats, given("grad_y"), { gain });
      return { y: out, d_x: dx, d_weight: dgain, d_bias: dbias };
    },
  ],
  RMSNorm: [
    (given) => {
      const [x, gain] = [given("x"), given("weight")];
      const { out, rowStats } = sqrtdk.ops.rmsNorm(x, { gain, returnStats: true });
      const { dx, dgain } = sqrtdk.ops.rmsNormBackward(x, rowStats, given("grad_y"), { gain });
      return { y: out, d_x: dx, d_weight: dgain };
    },
  ],
  Activation: [
    (given, { kind }) => {
      const name = String(kind).replace("_erf", "") as Activation;
      const y = sqrtdk.ops.activation(name, given("x"));
      return { y, d_x: sqrtdk.ops.activationBackward(name, given("x"), given("grad_y")) };
    },
  ],
  CrossEntropy: [
    (given, attributes) => {
      const [logits, target] = [given("logits"), given("target")];
      const options = Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [camelCase(name), value]),
      );
      const { loss, logProbs } = sqrtdk.ops.crossEntropy(logits, target, options);
      const dloss = given("grad_loss").data[0]!;
      return { loss, d_logits: sqrtdk.ops.crossEntropyBackward(logProbs, target, dloss, options) };
    },
  ],
  Embedding: [
    (given) => ({
      y: sqrtdk.ops.embedding(given("W"), given("ids")),
      d_W: sqrtdk.ops.embeddingBackward(given("ids"), given("grad_y"), given("W").shape[0]!),
    }),
  ],
  Linear: [
    (given) => {
      const rows = ({ data, shape }: Shaped): Shaped => ({ data, shape: [shape[0]! * shape[1]!, shape[2]!] });
      const [x, w, dy] = [rows(given("x")), given("W"), rows(given("grad_y"))];
      return {
        y: sqrtdk.ops.matmul(given("x"), w, { transposeB: true, bias: given("b") }),
        d_x: sqrtdk.ops.matmul(dy, w),
        d_W: sqrtdk.ops.matmul(dy, x, { transposeA: true }),
      };
    },
    (given) => {
      const packed = sqrtdk.ops.packMatrix(given("W"), { transposeB: true });
      const y = sqrtdk.ops.matmul(given("x"), packed, { bias: given("b") });
      packed.dispose();
      return { y };
    },
  ],
  AdditiveAttention: (["naive", "projected"] as const).map((form) => (given) => {
    const [q, k, values] = [given("q"), given("k"), given("values")];
    const parameters = { wQ: given("Wq"), wK: given("Wk"), v: given("v"), b: given("b") };
    const { out, scores, weights } = sqrtdk.ops.additiveAttention(q, k, values, parameters, { form });
    const dout = given("grad_context");
    const d = sqrtdk.ops.additiveAttentionBackward(q, k, values, parameters, weights, dout);
    const inputs = { d_q: d.dq, d_k: d.dk, d_values: d.dvalues };
    return { context: out, scores, A: weights, ...inputs, d_Wq: d.dwQ, d_Wk: d.dwK, d_v: d.dv, d_b: d.db };
  }),
  CosineAttention: [
    (given) => {
      const [q, k, v, tau] = [given("Q"), given("K"), given("V"), given("tau").data[0]!];
      const { out, scores, weights } = sqrtdk.ops.cosineAttention(q, k, v, tau);
      const d = sqrtdk.ops.cosineAttentionBackward(q, k, v, tau, weights, given("grad_O"));
      return { O: out, scores, A: weights, d_Q: d.dq, d_K: d.dk, d_V: d.dv, d_tau: d.dtau };
    },
  ],
};

it.each(caseNames)("%s", (name) => {
  const { op, attributes, inputs, outputs } = readCase(sqrtdk, name);
  for (const run of runs[op]!) {
    sqrtdk.scope(() => {
      const results = Object.entries(run((input) => inputs.get(input)!, attributes));
      expect(results.length).toBeGreaterThan(0);
      for (const [key, result] of results) {
        const { data, bound } = outputs.get(key)!;
        const got = typeof result === "number" ? [result] : result.toArray();
        expect(largestError(got, data), key).toBeLessThanOrEqual(bound);
      }
    });
  }
});
