// Scaled dot-product attention.
import { choiceOf } from "./choice.ts";
import { ValueError } from "./errors.ts";
import { agreed, carried } from "./forward_options.ts";
import { isGiven, kindOf } from "./given.ts";
import type { Names } from "./known_names.ts";
import type { OutOption } from "./matrix.ts";
import { likewise, taken } from "./named.ts";
import { finite, whole } from "./number.ts";
import { scaleArgument } from "./scale.ts";
import type { Scales } from "./scale.ts";
import { inOrder } from "./signature.ts";
import type { Group } from "./signature.ts";
import * as operators from "./signatures.ts";
import type { Causal } from "./signatures.ts";
import { Tensor } from "./tensor.ts";
import type { Ids, Mask, TensorLike, TensorMemory } from "./tensor.ts";

/** How scores come from q and k, and which of them count. */
export interface AttentionOptions {
  /** Factor on q·k, or its name, such as `"1/d"`, or a list of one for each head; default 1/√d_k. */
  readonly scale?: Scales;
  /** c > 0: the scores become c·tanh(scores / c), before bias and masks. Default 0, none. */
  readonly softcap?: number;
  /** Which diagonal ends the past where n_q ≠ n_k (there is no default); absent = not causal. */
  readonly causal?: Causal;
  /** Keys before the first query's own, from a cache: moves the top-left diagonal. */
  readonly nPast?: number;
  /** Broadcast to [.., n_q, n_k] as in NumPy. */
  readonly mask?: Mask;
  /** Added to the scores, broadcast as `mask` is; exactly -Infinity masks. */
  readonly bias?: TensorLike;
  /** How many keys of each sequence are no padding; its shape is the first dimensions of q. */
  readonly lengths?: Ids;
}

/** What can be seen: the explainable form. */
export interface AttentionResult<Options = AttentionOptions> {
  /** [.., n_q, d_v] */
  readonly out: Tensor;
  /** [.., n_q, n_k]; each row sums to 1; a fully masked row is 0. */
  readonly weights: Tensor;
  /** [.., n_q, n_k]: softcap(scale · q·k) + bias; -Infinity where masked. */
  readonly scores: Tensor;
  /** Those of the call, for the backward pass. */
  readonly options: Options;
}

/** What the backward pass of the tiled form needs: memory linear in n. */
export interface TiledAttentionResult {
  readonly out: Tensor;
  /** [.., n_q, 2]: of each row of scores the largest, and the sum of exp(score - largest). */
  readonly rowStats: Tensor;
  /** Those of the call, for the backward pass. */
  readonly options: AttentionOptions;
}

/** What a backward pass takes of a forward pass's result. Without options it has those that the backward call has. */
export type AttentionForward =
  | { readonly scores: TensorLike; readonly weights: TensorLike; readonly options?: AttentionOptions }
  | { readonly rowStats: TensorLike; readonly options?: AttentionOptions };

/** dL/dq, dL/dk and dL/dv, in the shapes of q, k and v. */
export interface AttentionGradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dv: Tensor;
}

/** All throw `ShapeError` where shapes do not fit, `ValueError` and `OutOfMemoryError`; nothing is changed then. */
export interface AttentionOps {
  /**
   * softmax(scale · q kᵀ + bias) · v with q: [.., n_heads, n_q, d_k], k: [.., n_kv_heads, n_k, d_k],
   * v: [.., n_kv_heads, n_k, d_v] -> [.., n_heads, n_q, d_v]; n_kv_heads divides n_heads. With `returnWeights` also
   * weights and scores; without, memory is linear in n. What a masked position holds, even NaN, changes no bit.
   * Vaswani et al., "Attention Is All You Need", section 3.2.1.
   */
  attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    options: AttentionOptions & { readonly returnWeights: true },
  ): AttentionResult;
  attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    options: AttentionOptions & OutOption & { readonly returnWeights?: false; readonly returnStats: true },
  ): TiledAttentionResult;
  attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    options?: AttentionOptions & OutOption & { readonly returnWeights?: false; readonly returnStats?: false },
  ): Tensor;
  attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    options: AttentionOptions &
      OutOption & { readonly returnWeights?: boolean; readonly returnStats?: boolean },
  ): AttentionResult | TiledAttentionResult | Tensor;

  /**
   * Gradients by q, k and v from dout = dL/dout and what the forward returned with `returnWeights` or `returnStats`,
   * which carries its options: others are refused here.
   */
  attentionBackward(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    forward: AttentionForward,
    dout: TensorLike,
    options?: AttentionOptions,
  ): AttentionGradients;

  /** [.., nPast + n, d]: a cache's keys or values followed by x. */
  appendRows(past: TensorLike, x: TensorLike): Tensor;
}

/** Room for scores, weights and out. */
export function makeResults(
  memory: TensorMemory,
  op: string,
  [q, k, v]: readonly [q: Tensor, k: Tensor, v: Tensor],
): Omit<AttentionResult, "options"> {
  const leading = q.shape.slice(0, -1);
  const scores = memory.empty(op, [...leading, k.shape.at(-2) ?? 1]);
  const weights = memory.empty(op, scores.shape);
  return { out: memory.empty(op, [...leading, v.shape.at(-1) ?? 1]), weights, scores };
}

export const scoreNames: Names<AttentionOptions> = {
  ...{ scale: 1, softcap: 1, causal: 1, nPast: 1 },
  ...{ mask: 1, bias: 1, lengths: 1 },
};

/** The forward's statistics and options. Throws `ValueError` where there are none. */
function statsOf(op: string, forward: AttentionForward): [AttentionForward, AttentionOptions | undefined] {
  const given = Object(forward) as AttentionForward; // also where it is nothing
  if (("scores" in given && "weights" in given) || "rowStats" in given) return [given, given.options];
  const expected = "what attention returns with returnWeights or returnStats";
  const got = forward instanceof Tensor ? "its output alone" : kindOf(forward);
  throw new ValueError({ code: "unsupported", operator: op, argument: "forward", expected, got });
}

/** Throws `ValueError`, `ShapeError`; the name of a scale is looked up in C++. */
export function attentionArguments(
  memory: TensorMemory,
  op: string,
  options: AttentionOptions = {},
): Group<"attention"> {
  const { softcap = 0, nPast = 0 } = options;
  return inOrder(operators.attention, {
    scale: options.scale === undefined ? undefined : scaleArgument(op, options.scale),
    softcap: finite(op, "softcap", softcap, 0),
    causal: choiceOf(op, "causal", operators.causalNames, options.causal),
    nPast: whole(op, "nPast", nPast, 0, Number.MAX_SAFE_INTEGER),
    mask: memory.mask(op, "mask", options.mask),
    bias: memory.optional(op, "bias", options.bias),
    lengths: isGiven(options.lengths) ? memory.indices(op, "lengths", options.lengths) : undefined,
  }) as Group<"attention">;
}

export function makeAttentionOps(memory: TensorMemory): AttentionOps {
  const { border } = memory;

  type Inputs = readonly [q: TensorLike, k: TensorLike, v: TensorLike];
  type Options = AttentionOptions & OutOption & { returnWeights?: boolean; returnStats?: boolean };
  function attention(
    ...[q, k, v, options = {}]: [...Inputs, options?: Options]
  ): AttentionResult | TiledAttentionResult | Tensor {
    const op = "attention";
    return memory.scope((): AttentionResult | TiledAttentionResult | Tensor => {
      const inputs = taken(memory, op, { q, k, v });
      const given = { ...inputs, options: attentionArguments(memory, op, options) };
      if (options.returnWeights) {
        const results = makeResults(memory, op, [inputs.q, inputs.k, inputs.v]);
        const { scores, weights, out } = results;
        border.call(op, operators.attentionForward, { ...given, scores, weights, out });
        return { ...results, options: carried(options, scoreNames) };
      }
      const leading = inputs.q.shape.slice(0, -1);
      const shape = [...leading, inputs.v.shape.at(-1) ?? 1];
      const out = memory.result(op, options.out, shape, [q, k, v, options.mask, options.bias]);
      const rowStats = options.returnStats ? memory.empty(op, [...leading, 2]) : undefined;
      border.call(op, operators.tiledAttentionForward, { ...given, out, rowStats });
      return rowStats ? { out, rowStats, options: carried(options, scoreNames) } : out;
    });
  }

  function attentionBackward(
    ...[q, k, v, forward, dout, options = {}]: Parameters<AttentionOps["attentionBackward"]>
  ): AttentionGradients {
    const op = "attentionBackward";
    return memory.scope(() => {
      const inputs = taken(memory, op, { q, k, v });
      const [stats, own] = statsOf(op, forward);
      const given = attentionArguments(memory, op, agreed(memory, op, own, options));
      const upstream = memory.take(op, "dout", dout);
      const empty = (shape: readonly number[]): Tensor => memory.empty(op, shape);
      const results = likewise({ dq: inputs.q, dk: inputs.k, dv: inputs.v }, empty);
      const all = { ...inputs, options: given, dout: upstream, ...results };
      if ("weights" in stats) {
        const { scores, weights } = taken(memory, op, { scores: stats.scores, weights: stats.weights });
        const dscores = memory.empty(op, weights.shape);
        border.call(op, operators.attentionBackward, { ...all, scores, weights, dscores });
      } else {
        const rowStats = memory.take(op, "rowStats", stats.rowStats);
        border.call(op, operators.tiledAttentionBackward, { ...all, rowStats });
      }
      return results;
    });
  }

  function appendRows(past: TensorLike, x: TensorLike): Tensor {
    const op = "appendRows";
    return memory.scope(() => {
      const [before, after] = [memory.take(op, "past", past), memory.take(op, "x", x)];
      const rows = (before.shape.at(-2) ?? 1) + (after.shape.at(-2) ?? 1);
      const present = memory.empty(op, [...after.shape.slice(0, -2), rows, after.shape.at(-1) ?? 1]);
      border.call(op, operators.appendRows, { past: before, x: after, present });
      return present;
    });
  }

  return {
    attention: attention as AttentionOps["attention"],
    attentionBackward,
    appendRows,
  };
}
