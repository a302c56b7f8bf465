// Operators over rows and single elements: softmax, norms, activations, loss, dropout.
import { choiceOf } from "./choice.ts";
import { agreed, carried } from "./forward_options.ts";
import { has } from "./given.ts";
import type { Names } from "./known_names.ts";
import type { OutOption } from "./matrix.ts";
import { shapedLike, taken } from "./named.ts";
import { whole } from "./number.ts";
import { seed64 } from "./params.ts";
import * as operators from "./signatures.ts";
import type { Activation, Reduction } from "./signatures.ts";
import type { Ids, Tensor, TensorLike, TensorMemory } from "./tensor.ts";

export interface NormOptions extends OutOption, GainOption {
  /** Added to the variance (or mean square); default 1e-5. */
  readonly epsilon?: number;
}

export interface LayerNormOptions extends NormOptions {
  /** [n]; default 0. */
  readonly bias?: TensorLike;
}

/** `rowStats`: [.., 2], mean and 1/std of each row (layer norm), or [..], 1/rms (RMS norm): for the backward pass. */
export interface Normalized {
  readonly out: Tensor;
  readonly rowStats: Tensor;
  /** Of the call, for the backward pass. */
  readonly options: GainOption;
}

export interface GainOption {
  /** [n], factors; default 1. */
  readonly gain?: TensorLike;
}

/** A forward pass's result, whose gain the backward pass has; or its statistics alone. */
export type NormForward = TensorLike | { readonly rowStats: TensorLike; readonly options?: GainOption };

/** dx has the shape of x; dgain is [n], summed over the rows. */
export interface NormGradients {
  readonly dx: Tensor;
  readonly dgain: Tensor;
}

export interface CrossEntropyOptions {
  readonly reduction?: Reduction;
  /** ε: the target is 1 - ε on its class, plus ε / n_classes on each. Default 0. */
  readonly labelSmoothing?: number;
  /** Rows with this target count nothing. Default -100. */
  readonly ignoreIndex?: number;
  /** [n_classes]; default 1. */
  readonly weight?: TensorLike;
}

export interface CrossEntropy {
  /** Reduced; the sum for "none". */
  readonly loss: number;
  /** [..], of each row before the reduction. */
  readonly losses: Tensor;
  /** [.., n_classes] */
  readonly logProbs: Tensor;
  /** Those of the call, for the backward pass. */
  readonly options: CrossEntropyOptions;
}

/** A forward pass's result, whose options the backward pass has; or its `logProbs` alone. */
export type LossForward =
  TensorLike | { readonly logProbs: TensorLike; readonly options?: CrossEntropyOptions };

export const lossNames: Names<CrossEntropyOptions> = {
  ...{ reduction: 1, labelSmoothing: 1, ignoreIndex: 1, weight: 1 },
};

export interface DropoutOptions extends OutOption {
  /** Unsigned 64-bit; beyond 2^53 a bigint or decimal text. Default 0. */
  readonly seed?: number | bigint | string;
  /** Independent masks for one seed: 0 .. 2^53 - 1. Default 0. */
  readonly stream?: number;
}

/** Over the last dimension or single elements. `out` may be the input. All throw `ShapeError`, `ValueError`, `OutOfMemoryError`. */
export interface RowOps {
  /** Within 3 ULP. A row that holds NaN or +Infinity, or only -Infinity, gives NaN. */
  softmax(x: TensorLike, options?: OutOption): Tensor;
  /** dL/dx from p = softmax(x) and dp = dL/dp, all of one shape. */
  softmaxBackward(p: TensorLike, dp: TensorLike, options?: OutOption): Tensor;
  /** x - log(sum(exp(x))), from which no probability vanishes: -1000 stays -1000. */
  logSoftmax(x: TensorLike, options?: OutOption): Tensor;
  /** dL/dx from y = logSoftmax(x) and dy = dL/dy. */
  logSoftmaxBackward(y: TensorLike, dy: TensorLike, options?: OutOption): Tensor;

  /** Element by element; gelu is the exact one, x Φ(x). */
  activation(name: Activation, x: TensorLike, options?: OutOption): Tensor;
  /** dL/dx from the forward's x and dout. */
  activationBackward(name: Activation, x: TensorLike, dout: TensorLike, options?: OutOption): Tensor;

  /** (x - mean) / sqrt(variance + epsilon) * gain + bias. Ba, Kiros and Hinton, 2016. */
  layerNorm(x: TensorLike, options: LayerNormOptions & { readonly returnStats: true }): Normalized;
  layerNorm(x: TensorLike, options?: LayerNormOptions & { readonly returnStats?: false }): Tensor;
  layerNorm(
    x: TensorLike,
    options: LayerNormOptions & { readonly returnStats?: boolean },
  ): Normalized | Tensor;
  /** dL/dx, dL/dgain and dL/dbias from the forward's x and result, and dout = dL/dout. */
  layerNormBackward(
    x: TensorLike,
    forward: NormForward,
    dout: TensorLike,
    options?: GainOption,
  ): NormGradients & { readonly dbias: Tensor };

  /** x / sqrt(mean(x²) + epsilon) * gain. Zhang and Sennrich, 2019. */
  rmsNorm(x: TensorLike, options: NormOptions & { readonly returnStats: true }): Normalized;
  rmsNorm(x: TensorLike, options?: NormOptions & { readonly returnStats?: false }): Tensor;
  rmsNorm(x: TensorLike, options: NormOptions & { readonly returnStats?: boolean }): Normalized | Tensor;
  /** dL/dx and dL/dgain from the forward's x and result, and dout = dL/dout. */
  rmsNormBackward(x: TensorLike, forward: NormForward, dout: TensorLike, options?: GainOption): NormGradients;

  /** The loss of softmax(logits [.., n_classes]) against class indices [..]. */
  crossEntropy(logits: TensorLike, target: Ids, options?: CrossEntropyOptions): CrossEntropy;
  /** dL/dlogits from the forward's result; dloss: a number, or [..] for the reduction "none". */
  crossEntropyBackward(
    forward: LossForward,
    target: Ids,
    dloss: number | TensorLike,
    options?: CrossEntropyOptions,
  ): Tensor;

  /** An element is 0 with this probability and x / (1 - probability) otherwise; which, depends on seed, stream and its index. */
  dropout(x: TensorLike, probability: number, options?: DropoutOptions): Tensor;
  /** dL/dx from dout: the same elements are dropped for the same probability and options. */
  dropoutBackward(dout: TensorLike, probability: number, options?: DropoutOptions): Tensor;
}

const gainNames: Names<GainOption> = { gain: 1 };

function statsOf(forward: NormForward): [TensorLike, GainOption | undefined] {
  return has(forward, "rowStats") ? [forward.rowStats, forward.options] : [forward, undefined];
}

function isLoss(forward: LossForward): forward is Exclude<LossForward, TensorLike> {
  return has(forward, "logProbs");
}

export function makeRowOps(memory: TensorMemory): RowOps {
  const { border } = memory;
  const activationOf = (op: string, name: Activation) =>
    choiceOf(op, "name", operators.activationNames, name);
  const ofForward = { row_rrms: "rowStats" };
  type Normalize = NormOptions & { readonly returnStats?: boolean };

  /** What a norm takes and gives; `stats` is the shape of a row's statistics. */
  function normalized(
    op: string,
    x: TensorLike,
    { gain, epsilon = 1e-5, out, returnStats }: Normalize,
    inputs: readonly unknown[],
    stats: readonly number[],
  ) {
    const input = memory.take(op, "x", x);
    const given = { x: input, gain: memory.optional(op, "gain", gain), epsilon };
    const result = memory.result(op, out, input.shape, inputs);
    const shape = [...input.shape.slice(0, -1), ...stats];
    const rowStats = returnStats ? memory.empty(op, shape) : undefined;
    return { given, out: result, rowStats };
  }

  function layerNorm(
    x: TensorLike,
    options: LayerNormOptions & { readonly returnStats?: boolean } = {},
  ): Tensor | Normalized {
    const op = "layerNorm";
    return memory.scope((): Tensor | Normalized => {
      const { gain, bias } = options;
      const { given, out, rowStats } = normalized(op, x, options, [gain, bias], [2]);
      border.call(op, operators.layerNormForward, {
        ...given,
        bias: memory.optional(op, "bias", bias),
        out,
        rowStats,
      });
      return rowStats ? { out, rowStats, options: carried<GainOption>(options, gainNames) } : out;
    });
  }

  function rmsNorm(x: TensorLike, options: Normalize = {}): Tensor | Normalized {
    const op = "rmsNorm";
    return memory.scope((): Tensor | Normalized => {
      const { given, out, rowStats } = normalized(op, x, options, [options.gain], []);
      border.call(op, operators.rmsNormForward, { ...given, out, rowRrms: rowStats });
      return rowStats ? { out, rowStats, options: carried<GainOption>(options, gainNames) } : out;
    });
  }

  function layerNormBackward(
    ...[x, forward, dout, options = {}]: Parameters<RowOps["layerNormBackward"]>
  ): NormGradients & { readonly dbias: Tensor } {
    const op = "layerNormBackward";
    return memory.scope(() => {
      const [rowStats, own] = statsOf(forward);
      const given = taken(memory, op, { x, rowStats, dout });
      const gain = memory.optional(op, "gain", agreed(memory, op, own, options).gain);
      const n = given.x.shape.at(-1) ?? 1;
      const [dgain, dbias] = [memory.zeros(op, [n]), memory.zeros(op, [n])];
      const results = { dx: memory.empty(op, given.x.shape), dgain, dbias };
      border.call(op, operators.layerNormBackward, { ...given, gain, ...results });
      return results;
    });
  }

  function rmsNormBackward(
    ...[x, forward, dout, options = {}]: Parameters<RowOps["rmsNormBackward"]>
  ): NormGradients {
    const op = "rmsNormBackward";
    return memory.scope(() => {
      const [rowStats, own] = statsOf(forward);
      const { rowStats: rowRrms, ...given } = taken(memory, op, { x, rowStats, dout });
      const gain = memory.optional(op, "gain", agreed(memory, op, own, options).gain);
      const dgain = memory.zeros(op, [given.x.shape.at(-1) ?? 1]);
      const results = { dx: memory.empty(op, given.x.shape), dgain };
      border.call(op, operators.rmsNormBackward, { ...given, rowRrms, gain, ...results }, ofForward);
      return results;
    });
  }

  function lossOptions(op: string, options: CrossEntropyOptions) {
    const { reduction = "mean", labelSmoothing = 0, ignoreIndex = -100, weight } = options;
    return {
      reduction: choiceOf(op, "reduction", operators.reductionNames, reduction),
      labelSmoothing,
      ignoreIndex,
      weight: memory.optional(op, "weight", weight),
    };
  }

  function crossEntropy(...[logits, target, options = {}]: Parameters<RowOps["crossEntropy"]>): CrossEntropy {
    const op = "crossEntropy";
    let loss = NaN;
    const results = memory.scope(() => {
      const input = memory.take(op, "logits", logits);
      const classes = memory.indices(op, "target", target);
      const given = lossOptions(op, options);
      const made = { logProbs: memory.empty(op, input.shape), losses: memory.empty(op, classes.shape) };
      loss = border.call(op, operators.crossEntropyForward, {
        logits: input,
        target: classes,
        ...given,
        ...made,
      });
      return made;
    });
    return { loss, ...results, options: carried(options, lossNames) };
  }

  function crossEntropyBackward(
    ...[forward, target, dloss, options = {}]: Parameters<RowOps["crossEntropyBackward"]>
  ): Tensor {
    const op = "crossEntropyBackward";
    const gradient = typeof dloss === "number" ? { data: [dloss], shape: [1] } : dloss;
    return memory.scope(() => {
      const [logProbs, own] = isLoss(forward) ? [forward.logProbs, forward.options] : [forward, undefined];
      const input = memory.take(op, "logProbs", logProbs);
      const classes = memory.indices(op, "target", target);
      const upstream = memory.take(op, "dloss", gradient);
      const dlogits = memory.empty(op, input.shape);
      border.call(op, operators.crossEntropyBackward, {
        logProbs: input,
        dloss: upstream,
        dlogits,
        target: classes,
        ...lossOptions(op, agreed(memory, op, own, options)),
      });
      return dlogits;
    });
  }

  /** What says which elements are dropped. */
  function dropoutKey(op: string, { seed = 0, stream = 0 }: DropoutOptions) {
    return {
      stream: whole(op, "stream", stream, 0, Number.MAX_SAFE_INTEGER),
      seed: seed64(op, seed),
    };
  }

  return {
    softmax: (x, options = {}) => {
      const op = "softmax";
      return shapedLike(memory, op, { x }, options, (given, out) =>
        border.call(op, operators.softmaxForward, { ...given, out }),
      );
    },
    softmaxBackward: (p, dp, options = {}) => {
      const op = "softmaxBackward";
      return shapedLike(memory, op, { p, dp }, options, (given, dx) =>
        border.call(op, operators.softmaxBackward, { ...given, dx }),
      );
    },
    logSoftmax: (x, options = {}) => {
      const op = "logSoftmax";
      return shapedLike(memory, op, { x }, options, (given, out) =>
        border.call(op, operators.logSoftmaxForward, { ...given, out }),
      );
    },
    logSoftmaxBackward: (y, dy, options = {}) => {
      const op = "logSoftmaxBackward";
      return shapedLike(memory, op, { y, dy }, options, (given, dx) =>
        border.call(op, operators.logSoftmaxBackward, { ...given, dx }),
      );
    },
    activation: (name, x, options = {}) => {
      const op = "activation";
      const activation = activationOf(op, name);
      return shapedLike(memory, op, { x }, options, (given, out) =>
        border.call(op, operators.activationForward, { activation, ...given, out }),
      );
    },
    activationBackward: (name, x, dout, options = {}) => {
      const op = "activationBackward";
      const activation = activationOf(op, name);
      return shapedLike(memory, op, { x, dout }, options, (given, dx) =>
        border.call(op, operators.activationBackward, { activation, ...given, dx }),
      );
    },
    layerNorm: layerNorm as RowOps["layerNorm"],
    layerNormBackward,
    rmsNorm: rmsNorm as RowOps["rmsNorm"],
    rmsNormBackward,
    crossEntropy,
    crossEntropyBackward,
    dropout: (x, probability, options = {}) => {
      const op = "dropout";
      const key = dropoutKey(op, options);
      return shapedLike(memory, op, { x }, options, (given, out) =>
        border.call(op, operators.dropoutForward, { ...given, probability, ...key, out }),
      );
    },
    dropoutBackward: (dout, probability, options = {}) => {
      const op = "dropoutBackward";
      const key = dropoutKey(op, options);
      return shapedLike(memory, op, { dout }, options, (given, dx) =>
        border.call(op, operators.dropoutBackward, { ...given, probability, ...key, dx }),
      );
    },
  };
}
