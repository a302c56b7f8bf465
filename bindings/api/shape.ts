// Shapes: sizes of dimensions, outermost first.
import type { ShapedData } from "./types.ts";

export function isShapedData<Value>(value: unknown): value is ShapedData<Value> {
  return typeof value === "object" && value !== null && "data" in value && "shape" in value;
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

export function shapeText(shape: readonly number[]): string {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}
