// Parameters in their one text form. Parsing and checking happen in C++, for every front end alike.
import { ShapeError, ValueError } from "./errors.ts";
import { kindOf, objectOf, textOrKind } from "./given.ts";
import { checkData } from "./nested.ts";
import { numberOf } from "./number.ts";
import { isShapedData, isTensor, shapeText } from "./shape.ts";
import type { RunParam, RunParams, ShapedData } from "./types.ts";

const kMaxSeed = 2n ** 64n - 1n;

/** "id\0name\0value\0name\0value": what the raw functions take. */
export function requestText(id: string, params: RunParams): string {
  const fields = [id];
  for (const [name, value] of Object.entries(objectOf(id, "params", params))) {
    if (value !== undefined) fields.push(name, paramText(id, name, value));
  }
  return fields.map((field) => field.replaceAll("\0", "\uFFFD")).join("\0");
}

/** The text form of one value. Throws `ValueError`, or `ShapeError` for a matrix. */
export function paramText(operator: string, name: string, value: RunParam): string {
  if (name === "seed") return String(seed64(operator, value));
  if (typeof value === "number") return String(value);
  if (typeof value === "string" || typeof value === "bigint") return String(value);
  if (isList(value)) {
    const between = value.some(Array.isArray) ? ";" : ","; // rows of a matrix
    return value.map((item) => paramText(operator, name, item)).join(between);
  }
  if (value instanceof ArrayBuffer || value instanceof Uint8Array) {
    if (value.byteLength > 0) return base64(new Uint8Array(value));
    const fields = { code: "empty", operator, argument: name, expected: "at least 1 byte" } as const;
    throw new ValueError({ ...fields, got: "0 bytes" }); // no text would mean: not given
  }
  if (isShapedData<number>(value)) return matrixText(operator, name, value);
  if (isTensor<number>(value))
    return matrixText(operator, name, { data: value.toArray(), shape: value.shape });
  throw new ValueError({
    code: "unsupported",
    operator,
    argument: name,
    expected: "text, numbers, bytes or {data, shape}",
    got: kindOf(value),
  });
}

/** A seed as 64 bits. Numbers must be safe integers; beyond that, bigint or decimal text. Throws `ValueError`. */
export function seed64(operator: string, seed: unknown): bigint {
  const got = textOrKind(seed).trim();
  const fields = { operator, argument: "seed", got };
  if (typeof seed === "number" ? !Number.isInteger(seed) : !/^[+-]?\d+$/.test(got)) {
    throw new ValueError({ ...fields, code: "not_a_number", expected: "integer" });
  }
  if (typeof seed === "number" && !Number.isSafeInteger(seed)) {
    // 2 ** 53 + 1 has already lost its last digit.
    throw new ValueError({
      ...fields,
      code: "out_of_range",
      expected: "a bigint or decimal text beyond 2^53",
    });
  }
  const value = BigInt(got.replace(/^\+/, ""));
  if (value < 0n || value > kMaxSeed) {
    throw new ValueError({ ...fields, code: "out_of_range", expected: `0 .. ${kMaxSeed}` });
  }
  return value;
}

function isList(value: unknown): value is readonly RunParam[] {
  return Array.isArray(value);
}

function matrixText(operator: string, name: string, { data, shape }: ShapedData): string {
  checkData(operator, name, data, shape);
  const [rows = 0, columns = 0] = shape;
  if (shape.length !== 2) {
    const fields = { code: "wrong_shape", operator, argument: name, expected: "(rows, columns)" } as const;
    throw new ShapeError({ ...fields, got: shapeText(shape) });
  }
  const lines: string[] = [];
  for (let row = 0; row < rows; ++row) {
    lines.push(
      Array.from({ length: columns }, (_, i) => float32Text(numberOf(data[row * columns + i]))).join(","),
    );
  }
  return lines.join(";");
}

/** The text form of a file's bytes. */
export function base64(bytes: Uint8Array): string {
  const letters: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    letters.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(letters.join(""));
}

/** The shortest decimal text that reads back as the same float32. */
export function float32Text(value: number): string {
  const float = Math.fround(value);
  if (Object.is(float, -0)) return "-0";
  for (let digits = 1; digits < 9; ++digits) {
    const shorter = Number(float.toPrecision(digits));
    if (Math.fround(shorter) === float) return String(shorter);
  }
  return String(Number(float.toPrecision(9)));
}
