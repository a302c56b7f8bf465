// Products of matrices, and tables looked up or rotated by.
import { choiceOf } from "./choice.ts";
import { objectOf } from "./given.ts";
import { taken } from "./named.ts";
import * as operators from "./signatures.ts";
import type { Format, RotaryPairs } from "./signatures.ts";
import { Tensor } from "./tensor.ts";
import type { TensorLike, TensorMemory } from "./tensor.ts";
import type { ShapedData } from "./types.ts";

export interface OutOption {
  /** Takes the result and is returned, instead of a new tensor. */
  readonly out?: Tensor;
}

/** What `matmul` adds, and how it reads its operands. */
export interface MatmulOptions extends OutOption {
  readonly transpose_a?: boolean;
  readonly transpose_b?: boolean;
  /** [n], added to every row. */
  readonly bias?: TensorLike;
}

/** A right operand rearranged once, for products with many left ones. Of its own memory: `dispose` it. */
export interface PackedMatrix {
  readonly k: number;
  readonly n: number;
  readonly packed: Tensor;
  /** Gives the memory of `packed` back. Twice is harmless. */
  dispose(): void;
}

/** Where the rows of x stand, and which components turn together. */
export interface RotaryOptions extends OutOption {
  /** Rows of the tables, [n] or [first dimensions of x.., n]; default 0 .. n-1. */
  readonly positions?: ShapedData;
  /** Pairs of components: (i, i + d_rot/2), the default, or (2i, 2i + 1). */
  readonly pairs?: RotaryPairs;
}

/** All throw `ShapeError` where shapes do not fit, `ValueError` and `OutOfMemory`; nothing is changed then. */
export interface MatrixKernels {
  /**
   * op(a) · op(b) + bias: [.., m, k] · [.., k, n] -> [.., m, n]; leading dimensions are equal, or b has none.
   * A packed b gives the same bits.
   */
  matmul(a: TensorLike, b: TensorLike | PackedMatrix, options?: MatmulOptions): Tensor;

  /** Rearranges op(b) [k, n], such as a layer's weights. */
  pack_matrix(b: TensorLike, options?: { readonly transpose_b?: boolean }): PackedMatrix;

  /** Each element rounded to a 16-bit format, to nearest even; the results are float32 again. */
  round_to(format: Format, x: TensorLike, options?: OutOption): Tensor;

  /** op(a) · op(b) of numbers in `format`, the running sum rounded to `accumulate` after every addition. */
  matmul_in_format(
    a: TensorLike,
    b: TensorLike,
    options: {
      readonly format: Format;
      readonly accumulate?: Format;
      readonly transpose_a?: boolean;
      readonly transpose_b?: boolean;
    },
  ): Tensor;

  /** Rows of `table` [vocab, d]: [.., d] for ids [..]. */
  embedding(table: TensorLike, ids: ShapedData, options?: OutOption): Tensor;
  /** dL/dtable for `vocab` rows: each row of dout is added to its id's. */
  embedding_backward(ids: ShapedData, dout: TensorLike, vocab: number): Tensor;

  /** cos and sin [n_positions, d_rot/2] of position · base^(-2i/d_rot); base 10000 by default. */
  rotary_table(
    n_positions: number,
    d_rot: number,
    base?: number,
  ): { readonly cos: Tensor; readonly sin: Tensor };
  /** Rotary position embedding of x [.., n, d]. Su et al., "RoFormer", 2021. */
  rotary(x: TensorLike, cos: TensorLike, sin: TensorLike, options?: RotaryOptions): Tensor;
  /** dL/dx [.., n, d] from dout = dL/dout: the same pairs turned back. */
  rotary_backward(dout: TensorLike, cos: TensorLike, sin: TensorLike, options?: RotaryOptions): Tensor;
}

export function makeMatrixKernels(memory: TensorMemory): MatrixKernels {
  const { border } = memory;

  function matmul(a: TensorLike, b: TensorLike | PackedMatrix, options: MatmulOptions = {}): Tensor {
    const op = "matmul";
    const { transpose_a = false, transpose_b = false } = options;
    return memory.scope(() => {
      const left = memory.take(op, "a", a);
      const bias = memory.optional(op, "bias", options.bias);
      const rows = left.shape.at(transpose_a ? -1 : -2) ?? 1;
      const shape = (columns: number): number[] => [...left.shape.slice(0, -2), rows, columns];
      if ("packed" in b) {
        const out = memory.result(op, options.out, shape(b.n), [a, options.bias]);
        const { k, n } = b;
        const packed = memory.take(op, "b", b.packed);
        border.call(operators.matmul_packed, { a: left, packed, out, bias, k, n });
        return out;
      }
      const right = memory.take(op, "b", b);
      const columns = right.shape.at(transpose_b ? -2 : -1) ?? 1;
      const out = memory.result(op, options.out, shape(columns), [a, b, options.bias]);
      border.call(operators.matmul, { a: left, b: right, out, bias, transpose_a, transpose_b });
      return out;
    });
  }

  function pack_matrix(b: TensorLike, { transpose_b = false } = {}): PackedMatrix {
    const op = "pack_matrix";
    const packed = memory.scope(() => {
      const right = memory.take(op, "b", b);
      const [rows = 1, columns = 1] = right.shape;
      const [k, n] = transpose_b ? [columns, rows] : [rows, columns];
      const room = memory.empty(op, [border.call(operators.packed_size, { k, n })]);
      border.call(operators.pack_matrix, { b: right, packed: room, transpose_b });
      return { k, n, packed: room };
    });
    return { ...packed, dispose: () => packed.packed.dispose() };
  }

  function round_to(format: Format, x: TensorLike, { out }: OutOption = {}): Tensor {
    const op = "round_to";
    return memory.scope(() => {
      const input = memory.take(op, "x", x);
      const result = memory.result(op, out, input.shape);
      const chosen = choiceOf(op, "format", operators.formatNames, format);
      border.call(operators.round_to, { x: input, out: result, format: chosen });
      return result;
    });
  }

  function matmul_in_format(...[a, b, options]: Parameters<MatrixKernels["matmul_in_format"]>): Tensor {
    const op = "matmul_in_format";
    const {
      format,
      accumulate = "f32",
      transpose_a = false,
      transpose_b = false,
    } = objectOf(op, "options", options);
    return memory.scope(() => {
      const [left, right] = [memory.take(op, "a", a), memory.take(op, "b", b)];
      const rows = left.shape.at(transpose_a ? -1 : -2) ?? 1;
      const columns = right.shape.at(transpose_b ? -2 : -1) ?? 1;
      const out = memory.empty(op, [...left.shape.slice(0, -2), rows, columns]);
      border.call(operators.matmul_in_format, {
        a: left,
        b: right,
        out,
        transpose_a,
        transpose_b,
        format: choiceOf(op, "format", operators.formatNames, format),
        accumulate: choiceOf(op, "accumulate", operators.formatNames, accumulate),
      });
      return out;
    });
  }

  function embedding(table: TensorLike, ids: ShapedData, { out }: OutOption = {}): Tensor {
    return memory.scope(() => {
      const rows = memory.take("embedding", "table", table);
      const indices = memory.indices("embedding", "ids", ids);
      const result = memory.result("embedding", out, [...ids.shape, rows.shape.at(-1) ?? 1], [table]);
      border.call(operators.embedding_forward, { table: rows, out: result, ids: indices });
      return result;
    });
  }

  function embedding_backward(ids: ShapedData, dout: TensorLike, vocab: number): Tensor {
    const op = "embedding_backward";
    return memory.scope(() => {
      const gradient = memory.take(op, "dout", dout);
      const indices = memory.indices(op, "ids", ids);
      const dtable = memory.zeros(op, [vocab, gradient.shape.at(-1) ?? 1]);
      border.call(operators.embedding_backward, { ids: indices, dout: gradient, dtable });
      return dtable;
    });
  }

  function rotary_table(n_positions: number, d_rot: number, base = 10000): { cos: Tensor; sin: Tensor } {
    return memory.scope(() => {
      const table = (): Tensor => memory.empty("rotary_table", [n_positions, d_rot / 2]);
      const tables = { cos: table(), sin: table() };
      border.call(operators.rotary_table, { base, ...tables });
      return tables;
    });
  }

  function rotary(...[x, cos, sin, options = {}]: Parameters<MatrixKernels["rotary"]>): Tensor {
    const op = "rotary";
    return memory.scope(() => {
      const inputs = taken(memory, op, { x, cos, sin });
      const given = rotation(op, options);
      const out = memory.result(op, options.out, inputs.x.shape, [cos, sin]);
      border.call(operators.rotary_forward, { ...inputs, out, ...given });
      return out;
    });
  }

  function rotary_backward(
    ...[dout, cos, sin, options = {}]: Parameters<MatrixKernels["rotary_backward"]>
  ): Tensor {
    const op = "rotary_backward";
    return memory.scope(() => {
      const inputs = taken(memory, op, { dout, cos, sin });
      const given = rotation(op, options);
      const dx = memory.result(op, options.out, inputs.dout.shape, [cos, sin]);
      border.call(operators.rotary_backward, { ...inputs, dx, ...given });
      return dx;
    });
  }

  function rotation(op: string, { positions, pairs = "halves" }: RotaryOptions) {
    return {
      positions: positions && memory.indices(op, "positions", positions),
      pairs: choiceOf(op, "pairs", operators.rotaryPairsNames, pairs),
    };
  }

  return {
    matmul,
    pack_matrix,
    round_to,
    matmul_in_format,
    embedding,
    embedding_backward,
    rotary_table,
    rotary,
    rotary_backward,
  };
}
