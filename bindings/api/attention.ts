// Scaled dot-product attention.
import { choiceOf } from "./choice.ts";
import type { OutOption } from "./matrix.ts";
import { likewise, taken } from "./named.ts";
import { finite, whole } from "./number.ts";
import { scaleArgument } from "./scale.ts";
import type { Scale } from "./scale.ts";
import { inOrder } from "./signature.ts";
import type { Group } from "./signature.ts";
import * as operators from "./signatures.ts";
import type { Causal } from "./signatures.ts";
import type { Mask, Tensor, TensorLike, TensorMemory } from "./tensor.ts";
import type { ShapedData } from "./types.ts";

/** How scores come from q and k, and which of them count. */
export interface AttentionOptions {
  /** Factor on q·k, or its name, such as `"1/d"`; default 1/√d_k. */
  readonly scale?: Scale;
  /** c > 0: the scores become c·tanh(scores / c), before bias and masks. Default 0, none. */
  readonly softcap?: number;
  /** Which diagonal ends the past where n_q ≠ n_k (there is no default); absent = not causal. */
  readonly causal?: Causal;
  /** Keys before the first query's own, from a cache: moves the top-left diagonal. */
  readonly n_past?: number;
  /** Broadcast to [.., n_q, n_k] as in NumPy. */
  readonly mask?: Tensor | Mask;
  /** Added to the scores, broadcast as `mask` is; exactly -Infinity masks. */
  readonly bias?: TensorLike;
  /** How many keys of each sequence are no padding; its shape is the first dimensions of q. */
  readonly lengths?: ShapedData;
}

/** What can be seen: the explainable form. */
export interface AttentionResult {
  /** [.., n_q, d_v] */
  readonly out: Tensor;
  /** [.., n_q, n_k]; each row sums to 1; a fully masked row is 0. */
  readonly weights: Tensor;
  /** [.., n_q, n_k]: softcap(scale · q·k) + bias; -Infinity where masked. */
  readonly scores: Tensor;
}

/** What the backward pass of the tiled form needs: memory linear in n. */
export interface TiledAttentionResult {
  readonly out: Tensor;
  /** [.., n_q, 2]: of each row of scores the largest, and the sum of exp(score - largest). */
  readonly row_stats: Tensor;
}

/** dL/dq, dL/dk and dL/dv, in the shapes of q, k and v. */
export interface AttentionGradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dv: Tensor;
}

/** All throw `ShapeError` where shapes do not fit, `ValueError` and `OutOfMemory`; nothing is changed then. */
export interface AttentionKernels {
  /**
   * softmax(scale · q kᵀ + bias) · v with q: [.., n_heads, n_q, d_k], k: [.., n_kv_heads, n_k, d_k],
   * v: [.., n_kv_heads, n_k, d_v] -> [.., n_heads, n_q, d_v]; n_kv_heads divides n_heads. With `return_weights` also
   * weights and scores; without, memory is linear in n. What a masked position holds, even NaN, changes no bit.
   * Vaswani et al., "Attention Is All You Need", section 3.2.1.
   */
  attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    options: AttentionOptions & { readonly return_weights: true },
  ): AttentionResult;
  attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    options: AttentionOptions & { readonly return_stats: true },
  ): TiledAttentionResult;
  attention(q: TensorLike, k: TensorLike, v: TensorLike, options?: AttentionOptions & OutOption): Tensor;

  /** Gradients by q, k and v from what the forward returned with the same options, and dout = dL/dout. */
  attention_backward(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    forward: AttentionResult | TiledAttentionResult,
    dout: TensorLike,
    options?: AttentionOptions,
  ): AttentionGradients;

  /** [.., n_past + n, d]: a cache's keys or values followed by x. */
  append_rows(past: TensorLike, x: TensorLike): Tensor;
}

/** Room for scores, weights and out. */
export function makeResults(
  memory: TensorMemory,
  op: string,
  [q, k, v]: readonly [q: Tensor, k: Tensor, v: Tensor],
): AttentionResult {
  const leading = q.shape.slice(0, -1);
  const scores = memory.empty(op, [...leading, k.shape.at(-2) ?? 1]);
  const weights = memory.empty(op, scores.shape);
  return { out: memory.empty(op, [...leading, v.shape.at(-1) ?? 1]), weights, scores };
}

/** Throws `ValueError`, `ShapeError`; the name of a scale is looked up in C++. */
export function attentionArguments(
  memory: TensorMemory,
  op: string,
  options: AttentionOptions = {},
): Group<"attention"> {
  const { softcap = 0, n_past = 0 } = options;
  return inOrder(operators.attention, {
    scale: options.scale === undefined ? undefined : scaleArgument(op, options.scale),
    softcap: finite(op, "softcap", softcap, 0),
    causal: choiceOf(op, "causal", operators.causalNames, options.causal),
    n_past: whole(op, "n_past", n_past, 0, Number.MAX_SAFE_INTEGER),
    mask: memory.mask(op, "mask", options.mask),
    bias: memory.optional(op, "bias", options.bias),
    lengths: options.lengths ? memory.indices(op, "lengths", options.lengths) : undefined,
  }) as Group<"attention">;
}

export function makeAttentionKernels(memory: TensorMemory): AttentionKernels {
  const { border } = memory;

  type Inputs = readonly [q: TensorLike, k: TensorLike, v: TensorLike];
  type Options = AttentionOptions & OutOption & { return_weights?: boolean; return_stats?: boolean };
  function attention(
    ...[q, k, v, options = {}]: [...Inputs, options?: Options]
  ): AttentionResult | TiledAttentionResult | Tensor {
    const op = "attention";
    return memory.scope((): AttentionResult | TiledAttentionResult | Tensor => {
      const inputs = taken(memory, op, { q, k, v });
      const given = { ...inputs, options: attentionArguments(memory, op, options) };
      if (options.return_weights) {
        const results = makeResults(memory, op, [inputs.q, inputs.k, inputs.v]);
        const { scores, weights, out } = results;
        border.call(operators.attention_forward, { ...given, scores, weights, out });
        return results;
      }
      const leading = inputs.q.shape.slice(0, -1);
      const shape = [...leading, inputs.v.shape.at(-1) ?? 1];
      const out = memory.result(op, options.out, shape, [q, k, v, options.mask, options.bias]);
      const row_stats = options.return_stats ? memory.empty(op, [...leading, 2]) : undefined;
      border.call(operators.tiled_attention_forward, { ...given, out, row_stats });
      return row_stats ? { out, row_stats } : out;
    });
  }

  function attention_backward(
    ...[q, k, v, forward, dout, options = {}]: Parameters<AttentionKernels["attention_backward"]>
  ): AttentionGradients {
    const op = "attention_backward";
    return memory.scope(() => {
      const inputs = taken(memory, op, { q, k, v });
      const given = attentionArguments(memory, op, options);
      const upstream = memory.take(op, "dout", dout);
      const empty = (shape: readonly number[]): Tensor => memory.empty(op, shape);
      const results = likewise({ dq: inputs.q, dk: inputs.k, dv: inputs.v }, empty);
      const all = { ...inputs, options: given, dout: upstream, ...results };
      if ("weights" in forward) {
        const { scores, weights } = taken(memory, op, { scores: forward.scores, weights: forward.weights });
        const dscores = memory.empty(op, weights.shape);
        border.call(operators.attention_backward, { ...all, scores, weights, dscores });
      } else {
        border.call(operators.tiled_attention_backward, {
          ...all,
          row_stats: memory.take(op, "row_stats", forward.row_stats),
        });
      }
      return results;
    });
  }

  function append_rows(past: TensorLike, x: TensorLike): Tensor {
    const op = "append_rows";
    return memory.scope(() => {
      const [before, after] = [memory.take(op, "past", past), memory.take(op, "x", x)];
      const rows = (before.shape.at(-2) ?? 1) + (after.shape.at(-2) ?? 1);
      const present = memory.empty(op, [...after.shape.slice(0, -2), rows, after.shape.at(-1) ?? 1]);
      border.call(operators.append_rows, { past: before, x: after, present });
      return present;
    });
  }

  return {
    attention: attention as AttentionKernels["attention"],
    attention_backward,
    append_rows,
  };
}
