// What one does with tensors beside the operators of models: makes them, cuts them, joins them, calculates with them.
// The rules are NumPy's, and C++ finds the shape of what comes out.
import { choiceOf } from "./choice.ts";
import { unsupported } from "./given.ts";
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import type { OutOption } from "./matrix.ts";
import { checkShape } from "./nested.ts";
import { flag, numeric, whole } from "./number.ts";
import type { RawArgument } from "./signature.ts";
import * as operators from "./signatures.ts";
import type { Arithmetic, Reduce } from "./signatures.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** A place on a dimension: negative ones count from its end, and what is not given is the whole of it. */
export type Place = number | undefined;

/** One dimension's start:end:step, as in Python. */
export interface SliceOptions extends OutOption {
  /** Which dimension; negative ones count from the last. Default 0. */
  readonly axis?: number;
  readonly start?: Place;
  readonly end?: Place;
  /** Not 0; negative: from the end to the start. Default 1. */
  readonly step?: number;
}

/** Beside starts and ends. */
export interface StepsOption extends OutOption {
  /** A step for each of the first dimensions. Default 1. */
  readonly steps?: readonly Place[];
}

export interface ReduceOptions extends OutOption {
  /** The dimension stays, with the size 1. Default false. */
  readonly keepDims?: boolean;
}

/** All throw `ShapeError` where shapes do not fit, `ValueError` and `OutOfMemoryError`; nothing is changed then. */
export interface TensorOps {
  /** Zeros in this shape. */
  zeros(shape: readonly number[], options?: OutOption): Tensor;
  /** Ones in this shape. */
  ones(shape: readonly number[], options?: OutOption): Tensor;
  /** `value` everywhere, rounded to float32. */
  full(shape: readonly number[], value: number, options?: OutOption): Tensor;
  /** start, start + step, .. before `stop`, each rounded to float32; one number alone is `stop`, and counting begins at 0. */
  arange(start: number, stop?: number, step?: number): Tensor;

  /** The same elements in other dimensions, of which one may be -1: what the others leave. */
  reshape(x: TensorLike, shape: readonly number[], options?: OutOption): Tensor;
  /**
   * x[start:end:step, ..] as in Python: starts and ends of the first dimensions, or of one `axis`; the others whole.
   * Places beyond a dimension are clipped.
   */
  slice(x: TensorLike, options: SliceOptions): Tensor;
  slice(x: TensorLike, starts: readonly Place[], ends?: readonly Place[], options?: StepsOption): Tensor;
  /** Dimension i becomes x's dimension order[i]. Default: the last two change places. */
  transpose(x: TensorLike, order?: readonly number[], options?: OutOption): Tensor;
  /** One behind the other along a dimension, by default the first; the others are equal. */
  concat(list: readonly TensorLike[], axis?: number, options?: OutOption): Tensor;

  /** a + b, element by element; a dimension of 1, or none, is repeated. `out` may be an operand of its shape. */
  add(a: TensorLike, b: TensorLike, options?: OutOption): Tensor;
  /** a - b, as `add`. */
  sub(a: TensorLike, b: TensorLike, options?: OutOption): Tensor;
  /** a · b, as `add`. */
  mul(a: TensorLike, b: TensorLike, options?: OutOption): Tensor;
  /** a / b, as `add`. */
  div(a: TensorLike, b: TensorLike, options?: OutOption): Tensor;

  /** Over one dimension, or over all of them where none is given. Summed in double, rounded once. */
  sum(x: TensorLike, axis?: number, options?: ReduceOptions): Tensor;
  /** As `sum`, divided by how many they are. Of nothing it is NaN. */
  mean(x: TensorLike, axis?: number, options?: ReduceOptions): Tensor;
}

const sliceNames: Names<SliceOptions> = { axis: 1, start: 1, end: 1, step: 1, out: 1 };
const kFurthest = Number.MAX_SAFE_INTEGER;

export function makeTensorOps(memory: TensorMemory): TensorOps {
  const { border } = memory;

  /** What C++ wrote into `out`, or into memory of which it answers the address and the dimensions. */
  function made(
    op: string,
    { out }: OutOption,
    inputs: readonly unknown[],
    call: (out: Tensor | undefined) => Float64Array,
  ): Tensor {
    const given = out && memory.result(op, out, out.shape, inputs);
    const [pointer = 0, ...shape] = call(given);
    return given ?? memory.adopt(pointer, shape);
  }

  function filled(op: string, shape: readonly number[], value: number, options: OutOption): Tensor {
    checkShape(op, "shape", shape);
    return made(op, options, [], (out) => border.call(op, operators.full, { value, out, dims: shape }));
  }

  function arange(...[first, second, step = 1]: [number, number?, number?]): Tensor {
    const op = "arange";
    const [start, stop] = second === undefined ? [0, first] : [first, second];
    const given = { start: numeric(op, "start", start), stop: numeric(op, "stop", stop) };
    return made(op, {}, [], (out) =>
      border.call(op, operators.arange, { ...given, step: numeric(op, "step", step), out }),
    );
  }

  function reshape(x: TensorLike, shape: readonly number[], options: OutOption = {}): Tensor {
    const op = "reshape";
    return memory.scope(() => {
      const input = memory.take(op, "x", x);
      const dims = places(op, "shape", shape);
      return made(op, options, [x], (out) => border.call(op, operators.reshape, { x: input, out, dims }));
    });
  }

  function slice(
    ...[x, how, ends, options = {}]: [
      TensorLike,
      readonly Place[] | SliceOptions,
      (readonly Place[])?,
      StepsOption?,
    ]
  ): Tensor {
    const op = "slice";
    return memory.scope(() => {
      const input = memory.take(op, "x", x);
      const [slices, { out }] = isList(how)
        ? [startsAndEnds(op, how, ends, options.steps), options]
        : [alongOne(op, input.shape.length, checked(op, "options", how, sliceNames)), how];
      return made(op, { ...(out && { out }) }, [x], (to) =>
        border.call(op, operators.slice, { x: input, out: to, slices }),
      );
    });
  }

  function transpose(x: TensorLike, order?: readonly number[], options: OutOption = {}): Tensor {
    const op = "transpose";
    return memory.scope(() => {
      const input = memory.take(op, "x", x);
      const given = places(op, "order", order ?? []);
      return made(op, options, [x], (out) =>
        border.call(op, operators.transpose, { x: input, out, order: given }),
      );
    });
  }

  function concat(list: readonly TensorLike[], axis = 0, options: OutOption = {}): Tensor {
    const op = "concat";
    if (!isList(list)) throw unsupported(op, "list", "an array of tensors", list);
    return memory.scope(() => {
      const taken = list.map((each, i) => memory.take(op, `list[${i}]`, each));
      const given = { axis: place(op, "axis", axis), list: taken };
      return made(op, options, list, (out) => border.call(op, operators.concat, { ...given, out }));
    });
  }

  const arithmetic =
    (op: Arithmetic) =>
    (a: TensorLike, b: TensorLike, options: OutOption = {}): Tensor =>
      memory.scope(() => {
        const operation = choiceOf(op, "operation", operators.arithmeticNames, op);
        const given = { operation, a: memory.take(op, "a", a), b: memory.take(op, "b", b) };
        return made(op, options, [], (out) => border.call(op, operators.arithmetic, { ...given, out }));
      });

  const reduce =
    (op: Reduce) =>
    (x: TensorLike, axis?: number, options: ReduceOptions = {}): Tensor =>
      memory.scope(() => {
        const what = choiceOf(op, "what", operators.reduceNames, op);
        const keep = flag(op, "keepDims", options.keepDims ?? false);
        const along = axis === undefined ? undefined : place(op, "axis", axis);
        const given = { what, x: memory.take(op, "x", x), axis: along, keep };
        return made(op, options, [x], (out) => border.call(op, operators.reduce, { ...given, out }));
      });

  return {
    zeros: (shape, options = {}) => filled("zeros", shape, 0, options),
    ones: (shape, options = {}) => filled("ones", shape, 1, options),
    full: (shape, value, options = {}) =>
      filled("full", shape, Math.fround(numeric("full", "value", value)), options),
    arange,
    reshape,
    slice,
    transpose,
    concat,
    add: arithmetic("add"),
    sub: arithmetic("sub"),
    mul: arithmetic("mul"),
    div: arithmetic("div"),
    sum: reduce("sum"),
    mean: reduce("mean"),
  };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** A whole number, negative too. Throws `ValueError`. */
function place(op: string, argument: string, value: number): number {
  return whole(op, argument, value, -kFurthest, kFurthest);
}

function places(op: string, argument: string, list: readonly number[]): readonly number[] {
  if (!isList(list)) throw unsupported(op, argument, "an array of whole numbers", list);
  return list.map((value, i) => place(op, `${argument}[${i}]`, value));
}

/** start, end, step of each dimension. */
function startsAndEnds(
  op: string,
  starts: readonly Place[],
  ends: readonly Place[] = [],
  steps: readonly Place[] = [],
): readonly RawArgument[] {
  const lists = Object.entries({ starts, ends, steps });
  for (const [name, list] of lists) {
    if (!isList(list)) throw unsupported(op, name, "an array of whole numbers", list);
  }
  const count = Math.max(...lists.map(([, list]) => list.length));
  return Array.from({ length: count }, (_, i) =>
    lists.map(([name, list]) => {
      const usual = name === "steps" ? 1 : undefined;
      return list[i] === undefined ? usual : place(op, `${name}[${i}]`, list[i]);
    }),
  ).flat();
}

/** That of `axis`, after others that are whole. */
function alongOne(op: string, rank: number, options: SliceOptions): readonly RawArgument[] {
  const { axis = 0, start, end, step = 1 } = options;
  const at = whole(op, "axis", axis, -rank, rank - 1);
  const before = at < 0 ? at + rank : at;
  const given = (name: string, value: Place): Place =>
    value === undefined ? undefined : place(op, name, value);
  const others = Array.from({ length: before }, () => [undefined, undefined, 1]).flat();
  return [...others, given("start", start), given("end", end), given("step", step)];
}
