// Arguments of another kind than their type says, as callers without TypeScript may give them.
import { ValueError } from "./errors.ts";

export function unsupported(
  operator: string,
  argument: string,
  expected: string,
  value: unknown,
): ValueError {
  return new ValueError({ code: "unsupported", operator, argument, expected, got: kindOf(value) });
}

/** Null stands for what is not given. */
export function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

/** Whether it is an object with this name. */
export function has<Name extends string>(
  value: unknown,
  name: Name,
): value is Readonly<Record<Name, unknown>> {
  return typeof value === "object" && value !== null && name in value;
}

/** What came, in a word. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** What came: its text, or its kind, for an object's own text may fail, and a function's is its source. */
export function textOrKind(value: unknown): string {
  const kind = kindOf(value);
  return ["array", "object", "function"].includes(kind) ? kind : String(value);
}

/** A copy of the bytes of a buffer or view, of any realm. Throws `ValueError`. */
export function bytesOf(
  operator: string,
  argument: string,
  value: ArrayBuffer | ArrayBufferView,
): Uint8Array {
  if (ArrayBuffer.isView(value)) return bytesIn(value.buffer, value.byteOffset, value.byteLength);
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") {
    return bytesIn(value, 0, value.byteLength);
  }
  throw unsupported(operator, argument, "Uint8Array or ArrayBuffer", value);
}

/** None where the buffer is detached. */
function bytesIn(buffer: ArrayBufferLike, offset: number, size: number): Uint8Array {
  return size === 0 ? new Uint8Array() : new Uint8Array(buffer, offset, size).slice();
}

/** Throws `ValueError` unless `value` is text. */
export function textOf(operator: string, argument: string, value: string): string {
  if (typeof value === "string") return value;
  throw unsupported(operator, argument, "text", value);
}

/** Throws `ValueError` unless `value` is an object, such as options. */
export function objectOf<T extends object>(operator: string, argument: string, value: T): T {
  if (typeof value === "object" && (value as T | null) !== null && !Array.isArray(value)) return value;
  throw unsupported(operator, argument, "an object", value);
}
