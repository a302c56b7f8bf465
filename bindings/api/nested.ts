// Numbers as people write them down: with their shape, as one array, or as arrays in arrays.
import { ShapeError, ValueError } from "./errors.ts";
import { has, kindOf, textOrKind } from "./given.ts";
import { isShapedData, isTensor, shapeText, sizeOf } from "./shape.ts";
import type { ShapedData } from "./types.ts";

/** A number, an array of them, or arrays of such arrays, all of one length. */
export type Nested<Leaf = number> = Leaf | ArrayLike<Leaf> | readonly Nested<Leaf>[];

const kMaxRank = 6;

/** `value` row-major with its shape, checked but for the kind of its leaves. Throws `ValueError`, `ShapeError`. */
export function shaped<Leaf>(
  operator: string,
  argument: string,
  value: ShapedData<Leaf> | Nested<Leaf>,
): ShapedData<Leaf> {
  if (isShapedData<Leaf>(value)) {
    checkData(operator, argument, value.data, value.shape);
    return value;
  }
  if (typeof value === "number" || typeof value === "boolean") return { data: [value], shape: [] };
  if (isList(value)) return flat(operator, argument, value);
  if (isTensor<Leaf>(value)) return { data: value.toArray(), shape: value.shape };
  const expected = "a tensor, {data, shape} or nested arrays of numbers";
  throw new ValueError({ code: "unsupported", operator, argument, expected, got: kindOf(value) });
}

function flat<Leaf>(operator: string, argument: string, value: ArrayLike<unknown>): ShapedData<Leaf> {
  const shape: number[] = [];
  for (let first: unknown = value; isList(first) && shape.length <= kMaxRank; first = first[0]) {
    shape.push(first.length);
  }
  checkShape(operator, argument, shape);
  const data: Leaf[] = [];
  const walk = (item: unknown, level: number, place: string): void => {
    const length = shape[level];
    if (length === undefined && !isList(item)) data.push(item as Leaf);
    else if (length !== undefined && isList(item) && item.length === length) {
      for (let i = 0; i < length; ++i) walk(item[i], level + 1, place + `[${i}]`);
    } else {
      const expected = length === undefined ? "a number" : `${length} values`;
      const got = `${isList(item) ? `${item.length} values` : kindOf(item)} at ${place}`;
      throw new ShapeError({ code: "wrong_shape", operator, argument, expected, got });
    }
  };
  if (shape.length === 1) return { data: value as ArrayLike<Leaf>, shape };
  walk(value, 0, "");
  return { data, shape };
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return has(value, "length") && typeof value.length === "number";
}

/** `data` where it fits `shape`. Throws `ValueError`, `ShapeError`. */
export function checkData<Leaf>(
  operator: string,
  argument: string,
  data: ArrayLike<Leaf>,
  shape: readonly number[],
): void {
  if (!isList(data)) {
    const fields = { code: "unsupported", operator, argument, expected: "data: numbers, row-major" } as const;
    throw new ValueError({ ...fields, got: kindOf(data) });
  }
  checkShape(operator, argument, shape);
  if (data.length === sizeOf(shape)) return;
  const got = `${data.length} values`;
  throw new ShapeError({ code: "wrong_shape", operator, argument, expected: shapeText(shape), got });
}

/** Throws `ShapeError`. */
export function checkShape(operator: string, argument: string, shape: readonly number[]): void {
  const list = Array.isArray(shape) ? (shape as readonly unknown[]) : undefined;
  if (
    list &&
    list.length <= kMaxRank &&
    [...list].every((dim) => Number.isInteger(dim) && (dim as number) >= 0) &&
    sizeOf(shape) <= Number.MAX_SAFE_INTEGER
  )
    return;
  const expected = `at most ${kMaxRank} whole numbers`;
  const got = !list
    ? kindOf(shape)
    : list.length <= kMaxRank
      ? shapeText([...list].map(textOrKind))
      : `${list.length} of them`;
  throw new ShapeError({ code: "wrong_shape", operator, argument, expected, got });
}
