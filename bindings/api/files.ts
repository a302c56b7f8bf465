// Numbers from files.
import { bytesOf, textOf } from "./given.ts";
import type { Border } from "./raw.ts";
import { sizeOf } from "./shape.ts";
import type { Pointer } from "./signature.ts";
import * as operators from "./signatures.ts";

/** What a file holds, row-major. */
export interface NumberArray {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** Numbers from the reader's own files. */
export interface Files {
  /**
   * Rows on lines or separated by `;`, columns by comma, tab or blanks; `#` begins a comment; a first row without
   * any number is a header. Throws `FormatError` that names row and column.
   */
  read_csv(text: string): NumberArray;

  /** NumPy's .npy, versions 1.0 to 3.0, little-endian, f2 f4 f8 i1 i2 i4 i8 u1 b1. Throws `FormatError`. */
  read_npy(bytes: Uint8Array | ArrayBuffer): NumberArray;
}

export function makeFiles(border: Border): Files {
  /** From "address,dimension,dimension,...". */
  function arrayFrom(answer: string): NumberArray {
    const [pointer, ...shape] = answer.split(",").map(Number) as [Pointer, ...number[]];
    const values = border.raw.floats(pointer, sizeOf(shape)).slice();
    border.raw.release(pointer);
    return { shape, values };
  }

  return {
    read_csv: (text) =>
      border.withText("read_csv", textOf("read_csv", "text", text), (placed) =>
        arrayFrom(border.call(operators.read_csv, { text: placed })),
      ),
    read_npy: (bytes) =>
      border.withBytes("read_npy", bytesOf("read_npy", "bytes", bytes), (placed) =>
        arrayFrom(border.call(operators.read_npy, { bytes: placed })),
      ),
  };
}
