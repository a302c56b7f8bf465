// Attention by other scores than the dot product: additive and cosine.
import { makeResults, raw, takeInputs } from "./attention.ts";
import type { AttentionGradients, AttentionResult } from "./attention.ts";
import { objectOf } from "./given.ts";
import type { Mask, Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** w_q: [d_hidden, d_q], w_k: [d_hidden, d_k], v: [d_hidden], b: [d_hidden], default 0. */
export interface AdditiveParameters {
  readonly w_q: TensorLike;
  readonly w_k: TensorLike;
  readonly v: TensorLike;
  readonly b?: TensorLike;
}

export interface AdditiveGradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dvalues: Tensor;
  readonly dw_q: Tensor;
  readonly dw_k: Tensor;
  readonly dv: Tensor;
  readonly db: Tensor;
}

export interface MaskOption {
  readonly mask?: Tensor | Mask;
}

/** All throw `ShapeError` where shapes do not fit, `ValueError` and `OutOfMemory`; nothing is changed then. */
export interface OtherAttentionKernels {
  /**
   * Scores v · tanh(w_q q_i + w_k k_j + b), softmax, times `values`. Bahdanau, Cho and Bengio, 2015. `projected` (the
   * default) projects each query and key once, `naive` anew for each pair: the same bits.
   */
  additive_attention(
    q: TensorLike,
    k: TensorLike,
    values: TensorLike,
    parameters: AdditiveParameters,
    options?: MaskOption & { readonly form?: "naive" | "projected" },
  ): AttentionResult;
  additive_attention_backward(
    q: TensorLike,
    k: TensorLike,
    values: TensorLike,
    parameters: AdditiveParameters,
    weights: TensorLike,
    dout: TensorLike,
    options?: MaskOption,
  ): AdditiveGradients;

  /** Scores tau · cos(q_i, k_j), softmax, times v. */
  cosine_attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    tau: number,
    options?: MaskOption,
  ): AttentionResult;
  cosine_attention_backward(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    tau: number,
    weights: TensorLike,
    dout: TensorLike,
    options?: MaskOption,
  ): AttentionGradients & { readonly dtau: number };
}

export function makeOtherAttentionKernels(memory: TensorMemory): OtherAttentionKernels {
  const { border } = memory;

  function parametersOf(op: string, parameters: AdditiveParameters) {
    const { w_q, w_k, v, b } = objectOf(op, "parameters", parameters);
    const required = Object.entries({ w_q, w_k, v }).map(([name, value]) => memory.take(op, name, value));
    return { required, raw: [...raw(required), memory.optional(op, "b", b)] };
  }

  function additive_attention(
    ...[q, k, values, parameters, options = {}]: Parameters<OtherAttentionKernels["additive_attention"]>
  ): AttentionResult {
    const op = "additive_attention";
    return memory.scope(() => {
      const inputs = takeInputs(memory, op, [q, k, values], "values");
      const { raw: weightsOf } = parametersOf(op, parameters);
      const form = border.choice(op, "form", "additive form", options.form ?? "projected");
      const results = makeResults(memory, op, inputs);
      const { scores, weights, out } = results;
      const rest = [memory.mask(op, "mask", options.mask), form, ...raw([scores, weights, out])];
      border.call("additive_attention_forward", ...raw(inputs), ...weightsOf, ...rest);
      return results;
    });
  }

  function additive_attention_backward(
    ...[q, k, values, parameters, weights, dout, options = {}]: Parameters<
      OtherAttentionKernels["additive_attention_backward"]
    >
  ): AdditiveGradients {
    const op = "additive_attention_backward";
    return memory.scope(() => {
      const inputs = takeInputs(memory, op, [q, k, values], "values");
      const { required, raw: weightsOf } = parametersOf(op, parameters);
      const mask = memory.mask(op, "mask", options.mask);
      const [p, gradient] = [memory.take(op, "weights", weights), memory.take(op, "dout", dout)];
      const dscores = memory.empty(op, p.shape);
      const [dq, dk, dvalues] = inputs.map((input) => memory.empty(op, input.shape)) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      const [dw_q, dw_k, dv] = required.map(({ shape }) => memory.zeros(op, shape)) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      const db = memory.zeros(op, dv.shape);
      const results = { dq, dk, dvalues, dw_q, dw_k, dv, db };
      const rest = [mask, ...raw([p, gradient, dscores, ...Object.values(results)])];
      border.call(op, ...raw(inputs), ...weightsOf, ...rest);
      return results;
    });
  }

  function cosine_attention(
    ...[q, k, v, tau, options = {}]: Parameters<OtherAttentionKernels["cosine_attention"]>
  ): AttentionResult {
    const op = "cosine_attention";
    return memory.scope(() => {
      const inputs = takeInputs(memory, op, [q, k, v]);
      const results = makeResults(memory, op, inputs);
      const { scores, weights, out } = results;
      const mask = memory.mask(op, "mask", options.mask);
      border.call("cosine_attention_forward", ...raw(inputs), tau, mask, ...raw([scores, weights, out]));
      return results;
    });
  }

  function cosine_attention_backward(
    ...[q, k, v, tau, weights, dout, options = {}]: Parameters<
      OtherAttentionKernels["cosine_attention_backward"]
    >
  ): AttentionGradients & { dtau: number } {
    const op = "cosine_attention_backward";
    let dtau = NaN;
    const gradients = memory.scope(() => {
      const inputs = takeInputs(memory, op, [q, k, v]);
      const mask = memory.mask(op, "mask", options.mask);
      const [p, gradient] = [memory.take(op, "weights", weights), memory.take(op, "dout", dout)];
      const dscores = memory.empty(op, p.shape);
      const [dq, dk, dv] = inputs.map((input) => memory.empty(op, input.shape)) as [Tensor, Tensor, Tensor];
      dtau = border.callForNumber(op, ...raw(inputs), tau, mask, ...raw([p, gradient, dscores, dq, dk, dv]));
      return { dq, dk, dv };
    });
    return { ...gradients, dtau };
  }

  return { additive_attention, additive_attention_backward, cosine_attention, cosine_attention_backward };
}
