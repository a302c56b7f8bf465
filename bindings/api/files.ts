// Numbers from files.
import { bytesOf, textOf } from "./given.ts";
import type { Values } from "./listing.ts";
import type { Border } from "./raw.ts";
import { sizeOf } from "./shape.ts";
import type { Pointer } from "./signature.ts";
import * as operators from "./signatures.ts";

/** Numbers from the reader's own files. */
export interface Files {
  /**
   * Rows on lines or separated by `;`, columns by comma, tab or blanks; `#` begins a comment; a first row without
   * any number is a header. Throws `FormatError` that names row and column.
   */
  readCsv(text: string): Values;

  /** NumPy's .npy, versions 1.0 to 3.0, little-endian, f2 f4 f8 i1 i2 i4 i8 u1 b1. Throws `FormatError`. */
  readNpy(bytes: Uint8Array | ArrayBuffer): Values;
}

export function readCsv(border: Border, text: string): Values {
  const op = "readCsv";
  return border.withText(op, textOf(op, "text", text), (placed) =>
    arrayFrom(border, border.call(op, operators.readCsv, { text: placed })),
  );
}

export function readNpy(border: Border, bytes: Uint8Array | ArrayBuffer): Values {
  const op = "readNpy";
  return border.withBytes(op, bytesOf(op, "bytes", bytes), (placed) =>
    arrayFrom(border, border.call(op, operators.readNpy, { bytes: placed })),
  );
}

/** From "address,dimension,dimension,...". */
function arrayFrom(border: Border, answer: string): Values {
  const [pointer, ...shape] = answer.split(",").map(Number) as [Pointer, ...number[]];
  const data = border.raw.floats(pointer, sizeOf(shape)).slice();
  border.raw.release(pointer);
  return { data, shape };
}
