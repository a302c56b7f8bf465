// Tensors: handles on row-major float32 numbers in the module's memory.
import { ShapeError, ValueError } from "./errors.ts";
import { objectOf, unsupported } from "./given.ts";
import type { Border } from "./raw.ts";
import { Owned, Scopes, stale } from "./scope.ts";
import { shapeText, sizeOf } from "./shape.ts";
import type { Pointer, RawTensor } from "./signature.ts";
import type { ShapedData } from "./types.ts";

const kMaxRank = 6;
const kMaxMemory = 2 ** 31; // bytes of the module

/** A tensor, or plain numbers with their shape. */
export type TensorLike = Tensor | ShapedData;

/** Which keys a query attends to. */
export interface Mask {
  /** Row-major; true or nonzero = attend. */
  readonly data: ArrayLike<number | boolean>;
  readonly shape: readonly number[];
}

/** Numbers in the module's memory. Give them back with `dispose`, `using` or `scope`; later use throws `StaleViewError`. */
export class Tensor extends Owned {
  readonly shape: readonly number[];
  /** The number of elements. */
  readonly size: number;
  readonly #memory: TensorMemory;
  #pointer: Pointer | undefined;

  /** @internal */
  constructor(memory: TensorMemory, shape: readonly number[], pointer: Pointer) {
    super();
    this.shape = shape;
    this.size = sizeOf(shape);
    this.#memory = memory;
    this.#pointer = pointer;
  }

  /** A copy of the numbers, row-major. */
  get data(): Float32Array {
    return this.#memory.floats(this).slice();
  }

  /** The numbers in place, without a copy: see `TensorView`. */
  view(): TensorView {
    return new TensorView(this, this.#memory.floats(this));
  }

  /** Copies the numbers into `array`, which is as long as `size`: no new memory. Throws `ShapeError`. */
  copyTo(array: Float32Array): void {
    if (array.length !== this.size) {
      const [expected, got] = [shapeText([this.size]), `${array.length} values`];
      throw new ShapeError({ code: "wrong_shape", operator: "copyTo", argument: "array", expected, got });
    }
    array.set(this.#memory.floats(this));
  }

  override get disposed(): boolean {
    return this.#pointer === undefined;
  }

  /** Gives the memory back. Twice is harmless. */
  override dispose(): void {
    if (this.#pointer === undefined) return;
    this.#memory.release(this, this.#pointer);
    this.#pointer = undefined;
  }

  /** @internal Where the module's memory holds the numbers: with `shape` what operators take. */
  get pointer(): Pointer {
    if (this.#pointer === undefined) throw stale("tensor", "the tensor was disposed");
    return this.#pointer;
  }
}

/** A window on a tensor's memory, checked at every use of `array`; after growth ask the tensor for a new one. */
export class TensorView {
  readonly #tensor: Tensor;
  readonly #array: Float32Array;

  /** @internal */
  constructor(tensor: Tensor, array: Float32Array) {
    this.#tensor = tensor;
    this.#array = array;
  }

  /**
   * The numbers, row-major; writes change the tensor. Throws `StaleViewError` once the tensor is disposed or the
   * module's memory has grown. Do not keep the array itself across other calls: it is not checked.
   */
  get array(): Float32Array {
    if (this.#tensor.disposed) throw stale("tensor", "the tensor was disposed");
    if (this.#array.length !== this.#tensor.size) throw stale("tensor", "the module's memory has grown");
    return this.#array;
  }
}

/** Makes tensors and knows which scope they belong to. */
export class TensorMemory {
  readonly border: Border;
  readonly scopes = new Scopes();

  constructor(border: Border) {
    this.border = border;
  }

  /** Numbers not yet set. Throws `ShapeError`, `OutOfMemory`. */
  empty(operator: string, shape: readonly number[]): Tensor {
    checkShape(operator, "shape", shape);
    return this.adopt(this.border.allocate(operator, sizeOf(shape) * 4), shape);
  }

  /** Numbers in the module's memory that C++ left to the caller. */
  adopt(pointer: Pointer, shape: readonly number[]): Tensor {
    const tensor = new Tensor(this, Object.freeze([...shape]), pointer);
    this.scopes.add(tensor);
    return tensor;
  }

  /** A copy of `data`. Throws `ShapeError`, `ValueError`, `OutOfMemory`. */
  from(operator: string, argument: string, data: ArrayLike<number>, shape: readonly number[]): Tensor {
    checkData(operator, argument, data, shape);
    return this.scope(() => {
      const place = ArrayBuffer.isView(data) ? data.byteOffset : 0;
      const tensor = this.empty(operator, shape);
      // Growth cuts off a view of the module's own memory, but moves no numbers.
      const source = data.length === tensor.size ? data : this.border.raw.floats(place, tensor.size);
      try {
        this.floats(tensor).set(source);
      } catch {
        const wrong = Array.from<unknown>(data).find((value) => typeof value !== "number");
        throw unsupported(operator, argument, "numbers", wrong); // such as bigint
      }
      return tensor;
    });
  }

  /** A tensor as it is, anything else copied. */
  take(operator: string, argument: string, value: TensorLike): Tensor {
    if (value instanceof Tensor) return alive(value);
    return this.from(operator, argument, value?.data, value?.shape);
  }

  /** As `take`; undefined where nothing is given. */
  optional(operator: string, argument: string, value: TensorLike | undefined): RawTensor | undefined {
    return value ? this.take(operator, argument, value) : undefined;
  }

  /** `out` where it is given and is none of `inputs`, which are read while it is written; else a new tensor. */
  result(
    operator: string,
    out: Tensor | undefined,
    shape: readonly number[],
    inputs: readonly unknown[] = [],
  ): Tensor {
    if (!out) return this.empty(operator, shape);
    if (!(out instanceof Tensor)) throw unsupported(operator, "out", "a tensor", out);
    if (!inputs.includes(out)) return alive(out);
    const fields = { code: "unsupported", operator, argument: "out", expected: "another tensor" } as const;
    throw new ValueError({ ...fields, got: "an input" });
  }

  /** A new tensor of zeros, for gradients that are added to. */
  zeros(operator: string, shape: readonly number[]): Tensor {
    const tensor = this.empty(operator, shape);
    this.floats(tensor).fill(0);
    return tensor;
  }

  /** A copy of whole numbers as int32, which belongs to the scope. Throws `ValueError`, `ShapeError`. */
  indices(operator: string, argument: string, given: ShapedData): RawTensor<"i32"> {
    const { data, shape } = objectOf(operator, argument, given);
    checkData(operator, argument, data, shape);
    const numbers = Int32Array.from(this.#checkRoom(operator, data, 4), Number);
    const wrong = numbers.findIndex((number, i) => number !== data[i]);
    if (wrong >= 0) {
      const fields = { code: "not_a_number", operator, argument, expected: "whole numbers" } as const;
      throw new ValueError({ ...fields, got: `${data[wrong]} at ${wrong}` });
    }
    return { pointer: this.#copy(operator, new Uint8Array(numbers.buffer)), shape };
  }

  /** A copy of a mask as bytes, which belongs to the scope. Throws `ShapeError`. */
  mask(operator: string, argument: string, mask: Mask | undefined): RawTensor<"u8"> | undefined {
    if (!mask) return undefined;
    const { data, shape } = mask;
    checkData(operator, argument, data, shape);
    const attends = Uint8Array.from(this.#checkRoom(operator, data, 1), (value) => (value ? 1 : 0));
    return { pointer: this.#copy(operator, attends), shape };
  }

  #copy(operator: string, bytes: Uint8Array): Pointer {
    const { pointer } = this.empty(operator, [Math.ceil(bytes.length / 4)]);
    this.border.raw.bytes(pointer, bytes.length).set(bytes);
    return pointer;
  }

  /** `data`, of which the module's memory may hold a copy. Throws `OutOfMemory`. */
  #checkRoom<T>(operator: string, data: ArrayLike<T>, bytesEach: number): ArrayLike<T> {
    const bytes = bytesEach * data.length;
    if (bytes < kMaxMemory) return data;
    throw this.border.outOfMemory(operator, bytes);
  }

  floats(tensor: Tensor): Float32Array {
    return this.border.raw.floats(tensor.pointer, tensor.size);
  }

  release(tensor: Tensor, pointer: Pointer): void {
    this.border.raw.release(pointer);
    this.scopes.delete(tensor);
  }

  /** Runs `body` and disposes everything made inside except what it returns. */
  scope<T>(body: () => T): T {
    return this.scopes.run(body);
  }
}

/** Throws `StaleViewError`. */
function alive(tensor: Tensor): Tensor {
  if (tensor.disposed) throw stale("tensor", "the tensor was disposed");
  return tensor;
}

/** `data` where it fits `shape`. Throws `ValueError`, `ShapeError`. */
export function checkData<T>(
  operator: string,
  argument: string,
  data: ArrayLike<T>,
  shape: readonly number[],
): ArrayLike<T> {
  if (typeof data !== "object" || typeof data?.length !== "number" || !Array.isArray(shape)) {
    const expected = "a tensor or {data, shape}";
    throw new ValueError({ code: "unsupported", operator, argument, expected, got: typeof data });
  }
  checkShape(operator, argument, shape);
  if (data.length !== sizeOf(shape)) {
    const got = `${data.length} values`;
    throw new ShapeError({ code: "wrong_shape", operator, argument, expected: shapeText(shape), got });
  }
  return data;
}

function checkShape(operator: string, argument: string, shape: readonly number[]): void {
  const list = Array.isArray(shape) ? (shape as readonly unknown[]) : undefined;
  if (
    list &&
    list.length <= kMaxRank &&
    [...list].every((dim) => Number.isInteger(dim) && (dim as number) >= 0) &&
    sizeOf(shape) <= Number.MAX_SAFE_INTEGER
  )
    return;
  const expected = `at most ${kMaxRank} whole numbers`;
  const got = !list ? typeof shape : list.length <= kMaxRank ? shapeText(shape) : `${list.length} of them`;
  throw new ShapeError({ code: "wrong_shape", operator, argument, expected, got });
}
