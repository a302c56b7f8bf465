// Operators over rows and single elements: softmax, norms, activations, loss, dropout.
import { choiceOf } from "./choice.ts";
import type { OutOption } from "./matrix.ts";
import { shapedLike, taken } from "./named.ts";
import { whole } from "./number.ts";
import { seed64 } from "./params.ts";
import * as operators from "./signatures.ts";
import type { Activation, Reduction } from "./signatures.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";
import type { ShapedData } from "./types.ts";

export interface NormOptions extends OutOption {
  /** [n], factors; default 1. */
  readonly gain?: TensorLike;
  /** Added to the variance (or mean square); default 1e-5. */
  readonly epsilon?: number;
}

export interface LayerNormOptions extends NormOptions {
  /** [n]; default 0. */
  readonly bias?: TensorLike;
}

/** `row_stats`: [.., 2], mean and 1/std of each row (layer norm), or [..], 1/rms (RMS norm): for the backward pass. */
export interface Normalized {
  readonly out: Tensor;
  readonly row_stats: Tensor;
}

/** dx has the shape of x; dgain is [n], summed over the rows. */
export interface NormGradients {
  readonly dx: Tensor;
  readonly dgain: Tensor;
}

export interface CrossEntropyOptions {
  readonly reduction?: Reduction;
  /** ε: the target is 1 - ε on its class, plus ε / n_classes on each. Default 0. */
  readonly label_smoothing?: number;
  /** Rows with this target count nothing. Default -100. */
  readonly ignore_index?: number;
  /** [n_classes]; default 1. */
  readonly weight?: TensorLike;
}

export interface CrossEntropy {
  /** Reduced; the sum for "none". */
  readonly loss: number;
  /** [..], of each row before the reduction. */
  readonly losses: Tensor;
  /** [.., n_classes] */
  readonly log_probs: Tensor;
}

export interface DropoutOptions extends OutOption {
  /** Unsigned 64-bit; beyond 2^53 a bigint or decimal text. Default 0. */
  readonly seed?: number | bigint | string;
  /** Independent masks for one seed: 0 .. 2^53 - 1. Default 0. */
  readonly stream?: number;
}

/** Over the last dimension or single elements. `out` may be the input. All throw `ShapeError`, `ValueError`, `OutOfMemory`. */
export interface RowKernels {
  /** Within 3 ULP. A row that holds NaN or +Infinity, or only -Infinity, gives NaN. */
  softmax(x: TensorLike, options?: OutOption): Tensor;
  /** dL/dx from p = softmax(x) and dp = dL/dp, all of one shape. */
  softmax_backward(p: TensorLike, dp: TensorLike, options?: OutOption): Tensor;
  /** x - log(sum(exp(x))), from which no probability vanishes: -1000 stays -1000. */
  log_softmax(x: TensorLike, options?: OutOption): Tensor;
  /** dL/dx from y = log_softmax(x) and dy = dL/dy. */
  log_softmax_backward(y: TensorLike, dy: TensorLike, options?: OutOption): Tensor;

  /** Element by element; gelu is the exact one, x Φ(x). */
  activation(name: Activation, x: TensorLike, options?: OutOption): Tensor;
  /** dL/dx from the forward's x and dout. */
  activation_backward(name: Activation, x: TensorLike, dout: TensorLike, options?: OutOption): Tensor;

  /** (x - mean) / sqrt(variance + epsilon) * gain + bias. Ba, Kiros and Hinton, 2016. */
  layer_norm(x: TensorLike, options: LayerNormOptions & { readonly return_stats: true }): Normalized;
  layer_norm(x: TensorLike, options?: LayerNormOptions & { readonly return_stats?: false }): Tensor;
  /** dL/dx, dL/dgain and dL/dbias from the forward's x and `row_stats`, and dout = dL/dout. */
  layer_norm_backward(
    x: TensorLike,
    row_stats: TensorLike,
    dout: TensorLike,
    options?: { readonly gain?: TensorLike },
  ): NormGradients & { readonly dbias: Tensor };

  /** x / sqrt(mean(x²) + epsilon) * gain. Zhang and Sennrich, 2019. */
  rms_norm(x: TensorLike, options: NormOptions & { readonly return_stats: true }): Normalized;
  rms_norm(x: TensorLike, options?: NormOptions & { readonly return_stats?: false }): Tensor;
  /** dL/dx and dL/dgain from the forward's x and `row_stats`, and dout = dL/dout. */
  rms_norm_backward(
    x: TensorLike,
    row_stats: TensorLike,
    dout: TensorLike,
    options?: { readonly gain?: TensorLike },
  ): NormGradients;

  /** The loss of softmax(logits [.., n_classes]) against class indices [..]. */
  cross_entropy(logits: TensorLike, target: ShapedData, options?: CrossEntropyOptions): CrossEntropy;
  /** dL/dlogits from the forward's log_probs; dloss: a number, or [..] for the reduction "none". */
  cross_entropy_backward(
    log_probs: TensorLike,
    target: ShapedData,
    dloss: number | TensorLike,
    options?: CrossEntropyOptions,
  ): Tensor;

  /** An element is 0 with this probability and x / (1 - probability) otherwise; which, depends on seed, stream and its index. */
  dropout(x: TensorLike, probability: number, options?: DropoutOptions): Tensor;
  /** dL/dx from dout: the same elements are dropped for the same probability and options. */
  dropout_backward(dout: TensorLike, probability: number, options?: DropoutOptions): Tensor;
}

export function makeRowKernels(memory: TensorMemory): RowKernels {
  const { border } = memory;
  const activationOf = (name: Activation) => choiceOf("activation", "name", operators.activationNames, name);
  type Normalize = NormOptions & { readonly return_stats?: boolean };

  /** What a norm takes and gives; `stats` is the shape of a row's statistics. */
  function normalized(
    op: string,
    x: TensorLike,
    { gain, epsilon = 1e-5, out, return_stats }: Normalize,
    inputs: readonly unknown[],
    stats: readonly number[],
  ) {
    const input = memory.take(op, "x", x);
    const given = { x: input, gain: memory.optional(op, "gain", gain), epsilon };
    const result = memory.result(op, out, input.shape, inputs);
    const shape = [...input.shape.slice(0, -1), ...stats];
    const row_stats = return_stats ? memory.empty(op, shape) : undefined;
    return { given, out: result, row_stats };
  }

  function layer_norm(
    x: TensorLike,
    options: LayerNormOptions & { readonly return_stats?: boolean } = {},
  ): Tensor | Normalized {
    const op = "layer_norm";
    return memory.scope((): Tensor | Normalized => {
      const { gain, bias } = options;
      const { given, out, row_stats } = normalized(op, x, options, [gain, bias], [2]);
      border.call(operators.layer_norm_forward, {
        ...given,
        bias: memory.optional(op, "bias", bias),
        out,
        row_stats,
      });
      return row_stats ? { out, row_stats } : out;
    });
  }

  function rms_norm(x: TensorLike, options: Normalize = {}): Tensor | Normalized {
    return memory.scope((): Tensor | Normalized => {
      const { given, out, row_stats } = normalized("rms_norm", x, options, [options.gain], []);
      border.call(operators.rms_norm_forward, { ...given, out, row_rrms: row_stats });
      return row_stats ? { out, row_stats } : out;
    });
  }

  function layer_norm_backward(
    ...[x, row_stats, dout, options = {}]: Parameters<RowKernels["layer_norm_backward"]>
  ): NormGradients & { readonly dbias: Tensor } {
    const op = "layer_norm_backward";
    return memory.scope(() => {
      const given = taken(memory, op, { x, row_stats, dout });
      const gain = memory.optional(op, "gain", options.gain);
      const n = given.x.shape.at(-1) ?? 1;
      const [dgain, dbias] = [memory.zeros(op, [n]), memory.zeros(op, [n])];
      const results = { dx: memory.empty(op, given.x.shape), dgain, dbias };
      border.call(operators.layer_norm_backward, { ...given, gain, ...results });
      return results;
    });
  }

  function rms_norm_backward(
    ...[x, row_stats, dout, options = {}]: Parameters<RowKernels["rms_norm_backward"]>
  ): NormGradients {
    const op = "rms_norm_backward";
    return memory.scope(() => {
      const { row_stats: row_rrms, ...given } = taken(memory, op, { x, row_stats, dout });
      const gain = memory.optional(op, "gain", options.gain);
      const dgain = memory.zeros(op, [given.x.shape.at(-1) ?? 1]);
      const results = { dx: memory.empty(op, given.x.shape), dgain };
      border.call(operators.rms_norm_backward, { ...given, row_rrms, gain, ...results });
      return results;
    });
  }

  function lossOptions(op: string, options: CrossEntropyOptions) {
    const { reduction = "mean", label_smoothing = 0, ignore_index = -100, weight } = options;
    return {
      reduction: choiceOf(op, "reduction", operators.reductionNames, reduction),
      label_smoothing,
      ignore_index,
      weight: memory.optional(op, "weight", weight),
    };
  }

  function cross_entropy(
    ...[logits, target, options = {}]: Parameters<RowKernels["cross_entropy"]>
  ): CrossEntropy {
    const op = "cross_entropy";
    let loss = NaN;
    const results = memory.scope(() => {
      const input = memory.take(op, "logits", logits);
      const classes = memory.indices(op, "target", target);
      const given = lossOptions(op, options);
      const made = { log_probs: memory.empty(op, input.shape), losses: memory.empty(op, target.shape) };
      loss = border.call(operators.cross_entropy_forward, {
        logits: input,
        target: classes,
        ...given,
        ...made,
      });
      return made;
    });
    return { loss, ...results };
  }

  function cross_entropy_backward(
    ...[log_probs, target, dloss, options = {}]: Parameters<RowKernels["cross_entropy_backward"]>
  ): Tensor {
    const op = "cross_entropy_backward";
    const gradient = typeof dloss === "number" ? { data: [dloss], shape: [1] } : dloss;
    return memory.scope(() => {
      const input = memory.take(op, "log_probs", log_probs);
      const classes = memory.indices(op, "target", target);
      const upstream = memory.take(op, "dloss", gradient);
      const dlogits = memory.empty(op, input.shape);
      border.call(operators.cross_entropy_backward, {
        log_probs: input,
        dloss: upstream,
        dlogits,
        target: classes,
        ...lossOptions(op, options),
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
    softmax: (x, options = {}) =>
      shapedLike(memory, "softmax", { x }, options, (given, out) =>
        border.call(operators.softmax_forward, { ...given, out }),
      ),
    softmax_backward: (p, dp, options = {}) =>
      shapedLike(memory, "softmax_backward", { p, dp }, options, (given, dx) =>
        border.call(operators.softmax_backward, { ...given, dx }),
      ),
    log_softmax: (x, options = {}) =>
      shapedLike(memory, "log_softmax", { x }, options, (given, out) =>
        border.call(operators.log_softmax_forward, { ...given, out }),
      ),
    log_softmax_backward: (y, dy, options = {}) =>
      shapedLike(memory, "log_softmax_backward", { y, dy }, options, (given, dx) =>
        border.call(operators.log_softmax_backward, { ...given, dx }),
      ),
    activation: (name, x, options = {}) => {
      const activation = activationOf(name);
      return shapedLike(memory, "activation", { x }, options, (given, out) =>
        border.call(operators.activation_forward, { activation, ...given, out }),
      );
    },
    activation_backward: (name, x, dout, options = {}) => {
      const activation = activationOf(name);
      return shapedLike(memory, "activation_backward", { x, dout }, options, (given, dx) =>
        border.call(operators.activation_backward, { activation, ...given, dx }),
      );
    },
    layer_norm: layer_norm as RowKernels["layer_norm"],
    layer_norm_backward,
    rms_norm: rms_norm as RowKernels["rms_norm"],
    rms_norm_backward,
    cross_entropy,
    cross_entropy_backward,
    dropout: (x, probability, options = {}) => {
      const key = dropoutKey("dropout", options);
      return shapedLike(memory, "dropout", { x }, options, (given, out) =>
        border.call(operators.dropout_forward, { ...given, probability, ...key, out }),
      );
    },
    dropout_backward: (dout, probability, options = {}) => {
      const key = dropoutKey("dropout_backward", options);
      return shapedLike(memory, "dropout_backward", { dout }, options, (given, dx) =>
        border.call(operators.dropout_backward, { ...given, probability, ...key, dx }),
      );
    },
  };
}
