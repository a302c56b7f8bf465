// Attention by other scores than the dot product: additive and cosine.
import { makeResults } from "./attention.ts";
import type { AttentionGradients, AttentionResult } from "./attention.ts";
import { choiceOf } from "./choice.ts";
import { objectOf } from "./given.ts";
import { likewise, taken } from "./named.ts";
import * as operators from "./signatures.ts";
import type { AdditiveForm } from "./signatures.ts";
import type { Mask, Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** w_q: [d_hidden, d_q], w_k: [d_hidden, d_k], v: [d_hidden], b: [d_hidden], default 0. */
export interface AdditiveParameters {
  readonly w_q: TensorLike;
  readonly w_k: TensorLike;
  readonly v: TensorLike;
  readonly b?: TensorLike;
}

/** dL/d of each input and parameter, in its shape; `dv` is that of the vector v. */
export interface AdditiveGradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dvalues: Tensor;
  readonly dw_q: Tensor;
  readonly dw_k: Tensor;
  readonly dv: Tensor;
  readonly db: Tensor;
}

/** Which keys are attended to; broadcast to [.., n_q, n_k] as in NumPy. */
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
    options?: MaskOption & { readonly form?: AdditiveForm },
  ): AttentionResult;
  /** Gradients of all inputs and parameters from the forward pass's weights and dout = dL/dout. */
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
  /** Gradients by q, k, v and tau from the forward pass's weights and dout = dL/dout. */
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

  /** The parameters' tensors but b, and all as operators take them. */
  function takeParameters(op: string, parameters: AdditiveParameters) {
    const { w_q, w_k, v, b } = objectOf(op, "parameters", parameters);
    const required = taken(memory, op, { w_q, w_k, v });
    return { required, given: { ...required, b: memory.optional(op, "b", b) } };
  }

  function additive_attention(
    ...[q, k, values, parameters, options = {}]: Parameters<OtherAttentionKernels["additive_attention"]>
  ): AttentionResult {
    const op = "additive_attention";
    return memory.scope(() => {
      const inputs = taken(memory, op, { q, k, values });
      const { given } = takeParameters(op, parameters);
      const form = choiceOf(op, "form", operators.additiveFormNames, options.form ?? "projected");
      const results = makeResults(memory, op, [inputs.q, inputs.k, inputs.values]);
      const { scores, weights, out } = results;
      const mask = memory.mask(op, "mask", options.mask);
      border.call(operators.additive_attention_forward, {
        ...inputs,
        ...given,
        mask,
        form,
        scores,
        weights,
        out,
      });
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
      const inputs = taken(memory, op, { q, k, values });
      const { required, given } = takeParameters(op, parameters);
      const mask = memory.mask(op, "mask", options.mask);
      const upstream = taken(memory, op, { weights, dout });
      const dscores = memory.empty(op, upstream.weights.shape);
      const results = {
        ...likewise({ dq: inputs.q, dk: inputs.k, dvalues: inputs.values }, (shape) =>
          memory.empty(op, shape),
        ),
        ...likewise({ dw_q: required.w_q, dw_k: required.w_k, dv: required.v, db: required.v }, (shape) =>
          memory.zeros(op, shape),
        ),
      };
      border.call(operators.additive_attention_backward, {
        ...inputs,
        ...given,
        mask,
        ...upstream,
        dscores,
        ...results,
      });
      return results;
    });
  }

  function cosine_attention(
    ...[q, k, v, tau, options = {}]: Parameters<OtherAttentionKernels["cosine_attention"]>
  ): AttentionResult {
    const op = "cosine_attention";
    return memory.scope(() => {
      const inputs = taken(memory, op, { q, k, v });
      const results = makeResults(memory, op, [inputs.q, inputs.k, inputs.v]);
      const { scores, weights, out } = results;
      const mask = memory.mask(op, "mask", options.mask);
      const given = { ...inputs, tau, mask, scores, weights, out };
      border.call(operators.cosine_attention_forward, given);
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
      const inputs = taken(memory, op, { q, k, v });
      const mask = memory.mask(op, "mask", options.mask);
      const upstream = taken(memory, op, { weights, dout });
      const dscores = memory.empty(op, upstream.weights.shape);
      const results = likewise({ dq: inputs.q, dk: inputs.k, dv: inputs.v }, (shape) =>
        memory.empty(op, shape),
      );
      const given = { ...inputs, tau, mask, ...upstream, dscores, ...results };
      dtau = border.call(operators.cosine_attention_backward, given);
      return results;
    });
    return { ...gradients, dtau };
  }

  return { additive_attention, additive_attention_backward, cosine_attention, cosine_attention_backward };
}
