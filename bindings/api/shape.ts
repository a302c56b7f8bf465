// Shapes: sizes of dimensions, outermost first.

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

export function shapeText(shape: readonly number[]): string {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}
