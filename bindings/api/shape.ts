// Shapes: sizes of dimensions, outermost first.
import type { ShapedData } from "./types.ts";

export function isShapedData<Value>(value: unknown): value is ShapedData<Value> {
  return typeof value === "object" && value !== null && "data" in value && "shape" in value;
}

/** Whether `value` is a tensor, also of another instance or of another copy of this package. */
export function isTensor<Value>(
  value: unknown,
): value is { readonly shape: readonly number[]; toArray(): ArrayLike<Value> } {
  return typeof value === "object" && value !== null && "toArray" in value && "shape" in value;
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

export function shapeText(shape: readonly number[]): string {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}
