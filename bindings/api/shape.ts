// Shapes: sizes of dimensions, outermost first.
import { has } from "./given.ts";
import type { ShapedData } from "./types.ts";

export function isShapedData<Value>(value: unknown): value is ShapedData<Value> {
  return has(value, "data") && has(value, "shape");
}

/** Whether `value` is a tensor, also of another instance or of another copy of this package. */
export function isTensor<Value>(
  value: unknown,
): value is { readonly shape: readonly number[]; toArray(): ArrayLike<Value> } {
  return has(value, "toArray") && has(value, "shape");
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

export function shapeText(shape: readonly (number | string)[]): string {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}
