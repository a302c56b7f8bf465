// Products of matrices, and tables looked up or rotated by.
import { choiceOf } from "./choice.ts";
import { objectOf } from "./given.ts";
import { taken } from "./named.ts";
import { finite, numeric } from "./number.ts";
import { Owned } from "./scope.ts";
import type { Kind, Scopes } from "./scope.ts";
import * as operators from "./signatures.ts";
import type { Format, RotaryPairs } from "./signatures.ts";
import type { Ids, Tensor, TensorLike, TensorMemory } from "./tensor.ts";

export interface OutOption {
  /** Takes the result and is returned, instead of a new tensor. */
  readonly out?: Tensor;
}

/** What `matmul` adds, and how it reads its operands. */
export interface MatmulOptions extends OutOption {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
  /** [n], added to every row. */
  readonly bias?: TensorLike;
}

/** A right operand rearranged once, for products with many left ones. Of its own memory: `dispose` it. */
export class PackedMatrix extends Owned {
  static override readonly name: string = "PackedMatrix"; // minification leaves it
  readonly #scopes: Scopes;
  readonly #packed: Tensor;
  readonly #k: number;
  readonly #n: number;

  /** @internal Takes the tensor over. */
  constructor({ scopes }: TensorMemory, packed: Tensor, k: number, n: number) {
    super();
    this.#packed = packed;
    this.#k = k;
    this.#n = n;
    this.#scopes = scopes;
    scopes.replace(packed, this);
  }

  /** Rows. */
  get k(): number {
    return this.#k;
  }

  /** Columns. */
  get n(): number {
    return this.#n;
  }

  /** The rearranged numbers. */
  get packed(): Tensor {
    return this.#packed;
  }

  override get disposed(): boolean {
    return this.#packed.disposed;
  }

  /** Gives the memory back. Twice is harmless. */
  override dispose(): void {
    if (this.disposed) return;
    this.#scopes.replace(this, this.#packed);
    this.#packed.dispose();
  }

  /** @internal */
  override get counted(): Kind {
    return "tensors";
  }

  /** @internal */
  override remains(): () => void {
    return this.#packed.remains();
  }
}

/** Where the rows of x stand, and which components turn together. */
export interface RotaryOptions extends OutOption {
  /** Rows of the tables, [n] or [first dimensions of x.., n]; default 0 .. n-1. */
  readonly positions?: Ids;
  /** Pairs of components: (i, i + d_rot/2), the default, or (2i, 2i + 1). */
  readonly pairs?: RotaryPairs;
}

/** All throw `ShapeError` where shapes do not fit, `ValueError` and `OutOfMemoryError`; nothing is changed then. */
export interface MatrixOps {
  /**
   * op(a) · op(b) + bias: [.., m, k] · [.., k, n] -> [.., m, n]; leading dimensions are equal, or b has none.
   * A packed b gives the same bits.
   */
  matmul(a: TensorLike, b: TensorLike | PackedMatrix, options?: MatmulOptions): Tensor;

  /** Rearranges op(b) [k, n], such as a layer's weights. */
  packMatrix(b: TensorLike, options?: { readonly transposeB?: boolean }): PackedMatrix;

  /** Each element rounded to a 16-bit format, to nearest even; the results are float32 again. */
  roundTo(format: Format, x: TensorLike, options?: OutOption): Tensor;

  /** op(a) · op(b) of numbers in `format`, the running sum rounded to `accumulate` after every addition. */
  matmulInFormat(
    a: TensorLike,
    b: TensorLike,
    options: {
      readonly format: Format;
      readonly accumulate?: Format;
      readonly transposeA?: boolean;
      readonly transposeB?: boolean;
    },
  ): Tensor;

  /** Rows of `table` [vocab, d]: [.., d] for ids [..]. */
  embedding(table: TensorLike, ids: Ids, options?: OutOption): Tensor;
  /** dL/dtable for `vocab` rows: each row of dout is added to its id's. */
  embeddingBackward(ids: Ids, dout: TensorLike, vocab: number): Tensor;

  /** cos and sin [n_positions, d_rot/2] of position · base^(-2i/d_rot); base 10000 by default. */
  rotaryTable(
    nPositions: number,
    dRot: number,
    base?: number,
  ): { readonly cos: Tensor; readonly sin: Tensor };
  /** Rotary position embedding of x [.., n, d]. Su et al., "RoFormer", 2021. */
  rotary(x: TensorLike, cos: TensorLike, sin: TensorLike, options?: RotaryOptions): Tensor;
  /** dL/dx [.., n, d] from dout = dL/dout: the same pairs turned back. */
  rotaryBackward(dout: TensorLike, cos: TensorLike, sin: TensorLike, options?: RotaryOptions): Tensor;
  /** Sinusoidal positions [nPositions, dModel]. Vaswani et al., section 3.5. */
  positionalEncoding(nPositions: number, dModel: number, options?: { readonly base?: number }): Tensor;
}

export function makeMatrixOps(memory: TensorMemory): MatrixOps {
  const { border } = memory;

  function matmul(a: TensorLike, b: TensorLike | PackedMatrix, options: MatmulOptions = {}): Tensor {
    const op = "matmul";
    const { transposeA = false, transposeB = false } = options;
    return memory.scope(() => {
      const left = memory.take(op, "a", a);
      const bias = memory.optional(op, "bias", options.bias);
      const rows = left.shape.at(transposeA ? -1 : -2) ?? 1;
      const shape = (columns: number): number[] => [...left.shape.slice(0, -2), rows, columns];
      if (b instanceof PackedMatrix) {
        const out = memory.result(op, options.out, shape(b.n), [a, options.bias]);
        const { k, n } = b;
        const packed = memory.take(op, "b", b.packed);
        border.call(op, operators.matmulPacked, { a: left, packed, out, bias, k, n }, { packed: "b" });
        return out;
      }
      const right = memory.take(op, "b", b);
      const columns = right.shape.at(transposeB ? -2 : -1) ?? 1;
      const out = memory.result(op, options.out, shape(columns), [a, b, options.bias]);
      border.call(op, operators.matmul, { a: left, b: right, out, bias, transposeA, transposeB });
      return out;
    });
  }

  function packMatrix(b: TensorLike, { transposeB = false } = {}): PackedMatrix {
    const op = "packMatrix";
    return memory.scope(() => {
      const right = memory.take(op, "b", b);
      const [rows = 1, columns = 1] = right.shape;
      const [k, n] = transposeB ? [columns, rows] : [rows, columns];
      const room = memory.empty(op, [border.call(op, operators.packedSize, { k, n })]);
      border.call(op, operators.packMatrix, { b: right, packed: room, transposeB });
      return new PackedMatrix(memory, room, k, n);
    });
  }

  function roundTo(format: Format, x: TensorLike, { out }: OutOption = {}): Tensor {
    const op = "roundTo";
    return memory.scope(() => {
      const input = memory.take(op, "x", x);
      const result = memory.result(op, out, input.shape);
      const chosen = choiceOf(op, "format", operators.formatNames, format);
      border.call(op, operators.roundTo, { x: input, out: result, format: chosen });
      return result;
    });
  }

  function matmulInFormat(...[a, b, options]: Parameters<MatrixOps["matmulInFormat"]>): Tensor {
    const op = "matmulInFormat";
    const {
      format,
      accumulate = "f32",
      transposeA = false,
      transposeB = false,
    } = objectOf(op, "options", options);
    return memory.scope(() => {
      const [left, right] = [memory.take(op, "a", a), memory.take(op, "b", b)];
      const rows = left.shape.at(transposeA ? -1 : -2) ?? 1;
      const columns = right.shape.at(transposeB ? -2 : -1) ?? 1;
      const out = memory.empty(op, [...left.shape.slice(0, -2), rows, columns]);
      border.call(op, operators.matmulInFormat, {
        a: left,
        b: right,
        out,
        transposeA,
        transposeB,
        format: choiceOf(op, "format", operators.formatNames, format),
        accumulate: choiceOf(op, "accumulate", operators.formatNames, accumulate),
      });
      return out;
    });
  }

  function embedding(table: TensorLike, ids: Ids, { out }: OutOption = {}): Tensor {
    const op = "embedding";
    return memory.scope(() => {
      const rows = memory.take(op, "table", table);
      const indices = memory.indices(op, "ids", ids);
      const result = memory.result(op, out, [...indices.shape, rows.shape.at(-1) ?? 1], [table]);
      border.call(op, operators.embeddingForward, { table: rows, out: result, ids: indices });
      return result;
    });
  }

  function embeddingBackward(ids: Ids, dout: TensorLike, vocab: number): Tensor {
    const op = "embeddingBackward";
    return memory.scope(() => {
      const gradient = memory.take(op, "dout", dout);
      const indices = memory.indices(op, "ids", ids);
      const dtable = memory.zeros(op, [vocab, gradient.shape.at(-1) ?? 1]);
      border.call(op, operators.embeddingBackward, { ids: indices, dout: gradient, dtable });
      return dtable;
    });
  }

  function rotaryTable(nPositions: number, dRot: number, base = 10000): { cos: Tensor; sin: Tensor } {
    const op = "rotaryTable";
    return memory.scope(() => {
      const table = (): Tensor => memory.empty(op, [nPositions, numeric(op, "dRot", dRot) / 2]);
      const tables = { cos: table(), sin: table() };
      border.call(op, operators.rotaryTable, { base, ...tables });
      return tables;
    });
  }

  function rotary(...[x, cos, sin, options = {}]: Parameters<MatrixOps["rotary"]>): Tensor {
    const op = "rotary";
    return memory.scope(() => {
      const inputs = taken(memory, op, { x, cos, sin });
      const given = rotation(op, options);
      const out = memory.result(op, options.out, inputs.x.shape, [cos, sin]);
      border.call(op, operators.rotaryForward, { ...inputs, out, ...given });
      return out;
    });
  }

  function rotaryBackward(
    ...[dout, cos, sin, options = {}]: Parameters<MatrixOps["rotaryBackward"]>
  ): Tensor {
    const op = "rotaryBackward";
    return memory.scope(() => {
      const inputs = taken(memory, op, { dout, cos, sin });
      const given = rotation(op, options);
      const dx = memory.result(op, options.out, inputs.dout.shape, [cos, sin]);
      border.call(op, operators.rotaryBackward, { ...inputs, dx, ...given });
      return dx;
    });
  }

  function positionalEncoding(
    ...[nPositions, dModel, { base = 10000 } = {}]: Parameters<MatrixOps["positionalEncoding"]>
  ): Tensor {
    const op = "positionalEncoding";
    return memory.scope(() => {
      const out = memory.empty(op, [nPositions, dModel]);
      border.call(op, operators.positionalEncoding, { out, base: finite(op, "base", base) });
      return out;
    });
  }

  function rotation(op: string, { positions, pairs = "halves" }: RotaryOptions) {
    return {
      positions: positions === undefined ? undefined : memory.indices(op, "positions", positions),
      pairs: choiceOf(op, "pairs", operators.rotaryPairsNames, pairs),
    };
  }

  return {
    matmul,
    packMatrix,
    roundTo,
    matmulInFormat,
    embedding,
    embeddingBackward,
    rotaryTable,
    rotary,
    rotaryBackward,
    positionalEncoding,
  };
}
