// Every operator through the JavaScript API against PyTorch's values and gradients.
import { beforeAll, expect, it } from "vitest";
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
      const forward = sqrtdk.attention(q, k, v, { ...options, return_stats: true });
      const { dq, dk, dv } = sqrtdk.attention_backward(q, k, v, forward, dout, options);
      return { O: forward.out, d_Q: dq, d_K: dk, d_V: dv };
    }
    const forward = sqrtdk.attention(q, k, v, { ...options, return_weights: true });
    const { dq, dk, dv } = sqrtdk.attention_backward(q, k, v, forward, dout, options);
    return { O: forward.out, A: forward.weights, d_Q: dq, d_K: dk, d_V: dv };
  };
}

const runs: Record<string, readonly Run[]> = {
  SDPA: [attention(false), attention(true)],
  Softmax: [
    (given) => {
      const y = sqrtdk.softmax(given("x"));
      return { y, d_x: sqrtdk.softmax_backward(y, given("grad_y")) };
    },
  ],
  LogSoftmax: [
    (given) => {
      const y = sqrtdk.log_softmax(given("x"));
      return { y, d_x: sqrtdk.log_softmax_backward(y, given("grad_y")) };
    },
  ],
  LayerNorm: [
    (given) => {
      const [x, gain, bias] = [given("x"), given("weight"), given("bias")];
      const { out, row_stats } = sqrtdk.layer_norm(x, { gain, bias, return_stats: true });
      const { dx, dgain, dbias } = sqrtdk.layer_norm_backward(x, row_stats, given("grad_y"), { gain });
      return { y: out, d_x: dx, d_weight: dgain, d_bias: dbias };
    },
  ],
  RMSNorm: [
    (given) => {
      const [x, gain] = [given("x"), given("weight")];
      const { out, row_stats } = sqrtdk.rms_norm(x, { gain, return_stats: true });
      const { dx, dgain } = sqrtdk.rms_norm_backward(x, row_stats, given("grad_y"), { gain });
      return { y: out, d_x: dx, d_weight: dgain };
    },
  ],
  Activation: [
    (given, { kind }) => {
      const name = String(kind).replace("_erf", "") as Activation;
      const y = sqrtdk.activation(name, given("x"));
      return { y, d_x: sqrtdk.activation_backward(name, given("x"), given("grad_y")) };
    },
  ],
  CrossEntropy: [
    (given, attributes) => {
      const [logits, target] = [given("logits"), given("target")];
      const { loss, log_probs } = sqrtdk.cross_entropy(logits, target, attributes);
      const dloss = given("grad_loss").data[0]!;
      return { loss, d_logits: sqrtdk.cross_entropy_backward(log_probs, target, dloss, attributes) };
    },
  ],
  Embedding: [
    (given) => ({
      y: sqrtdk.embedding(given("W"), given("ids")),
      d_W: sqrtdk.embedding_backward(given("ids"), given("grad_y"), given("W").shape[0]!),
    }),
  ],
  Linear: [
    (given) => {
      const rows = ({ data, shape }: Shaped): Shaped => ({ data, shape: [shape[0]! * shape[1]!, shape[2]!] });
      const [x, w, dy] = [rows(given("x")), given("W"), rows(given("grad_y"))];
      return {
        y: sqrtdk.matmul(given("x"), w, { transpose_b: true, bias: given("b") }),
        d_x: sqrtdk.matmul(dy, w),
        d_W: sqrtdk.matmul(dy, x, { transpose_a: true }),
      };
    },
    (given) => {
      const packed = sqrtdk.pack_matrix(given("W"), { transpose_b: true });
      const y = sqrtdk.matmul(given("x"), packed, { bias: given("b") });
      packed.dispose();
      return { y };
    },
  ],
  AdditiveAttention: (["naive", "projected"] as const).map((form) => (given) => {
    const [q, k, values] = [given("q"), given("k"), given("values")];
    const parameters = { w_q: given("Wq"), w_k: given("Wk"), v: given("v"), b: given("b") };
    const { out, scores, weights } = sqrtdk.additive_attention(q, k, values, parameters, { form });
    const dout = given("grad_context");
    const d = sqrtdk.additive_attention_backward(q, k, values, parameters, weights, dout);
    const inputs = { d_q: d.dq, d_k: d.dk, d_values: d.dvalues };
    return { context: out, scores, A: weights, ...inputs, d_Wq: d.dw_q, d_Wk: d.dw_k, d_v: d.dv, d_b: d.db };
  }),
  CosineAttention: [
    (given) => {
      const [q, k, v, tau] = [given("Q"), given("K"), given("V"), given("tau").data[0]!];
      const { out, scores, weights } = sqrtdk.cosine_attention(q, k, v, tau);
      const d = sqrtdk.cosine_attention_backward(q, k, v, tau, weights, given("grad_O"));
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
        const got = typeof result === "number" ? [result] : result.data;
        expect(largestError(got, data), key).toBeLessThanOrEqual(bound);
      }
    });
  }
});
