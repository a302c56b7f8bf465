// One of a few names, as C++ knows it: its index.
import { ValueError } from "./errors.ts";
import { textOrKind } from "./given.ts";
import type { Choice } from "./signature.ts";

/** `names` in C++'s order, "" standing for what is not given. Throws `ValueError`. */
export function choiceOf<Names extends string>(
  operator: string,
  argument: string,
  names: readonly Names[],
  given: NoInfer<Names> | undefined,
): Choice<Names> {
  const index = names.indexOf((given ?? "") as Names);
  if (index >= 0) return index as Choice<Names>;
  const expected = names.filter((name) => name !== "").join(", ");
  throw new ValueError({ code: "not_a_choice", operator, argument, expected, got: textOrKind(given) });
}
