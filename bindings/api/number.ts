// Numbers and switches, checked before C++ takes them.
import { ValueError } from "./errors.ts";
import { textOrKind, unsupported } from "./given.ts";

const kLargest = 2 ** 24;

/** Throws `ValueError` unless `value` is a whole number in least .. largest. */
export function whole(
  operator: string,
  argument: string,
  value: number,
  least = 1,
  largest = kLargest,
): number {
  if (Number.isInteger(value) && value >= least && value <= largest) return value;
  const fields = { code: "out_of_range", operator, argument, expected: `${least} .. ${largest}` } as const;
  throw new ValueError({ ...fields, got: textOrKind(value) });
}

/** Throws `ValueError` unless `value` is finite, also as a float32, and at least `least`. */
export function finite(operator: string, argument: string, value: number, least = -Infinity): number {
  const fields = { operator, argument, got: textOrKind(value) };
  if (typeof value !== "number" || !Number.isFinite(Math.fround(value))) {
    throw new ValueError({ ...fields, code: "not_finite", expected: "a finite float32 number" });
  }
  if (value >= least) return value;
  throw new ValueError({ ...fields, code: "out_of_range", expected: `at least ${least}` });
}

/** NaN for what is none: an object's own conversion may fail. */
export function numberOf(value: unknown): number {
  return ["number", "boolean", "bigint"].includes(typeof value) ? Number(value) : NaN;
}

/** Throws `ValueError` unless `value` is a number, of any size, or NaN. */
export function numeric(operator: string, argument: string, value: number): number {
  if (typeof value === "number") return value;
  throw unsupported(operator, argument, "a number", value);
}

/** Throws `ValueError` unless `value` is a boolean. */
export function flag(operator: string, argument: string, value: boolean): boolean {
  if (typeof value === "boolean") return value;
  const fields = { code: "not_a_choice", operator, argument, expected: "true, false" } as const;
  throw new ValueError({ ...fields, got: textOrKind(value) });
}
