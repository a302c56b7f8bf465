// Attention by other scores than the dot product: additive and cosine.
import { makeResults } from "./attention.ts";
import type { AttentionGradients, AttentionResult } from "./attention.ts";
import { choiceOf } from "./choice.ts";
import { agreed, carried } from "./forward_options.ts";
import { has } from "./given.ts";
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { likewise, taken } from "./named.ts";
import * as operators from "./signatures.ts";
import type { AdditiveForm } from "./signatures.ts";
import type { Mask, Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** wQ: [d_hidden, d_q], wK: [d_hidden, d_k], v: [d_hidden], b: [d_hidden], default 0. */
export interface AdditiveParameters {
  readonly wQ: TensorLike;
  readonly wK: TensorLike;
  readonly v: TensorLike;
  readonly b?: TensorLike;
}

const parameterNames: Names<AdditiveParameters> = { wQ: 1, wK: 1, v: 1, b: 1 };

/** dL/d of each input and parameter, in its shape; `dv` is that of the vector v. */
export interface AdditiveGradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dvalues: Tensor;
  readonly dwQ: Tensor;
  readonly dwK: Tensor;
  readonly dv: Tensor;
  readonly db: Tensor;
}

/** Which keys are attended to; broadcast to [.., n_q, n_k] as in NumPy. */
export interface MaskOption {
  readonly mask?: Mask;
}

/** What the result of cosine attention carries. */
export interface CosineOptions extends MaskOption {
  readonly tau: number;
}

/** What is told of additive attention. */
export interface AdditiveOptions extends MaskOption {
  readonly form?: AdditiveForm;
}

/** A forward pass's result, whose options the backward pass has; or its weights alone. */
export type WeightsForward<Options> =
  TensorLike | { readonly weights: TensorLike; readonly options?: Options };

/** All throw `ShapeError` where shapes do not fit, `ValueError` and `OutOfMemoryError`; nothing is changed then. */
export interface OtherAttentionOps {
  /**
   * Scores v · tanh(wQ q_i + wK k_j + b), softmax, times `values`. Bahdanau, Cho and Bengio, 2015. `projected` (the
   * default) projects each query and key once, `naive` anew for each pair: the same bits.
   */
  additiveAttention(
    q: TensorLike,
    k: TensorLike,
    values: TensorLike,
    parameters: AdditiveParameters,
    options?: AdditiveOptions,
  ): AttentionResult<MaskOption>;
  /** Gradients of all inputs and parameters from the forward pass's result and dout = dL/dout. */
  additiveAttentionBackward(
    q: TensorLike,
    k: TensorLike,
    values: TensorLike,
    parameters: AdditiveParameters,
    forward: WeightsForward<MaskOption>,
    dout: TensorLike,
    options?: MaskOption,
  ): AdditiveGradients;

  /** Scores tau · cos(q_i, k_j), softmax, times v. */
  cosineAttention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    tau: number,
    options?: MaskOption,
  ): AttentionResult<CosineOptions>;
  /** Gradients by q, k, v and tau from the forward pass's result and dout = dL/dout. */
  cosineAttentionBackward(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    tau: number,
    forward: WeightsForward<CosineOptions>,
    dout: TensorLike,
    options?: MaskOption,
  ): AttentionGradients & { readonly dtau: number };
}

const maskNames: Names<MaskOption> = { mask: 1 };

function weightsOf<Options>(forward: WeightsForward<Options>): [TensorLike, Options | undefined] {
  return has(forward, "weights") ? [forward.weights, forward.options] : [forward, undefined];
}

export function makeOtherAttentionOps(memory: TensorMemory): OtherAttentionOps {
  const { border } = memory;

  /** The parameters' tensors but b, and all as operators take them. */
  function takeParameters(op: string, parameters: AdditiveParameters) {
    const { wQ, wK, v, b } = checked(op, "parameters", parameters, parameterNames);
    const required = taken(memory, op, { wQ, wK, v });
    return { required, given: { ...required, b: memory.optional(op, "b", b) } };
  }

  function additiveAttention(
    ...[q, k, values, parameters, options = {}]: Parameters<OtherAttentionOps["additiveAttention"]>
  ): AttentionResult<MaskOption> {
    const op = "additiveAttention";
    return memory.scope(() => {
      const inputs = taken(memory, op, { q, k, values });
      const { given } = takeParameters(op, parameters);
      const form = choiceOf(op, "form", operators.additiveFormNames, options.form ?? "projected");
      const results = makeResults(memory, op, [inputs.q, inputs.k, inputs.values]);
      const { scores, weights, out } = results;
      const mask = memory.mask(op, "mask", options.mask);
      border.call(op, operators.additiveAttentionForward, {
        ...inputs,
        ...given,
        mask,
        form,
        scores,
        weights,
        out,
      });
      return { ...results, options: carried(options, maskNames) };
    });
  }

  function additiveAttentionBackward(
    ...[q, k, values, parameters, forward, dout, options = {}]: Parameters<
      OtherAttentionOps["additiveAttentionBackward"]
    >
  ): AdditiveGradients {
    const op = "additiveAttentionBackward";
    return memory.scope(() => {
      const inputs = taken(memory, op, { q, k, values });
      const { required, given } = takeParameters(op, parameters);
      const [weights, own] = weightsOf(forward);
      const mask = memory.mask(op, "mask", agreed(memory, op, own, options).mask);
      const upstream = taken(memory, op, { weights, dout });
      const dscores = memory.empty(op, upstream.weights.shape);
      const results = {
        ...likewise({ dq: inputs.q, dk: inputs.k, dvalues: inputs.values }, (shape) =>
          memory.empty(op, shape),
        ),
        ...likewise({ dwQ: required.wQ, dwK: required.wK, dv: required.v, db: required.v }, (shape) =>
          memory.zeros(op, shape),
        ),
      };
      border.call(op, operators.additiveAttentionBackward, {
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

  function cosineAttention(
    ...[q, k, v, tau, options = {}]: Parameters<OtherAttentionOps["cosineAttention"]>
  ): AttentionResult<CosineOptions> {
    const op = "cosineAttention";
    return memory.scope(() => {
      const inputs = taken(memory, op, { q, k, v });
      const results = makeResults(memory, op, [inputs.q, inputs.k, inputs.v]);
      const { scores, weights, out } = results;
      const mask = memory.mask(op, "mask", options.mask);
      const given = { ...inputs, tau, mask, scores, weights, out };
      border.call(op, operators.cosineAttentionForward, given);
      return { ...results, options: { ...carried(options, maskNames), tau } };
    });
  }

  function cosineAttentionBackward(
    ...[q, k, v, tau, forward, dout, options = {}]: Parameters<OtherAttentionOps["cosineAttentionBackward"]>
  ): AttentionGradients & { dtau: number } {
    const op = "cosineAttentionBackward";
    let dtau = NaN;
    const gradients = memory.scope(() => {
      const inputs = taken(memory, op, { q, k, v });
      const [weights, own] = weightsOf(forward);
      const mask = memory.mask(op, "mask", agreed<CosineOptions>(memory, op, own, { ...options, tau }).mask);
      const upstream = taken(memory, op, { weights, dout });
      const dscores = memory.empty(op, upstream.weights.shape);
      const results = likewise({ dq: inputs.q, dk: inputs.k, dv: inputs.v }, (shape) =>
        memory.empty(op, shape),
      );
      const given = { ...inputs, tau, mask, ...upstream, dscores, ...results };
      dtau = border.call(op, operators.cosineAttentionBackward, given);
      return results;
    });
    return { ...gradients, dtau };
  }

  return { additiveAttention, additiveAttentionBackward, cosineAttention, cosineAttentionBackward };
}
