// The operators. Inputs are tensors or {data, shape}, results are new tensors; shapes are checked in C++.
import { ValueError } from "./errors.ts";
import type { RawArgument, RawTensor } from "./raw.ts";
import { checkData } from "./tensor.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

export interface MatmulOptions {
  readonly transpose_a?: boolean;
  readonly transpose_b?: boolean;
}

export interface Mask {
  /** Row-major; true or nonzero = attend. */
  readonly data: ArrayLike<number | boolean>;
  readonly shape: readonly number[];
}

export interface AttentionOptions {
  /** Factor on q·k; default 1/√d_k. */
  readonly scale?: number;
  /** Which diagonal ends the past where n_q ≠ n_k (there is no default); absent = not causal. */
  readonly causal?: "top_left" | "bottom_right";
  /** [n_q, n_k] or [.., n_q, n_k]. */
  readonly mask?: Tensor | Mask;
  /** Same shapes; added to the scaled scores; exactly -Infinity masks. */
  readonly bias?: TensorLike;
}

export interface AttentionResult {
  /** [.., n_q, d_v] */
  readonly out: Tensor;
  /** [.., n_q, n_k]; each row sums to 1; a fully masked row is 0. */
  readonly weights: Tensor;
  /** [.., n_q, n_k]: scale · q·k + bias; -Infinity where masked. */
  readonly scores: Tensor;
}

export interface AttentionGradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dv: Tensor;
}

/** All throw `ShapeError` where shapes do not fit and `OutOfMemory`; nothing is changed then. */
export interface Kernels {
  /** op(a) · op(b): [.., m, k] · [.., k, n] -> [.., m, n]; leading dimensions must be equal. */
  matmul(a: TensorLike, b: TensorLike, options?: MatmulOptions): Tensor;

  /** Over the last dimension, within 3 ULP. A row that holds NaN or +Infinity, or only -Infinity, gives NaN. */
  softmax(x: TensorLike): Tensor;

  /** dL/dx from p = softmax(x) and dp = dL/dp, all of one shape. */
  softmax_backward(p: TensorLike, dp: TensorLike): Tensor;

  /**
   * softmax(scale · q kᵀ + bias) · v with q: [.., n_q, d_k], k: [.., n_k, d_k], v: [.., n_k, d_v] -> [.., n_q, d_v];
   * with `return_weights` also weights and scores. What a masked position holds, even NaN, changes no bit.
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
    options?: AttentionOptions & { readonly return_weights?: false },
  ): Tensor;

  /** Gradients by q, k and v from the forward's weights, dout = dL/dout and the forward's options. */
  attention_backward(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    weights: TensorLike,
    dout: TensorLike,
    options?: AttentionOptions,
  ): AttentionGradients;
}

export function makeKernels(memory: TensorMemory): Kernels {
  const { border } = memory;

  function matmul(a: TensorLike, b: TensorLike, options: MatmulOptions = {}): Tensor {
    const { transpose_a = false, transpose_b = false } = options;
    return memory.scope(() => {
      const left = memory.take("matmul", "a", a);
      const right = memory.take("matmul", "b", b);
      const rows = left.shape.at(transpose_a ? -1 : -2) ?? 1;
      const columns = right.shape.at(transpose_b ? -2 : -1) ?? 1;
      const out = memory.empty("matmul", [...left.shape.slice(0, -2), rows, columns]);
      border.call("matmul", left.raw, right.raw, out.raw, transpose_a, transpose_b);
      return out;
    });
  }

  function softmax(x: TensorLike): Tensor {
    return memory.scope(() => {
      const input = memory.take("softmax", "x", x);
      const out = memory.empty("softmax", input.shape);
      border.call("softmax_forward", input.raw, out.raw);
      return out;
    });
  }

  function softmax_backward(p: TensorLike, dp: TensorLike): Tensor {
    return memory.scope(() => {
      const output = memory.take("softmax_backward", "p", p);
      const gradient = memory.take("softmax_backward", "dp", dp);
      const dx = memory.empty("softmax_backward", output.shape);
      border.call("softmax_backward", output.raw, gradient.raw, dx.raw);
      return dx;
    });
  }

  function attend(q: TensorLike, k: TensorLike, v: TensorLike, options: AttentionOptions): AttentionResult {
    const op = "attention";
    const [queries, keys, values] = [
      memory.take(op, "q", q),
      memory.take(op, "k", k),
      memory.take(op, "v", v),
    ];
    const leading = queries.shape.slice(0, -1);
    const scores = memory.empty(op, [...leading, keys.shape.at(-2) ?? 1]);
    const weights = memory.empty(op, scores.shape);
    const out = memory.empty(op, [...leading, values.shape.at(-1) ?? 1]);
    withOptions(op, options, (given) => {
      const inputs = [queries.raw, keys.raw, values.raw];
      border.call("attention_forward", ...inputs, ...given, scores.raw, weights.raw, out.raw);
    });
    return { out, weights, scores };
  }

  function attention(...[q, k, v, options = {}]: Parameters<Kernels["attention"]>): AttentionResult | Tensor {
    return memory.scope(() => {
      const result = attend(q, k, v, options);
      return options.return_weights ? result : result.out;
    });
  }

  function attention_backward(
    ...[q, k, v, weights, dout, options = {}]: Parameters<Kernels["attention_backward"]>
  ): AttentionGradients {
    return memory.scope(() => {
      const op = "attention_backward";
      const [queries, keys, values] = [
        memory.take(op, "q", q),
        memory.take(op, "k", k),
        memory.take(op, "v", v),
      ];
      const [p, gradient] = [memory.take(op, "weights", weights), memory.take(op, "dout", dout)];
      const inputs = [queries, keys, values] as const;
      const [dq, dk, dv] = inputs.map((input) => memory.empty(op, input.shape)) as [Tensor, Tensor, Tensor];
      const dscores = memory.empty(op, p.shape);
      withOptions(op, options, (given) => {
        const raw = (tensors: readonly Tensor[]): RawTensor[] => tensors.map((tensor) => tensor.raw);
        const results = raw([p, gradient, dscores, dq, dk, dv]);
        border.call("attention_backward", ...raw(inputs), ...given, ...results);
      });
      return { dq, dk, dv };
    });
  }

  function withOptions(op: string, options: AttentionOptions, call: (options: RawArgument[]) => void): void {
    const { scale = NaN, mask } = options;
    const causal = causalOf(op, options.causal);
    if (options.scale !== undefined && !Number.isFinite(scale)) {
      const got = String(scale);
      throw new ValueError({
        code: "not_finite",
        operator: op,
        argument: "scale",
        expected: "a finite number",
        got,
      });
    }
    const bias = options.bias && memory.take(op, "bias", options.bias).raw;
    if (mask === undefined) {
      call([scale, causal, undefined, bias]);
      return;
    }
    const attends = Uint8Array.from(checkData(op, "mask", mask.data, mask.shape), (value) => (value ? 1 : 0));
    memory.border.withBytes(op, attends, (pointer) => {
      call([scale, causal, { pointer, shape: mask.shape }, bias]);
    });
  }

  const overloaded = attention as Kernels["attention"];
  return { matmul, softmax, softmax_backward, attention: overloaded, attention_backward };
}

const causalNames = [undefined, "top_left", "bottom_right"] as const; // in the order of C++'s `Causal`

function causalOf(operator: string, causal: AttentionOptions["causal"]): number {
  const index = causalNames.indexOf(causal);
  if (index >= 0) return index;
  const expected = causalNames.slice(1).join(", ");
  throw new ValueError({ code: "not_a_choice", operator, argument: "causal", expected, got: String(causal) });
}
