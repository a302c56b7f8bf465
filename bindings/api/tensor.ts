// Tensors: handles on row-major float32 numbers in the module's memory.
import { ShapeError, StaleViewError, ValueError } from "./errors.ts";
import { isGiven, textOrKind, unsupported } from "./given.ts";
import { checkData, checkShape, shaped } from "./nested.ts";
import type { Nested } from "./nested.ts";
import { numberOf } from "./number.ts";
import type { Border } from "./raw.ts";
import { Owned, Scopes, disposed } from "./scope.ts";
import type { Kind } from "./scope.ts";
import { shapeText, sizeOf } from "./shape.ts";
import type { Pointer, RawTensor } from "./signature.ts";
import type { ShapedData } from "./types.ts";

const kMaxMemory = 2 ** 31; // bytes of the module

/** A tensor, numbers with their shape, or numbers in nested arrays. */
export type TensorLike = Tensor | ShapedData | Nested;
/** Which keys a query attends to: true or nonzero. */
export type Mask = Tensor | ShapedData<number | boolean> | Nested<number | boolean>;
/** Whole numbers, such as tokens: an array is one row of them. */
export type Ids = TensorLike;

/** Numbers in the module's memory. Give them back with `dispose`, `using` or `scope`; later use throws `DisposedError`. */
export class Tensor extends Owned {
  static override readonly name: string = "Tensor"; // minification leaves it
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
  toArray(): Float32Array<ArrayBuffer> {
    return this.#memory.floats(this).slice();
  }

  /** A copy of the numbers as arrays in arrays; a number where the shape is `[]`. */
  toNested(): Nested {
    return nestedOf(this.#memory.floats(this), this.shape);
  }

  /** The number of a tensor that has one alone. Throws `ShapeError`. */
  item(): number {
    if (this.size === 1) return this.#memory.floats(this)[0]!;
    const fields = {
      code: "wrong_shape",
      operator: "item",
      argument: "tensor",
      expected: "1 value",
    } as const;
    throw new ShapeError({ ...fields, got: `${this.size} values of shape ${shapeText(this.shape)}` });
  }

  /** The numbers in place, without a copy: see `TensorView`. */
  view(): TensorView {
    return new TensorView(this, this.#memory.floats(this));
  }

  /** Copies the numbers into `array`, which is as long as `size`: no new memory. Throws `ShapeError`, `ValueError`. */
  copyTo(array: Float32Array): void {
    if (!isNumberArray(array)) throw unsupported("copyTo", "array", "a Float32Array", array);
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
    if (this.#pointer === undefined) throw disposed("tensor", "a tensor");
    return this.#pointer;
  }

  /** @internal */
  isIn(memory: TensorMemory): boolean {
    return this.#memory === memory;
  }

  /** @internal */
  override get counted(): Kind {
    return "tensors";
  }

  /** @internal */
  override remains(): () => void {
    const [{ border }, pointer] = [this.#memory, this.pointer];
    return () => border.giveBack(pointer);
  }
}

function nestedOf(numbers: Float32Array, shape: readonly number[]): Nested {
  const [rows, ...rest] = shape;
  if (rows === undefined) return numbers[0]!;
  if (rest.length === 0) return Array.from(numbers);
  const size = sizeOf(rest);
  return Array.from({ length: rows }, (_, i) => nestedOf(numbers.subarray(i * size, (i + 1) * size), rest));
}

/** A window on a tensor's memory, checked at every use of `array`; after growth ask the tensor for a new one. */
export class TensorView {
  static readonly name: string = "TensorView"; // minification leaves it
  readonly #tensor: Tensor;
  readonly #array: Float32Array;

  /** @internal */
  constructor(tensor: Tensor, array: Float32Array) {
    this.#tensor = tensor;
    this.#array = array;
  }

  /**
   * The numbers, row-major; writes change the tensor. Throws `DisposedError` once the tensor is disposed, and
   * `StaleViewError` once the module's memory has grown. Do not keep the array itself across other calls: it is not
   * checked.
   */
  get array(): Float32Array {
    alive("view", "", this.#tensor);
    if (this.#array.length === this.#tensor.size) return this.#array;
    const fields = { operator: "view", argument: "", expected: "", got: "a module whose memory has grown" };
    throw new StaleViewError({ code: "stale_view", ...fields });
  }
}

/** Makes tensors and knows which scope they belong to. */
export class TensorMemory {
  readonly border: Border;
  readonly scopes: Scopes;

  constructor(border: Border) {
    this.border = border;
    this.scopes = new Scopes(border);
  }

  /** Numbers not yet set. Throws `ShapeError`, `OutOfMemoryError`. */
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

  /** A copy of `data`. Throws `ShapeError`, `ValueError`, `OutOfMemoryError`. */
  from(operator: string, argument: string, data: ArrayLike<number>, shape: readonly number[]): Tensor {
    checkData(operator, argument, data, shape);
    return this.scope(() => {
      const place = ArrayBuffer.isView(data) ? data.byteOffset : 0;
      const tensor = this.empty(operator, shape);
      // Growth cuts off a view of the module's own memory, but moves no numbers.
      const source = data.length === tensor.size ? data : this.border.raw.floats(place, tensor.size);
      const wrong = copyNumbers(this.floats(tensor), source);
      if (wrong !== undefined) throw unsupported(operator, argument, "numbers", wrong.value);
      return tensor;
    });
  }

  /** A new tensor of the same numbers, of another shape where it is given. */
  copy(operator: string, argument: string, value: TensorLike, shape?: readonly number[]): Tensor {
    const plain = this.#plain(operator, argument, value);
    return this.from(operator, argument, plain.data, shape === undefined ? plain.shape : shape);
  }

  /** A tensor of this memory as it is, anything else copied. */
  take(operator: string, argument: string, value: TensorLike): Tensor {
    if (value instanceof Tensor && alive(operator, argument, value).isIn(this)) return value;
    return this.copy(operator, argument, value);
  }

  /** As `take`; undefined where nothing is given. */
  optional(operator: string, argument: string, value: TensorLike | undefined): RawTensor | undefined {
    return isGiven(value) ? this.take(operator, argument, value) : undefined;
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
    const fields = { code: "unsupported", operator, argument: "out" } as const;
    if (inputs.includes(out))
      throw new ValueError({ ...fields, expected: "another tensor", got: "an input" });
    if (alive(operator, "out", out).isIn(this)) return out;
    throw new ValueError({ ...fields, expected: "a tensor of this instance", got: "one of another" });
  }

  /** A new tensor of zeros, for gradients that are added to. */
  zeros(operator: string, shape: readonly number[]): Tensor {
    const tensor = this.empty(operator, shape);
    this.floats(tensor).fill(0);
    return tensor;
  }

  /** A copy of whole numbers as int32, which belongs to the scope. Throws `ValueError`, `ShapeError`. */
  indices(operator: string, argument: string, given: Ids): RawTensor<"i32"> {
    const { data, shape } = this.#plain(operator, argument, given);
    const numbers = Int32Array.from(this.#checkRoom(operator, data, 4), numberOf);
    const wrong = numbers.findIndex((number, i) => number !== data[i]);
    if (wrong >= 0) {
      const fields = { code: "not_a_number", operator, argument, expected: "whole numbers" } as const;
      throw new ValueError({ ...fields, got: `${textOrKind(data[wrong])} at ${wrong}` });
    }
    return { pointer: this.#copy(operator, new Uint8Array(numbers.buffer)), shape };
  }

  /** A copy of a mask as bytes, which belongs to the scope. Throws `ValueError`, `ShapeError`. */
  mask(operator: string, argument: string, mask: Mask | undefined): RawTensor<"u8"> | undefined {
    if (!isGiven(mask)) return undefined;
    const { data, shape } = this.#plain(operator, argument, mask);
    const attends = Uint8Array.from(this.#checkRoom(operator, data, 1), (value) => (value ? 1 : 0));
    return { pointer: this.#copy(operator, attends), shape };
  }

  /** Whether both have the same shape and numbers. Throws `ValueError`, `ShapeError`. */
  isEqual(operator: string, argument: string, one: Mask, other: Mask): boolean {
    const [a, b] = [this.#plain(operator, argument, one), this.#plain(operator, argument, other)];
    const values = Array.from(b.data);
    return (
      shapeText(a.shape) === shapeText(b.shape) &&
      Array.from(a.data).every((value, i) => Object.is(numberOf(value), numberOf(values[i])))
    );
  }

  /** The numbers in place where it is a tensor. */
  #plain<Leaf>(
    operator: string,
    argument: string,
    given: Tensor | ShapedData<Leaf> | Nested<Leaf>,
  ): ShapedData<Leaf | number> {
    if (given instanceof Tensor) {
      return { data: alive(operator, argument, given).view().array, shape: given.shape };
    }
    return shaped(operator, argument, given);
  }

  #copy(operator: string, bytes: Uint8Array): Pointer {
    const { pointer } = this.empty(operator, [Math.ceil(bytes.length / 4)]);
    this.border.raw.bytes(pointer, bytes.length).set(bytes);
    return pointer;
  }

  /** `data`, of which the module's memory may hold a copy. Throws `OutOfMemoryError`. */
  #checkRoom<T>(operator: string, data: ArrayLike<T>, bytesEach: number): ArrayLike<T> {
    const bytes = bytesEach * data.length;
    if (bytes < kMaxMemory) return data;
    throw this.border.outOfMemory(operator, bytes);
  }

  floats(tensor: Tensor): Float32Array {
    return this.border.raw.floats(tensor.pointer, tensor.size);
  }

  release(tensor: Tensor, pointer: Pointer): void {
    this.border.giveBack(pointer);
    this.scopes.delete(tensor);
  }

  /** Runs `body` and disposes everything made inside except what it returns. */
  scope<T>(body: () => T): T {
    return this.scopes.run(body);
  }
}

/** Throws `DisposedError`. */
function alive(operator: string, argument: string, tensor: Tensor): Tensor {
  if (tensor.disposed) throw disposed(operator, "a tensor", argument);
  return tensor;
}

/** Of any realm. */
function isNumberArray(value: unknown): value is ArrayLike<number> {
  return ArrayBuffer.isView(value) && !/DataView|BigInt/.test(Object.prototype.toString.call(value));
}

/** Gives the first value that is no number. */
function copyNumbers(to: Float32Array, from: ArrayLike<unknown>): { readonly value: unknown } | undefined {
  if (isNumberArray(from)) {
    to.set(from);
    return undefined;
  }
  for (let i = 0; i < to.length; ++i) {
    const value = from[i];
    if (typeof value !== "number") return { value };
    to[i] = value;
  }
  return undefined;
}
