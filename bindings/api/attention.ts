// Scaled dot-product attention.
import type { OutOption } from "./matrix.ts";
import { finite, whole } from "./number.ts";
import type { RawArgument, RawTensor } from "./raw.ts";
import type { Mask, Tensor, TensorLike, TensorMemory } from "./tensor.ts";
import type { ShapedData } from "./types.ts";

export interface AttentionOptions {
  /** Factor on q·k; default 1/√d_k. */
  readonly scale?: number;
  /** c > 0: the scores become c·tanh(scores / c), before bias and masks. Default 0, none. */
  readonly softcap?: number;
  /** Which diagonal ends the past where n_q ≠ n_k (there is no default); absent = not causal. */
  readonly causal?: "top_left" | "bottom_right";
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

export type Inputs = readonly [q: TensorLike, k: TensorLike, v: TensorLike];

/** q, k and v as tensors. */
export function takeInputs(
  memory: TensorMemory,
  op: string,
  inputs: Inputs,
  valuesName = "v",
): readonly [Tensor, Tensor, Tensor] {
  const names = ["q", "k", valuesName] as const;
  return inputs.map((input, i) => memory.take(op, names[i]!, input)) as unknown as [Tensor, Tensor, Tensor];
}

export const raw = (tensors: readonly Tensor[]): RawTensor[] => tensors.map((tensor) => tensor.raw);

/** Room for scores, weights and out. */
export function makeResults(
  memory: TensorMemory,
  op: string,
  [q, k, v]: readonly [Tensor, Tensor, Tensor],
): AttentionResult {
  const leading = q.shape.slice(0, -1);
  const scores = memory.empty(op, [...leading, k.shape.at(-2) ?? 1]);
  const weights = memory.empty(op, scores.shape);
  return { out: memory.empty(op, [...leading, v.shape.at(-1) ?? 1]), weights, scores };
}

/** As C++'s Arguments::attention_options reads them. Throws `ValueError`, `ShapeError`. */
export function attentionArguments(
  memory: TensorMemory,
  op: string,
  options: AttentionOptions = {},
): readonly RawArgument[] {
  const { scale, softcap = 0, n_past = 0 } = options;
  return [
    scale === undefined ? NaN : finite(op, "scale", scale),
    finite(op, "softcap", softcap, 0),
    memory.border.choice(op, "causal", "causal", options.causal),
    whole(op, "n_past", n_past, 0, Number.MAX_SAFE_INTEGER),
    memory.mask(op, "mask", options.mask),
    memory.optional(op, "bias", options.bias),
    options.lengths ? memory.indices(op, "lengths", options.lengths) : undefined,
  ];
}

export function makeAttentionKernels(memory: TensorMemory): AttentionKernels {
  const { border } = memory;

  const given = (op: string, options: AttentionOptions) => attentionArguments(memory, op, options);

  type Options = AttentionOptions & OutOption & { return_weights?: boolean; return_stats?: boolean };
  function attention(
    ...[q, k, v, options = {}]: [...Inputs, options?: Options]
  ): AttentionResult | TiledAttentionResult | Tensor {
    const op = "attention";
    return memory.scope((): AttentionResult | TiledAttentionResult | Tensor => {
      const inputs = takeInputs(memory, op, [q, k, v]);
      const given_ = given(op, options);
      if (options.return_weights) {
        const results = makeResults(memory, op, inputs);
        const { scores, weights, out } = results;
        border.call("attention_forward", ...raw(inputs), ...given_, ...raw([scores, weights, out]));
        return results;
      }
      const leading = inputs[0].shape.slice(0, -1);
      const shape = [...leading, inputs[2].shape.at(-1) ?? 1];
      const out = memory.result(op, options.out, shape, [q, k, v, options.mask, options.bias]);
      const row_stats = options.return_stats ? memory.empty(op, [...leading, 2]) : undefined;
      border.call("tiled_attention_forward", ...raw(inputs), ...given_, out.raw, row_stats?.raw);
      return row_stats ? { out, row_stats } : out;
    });
  }

  function attention_backward(
    ...[q, k, v, forward, dout, options = {}]: Parameters<AttentionKernels["attention_backward"]>
  ): AttentionGradients {
    const op = "attention_backward";
    return memory.scope(() => {
      const inputs = takeInputs(memory, op, [q, k, v]);
      const given_ = given(op, options);
      const gradient = memory.take(op, "dout", dout);
      const [dq, dk, dv] = inputs.map((input) => memory.empty(op, input.shape)) as [Tensor, Tensor, Tensor];
      const results = raw([dq, dk, dv]);
      if ("weights" in forward) {
        const { scores, weights } = forward;
        const dscores = memory.empty(op, weights.shape);
        const upstream = raw([scores, weights, gradient, dscores]);
        border.call("attention_backward", ...raw(inputs), ...given_, ...upstream, ...results);
      } else {
        const upstream = raw([forward.row_stats, gradient]);
        border.call("tiled_attention_backward", ...raw(inputs), ...given_, ...upstream, ...results);
      }
      return { dq, dk, dv };
    });
  }

  function append_rows(past: TensorLike, x: TensorLike): Tensor {
    const op = "append_rows";
    return memory.scope(() => {
      const [before, after] = [memory.take(op, "past", past), memory.take(op, "x", x)];
      const rows = (before.shape.at(-2) ?? 1) + (after.shape.at(-2) ?? 1);
      const present = memory.empty(op, [...after.shape.slice(0, -2), rows, after.shape.at(-1) ?? 1]);
      border.call(op, before.raw, after.raw, present.raw);
      return present;
    });
  }

  return {
    attention: attention as AttentionKernels["attention"],
    attention_backward,
    append_rows,
  };
}
