// Operators over rows and single elements: softmax, norms, activations, loss, dropout.
import { ValueError } from "./errors.ts";
import type { OutOption } from "./matrix.ts";
import { seed64 } from "./params.ts";
import type { Operator } from "./raw.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";
import type { ShapedData } from "./types.ts";

export type Activation = "relu" | "gelu" | "gelu_tanh" | "silu" | "tanh";

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

export interface NormGradients {
  readonly dx: Tensor;
  readonly dgain: Tensor;
}

export interface CrossEntropyOptions {
  readonly reduction?: "none" | "mean" | "sum";
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
  layer_norm_backward(
    x: TensorLike,
    row_stats: TensorLike,
    dout: TensorLike,
    options?: { readonly gain?: TensorLike },
  ): NormGradients & { readonly dbias: Tensor };

  /** x / sqrt(mean(x²) + epsilon) * gain. Zhang and Sennrich, 2019. */
  rms_norm(x: TensorLike, options: NormOptions & { readonly return_stats: true }): Normalized;
  rms_norm(x: TensorLike, options?: NormOptions & { readonly return_stats?: false }): Tensor;
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
  dropout_backward(dout: TensorLike, probability: number, options?: DropoutOptions): Tensor;
}

export function makeRowKernels(memory: TensorMemory): RowKernels {
  const { border } = memory;

  /** An operator whose result has the shape of its first input. */
  function simple(operator: Operator, names: readonly string[], before: readonly number[] = []) {
    const op = operator.replace("_forward", "");
    return (inputs: readonly TensorLike[], out: Tensor | undefined, after: readonly number[] = []): Tensor =>
      memory.scope(() => {
        const given = inputs.map((input, i) => memory.take(op, names[i]!, input));
        const result = memory.result(op, out, given[0]!.shape);
        border.call(operator, ...before, ...given.map((tensor) => tensor.raw), ...after, result.raw);
        return result;
      });
  }
  const softmax = simple("softmax_forward", ["x"]);
  const softmax_backward = simple("softmax_backward", ["p", "dp"]);
  const log_softmax = simple("log_softmax_forward", ["x"]);
  const log_softmax_backward = simple("log_softmax_backward", ["y", "dy"]);

  function normalize(
    kind: "layer_norm" | "rms_norm",
    x: TensorLike,
    options: LayerNormOptions & { readonly return_stats?: boolean } = {},
  ): Tensor | Normalized {
    const { epsilon = 1e-5 } = options;
    const operator = kind === "layer_norm" ? "layer_norm_forward" : "rms_norm_forward";
    return memory.scope((): Tensor | Normalized => {
      const input = memory.take(kind, "x", x);
      const gain = memory.optional(kind, "gain", options.gain);
      const out = memory.result(kind, options.out, input.shape, [options.gain, options.bias]);
      const leading = input.shape.slice(0, -1);
      const shape = kind === "layer_norm" ? [...leading, 2] : leading;
      const row_stats = options.return_stats ? memory.empty(kind, shape) : undefined;
      const bias = kind === "layer_norm" ? [memory.optional(kind, "bias", options.bias)] : [];
      border.call(operator, input.raw, gain, ...bias, epsilon, out.raw, row_stats?.raw);
      return row_stats ? { out, row_stats } : out;
    });
  }

  function normalize_backward(
    op: "layer_norm_backward" | "rms_norm_backward",
    ...[x, row_stats, dout, options = {}]: Parameters<RowKernels["layer_norm_backward"]>
  ): NormGradients & { readonly dbias?: Tensor } {
    return memory.scope(() => {
      const input = memory.take(op, "x", x);
      const gain = memory.optional(op, "gain", options.gain);
      const [stats, gradient] = [memory.take(op, "row_stats", row_stats), memory.take(op, "dout", dout)];
      const dx = memory.empty(op, input.shape);
      const n = input.shape.at(-1) ?? 1;
      const [dgain, dbias] = [memory.zeros(op, [n]), memory.zeros(op, [n])];
      const results = op === "layer_norm_backward" ? { dx, dgain, dbias } : { dx, dgain };
      const raw = Object.values(results).map((tensor) => tensor.raw);
      border.call(op, input.raw, gain, stats.raw, gradient.raw, ...raw);
      return results;
    });
  }

  function lossOptions(op: string, options: CrossEntropyOptions) {
    const { reduction = "mean", label_smoothing = 0, ignore_index = -100 } = options;
    const choice = border.choice(op, "reduction", "reduction", reduction);
    return [choice, label_smoothing, ignore_index, memory.optional(op, "weight", options.weight)] as const;
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
      const log_probs = memory.empty(op, input.shape);
      const losses = memory.empty(op, target.shape);
      loss = border.callForNumber(
        "cross_entropy_forward",
        input.raw,
        classes,
        ...given,
        log_probs.raw,
        losses.raw,
      );
      return { losses, log_probs };
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
      border.call(op, input.raw, classes, ...lossOptions(op, options), upstream.raw, dlogits.raw);
      return dlogits;
    });
  }

  function drop(
    operator: "dropout_forward" | "dropout_backward",
    ...[x, probability, options = {}]: Parameters<RowKernels["dropout"]>
  ): Tensor {
    const op = operator.replace("_forward", "");
    const { seed = 0, stream = 0, out } = options;
    if (!Number.isSafeInteger(stream) || stream < 0) {
      const expected = `0 .. ${Number.MAX_SAFE_INTEGER}`;
      const fields = { code: "out_of_range", operator: op, argument: "stream", expected } as const;
      throw new ValueError({ ...fields, got: String(stream) });
    }
    const bits = seed64(op, seed);
    const key = [Number(bits & 0xffffffffn), Number(bits >> 32n), stream];
    return simple(operator, [operator === "dropout_forward" ? "x" : "dout"])([x], out, [probability, ...key]);
  }

  const kernel = (name: string): number => border.choice("activation", "name", "activation", name);
  return {
    softmax: (x, { out } = {}) => softmax([x], out),
    softmax_backward: (p, dp, { out } = {}) => softmax_backward([p, dp], out),
    log_softmax: (x, { out } = {}) => log_softmax([x], out),
    log_softmax_backward: (y, dy, { out } = {}) => log_softmax_backward([y, dy], out),
    activation: (name, x, { out } = {}) => simple("activation_forward", ["x"], [kernel(name)])([x], out),
    activation_backward: (name, x, dout, { out } = {}) =>
      simple("activation_backward", ["x", "dout"], [kernel(name)])([x, dout], out),
    layer_norm: ((x, options) => normalize("layer_norm", x, options)) as RowKernels["layer_norm"],
    layer_norm_backward: ((...given) =>
      normalize_backward("layer_norm_backward", ...given)) as RowKernels["layer_norm_backward"],
    rms_norm: ((x, options) => normalize("rms_norm", x, options)) as RowKernels["rms_norm"],
    rms_norm_backward: (...given) => normalize_backward("rms_norm_backward", ...given),
    cross_entropy,
    cross_entropy_backward,
    dropout: (...given) => drop("dropout_forward", ...given),
    dropout_backward: (...given) => drop("dropout_backward", ...given),
  };
}
