// One of a few names, as C++ knows it: its index.
import { ValueError } from "./errors.ts";

/** Throws `ValueError`. */
export function choiceOf(
  operator: string,
  argument: string,
  names: readonly (string | undefined)[],
  given: string | undefined,
): number {
  const index = names.indexOf(given);
  if (index >= 0) return index;
  const expected = names.filter((name) => name !== undefined).join(", ");
  throw new ValueError({ code: "not_a_choice", operator, argument, expected, got: String(given) });
}
