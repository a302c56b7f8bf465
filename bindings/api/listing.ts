// Named tensors as text, in both directions: "name\0address,dimension,..\0name\0.." (listing.h).
import { ValueError } from "./errors.ts";
import { objectOf } from "./given.ts";
import type { Border } from "./raw.ts";
import { sizeOf } from "./shape.ts";
import type { Pointer } from "./signature.ts";
import type { TensorLike, TensorMemory } from "./tensor.ts";

/** A copy of a tensor's numbers, row-major, on JavaScript's side. */
export interface Values {
  readonly data: Float32Array<ArrayBuffer>;
  readonly shape: readonly number[];
}

export interface Listed {
  readonly name: string;
  readonly pointer: Pointer;
  readonly shape: readonly number[];
  copy(): Values;
}

/** Copies nothing yet: the tensors must live until `copy` is called. */
export function parseListing(border: Border, text: string): Listed[] {
  if (text === "") return [];
  const fields = text.split("\0");
  return Array.from({ length: fields.length / 2 }, (_, i) => {
    const [pointer, ...shape] = fields[2 * i + 1]!.split(",").map(Number) as [Pointer, ...number[]];
    const copy = (): Values => ({ data: border.raw.floats(pointer, sizeOf(shape)).slice(), shape });
    return { name: fields[2 * i]!, pointer, shape, copy };
  });
}

/** Must run inside a scope, to which copies belong. Throws `ValueError`, `ShapeError`, `OutOfMemoryError`. */
export function listingOf(
  memory: TensorMemory,
  operator: string,
  argument: string,
  tensors: Readonly<Record<string, TensorLike>>,
): string {
  return Object.entries(objectOf(operator, argument, tensors))
    .map(([name, value]) => {
      if (name.includes("\0")) {
        const fields = { code: "unsupported", operator, argument: "name" } as const;
        throw new ValueError({ ...fields, expected: "a name without U+0000", got: name });
      }
      const { pointer, shape } = memory.take(operator, name, value);
      return `${name}\0${[pointer, ...shape].join()}`;
    })
    .join("\0");
}
