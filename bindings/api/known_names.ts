// Names in options and configs, as callers without TypeScript may give them: one that is unknown is refused.
import { ValueError } from "./errors.ts";
import { objectOf } from "./given.ts";

/** Every name of `Options`: the compiler sees to it that none is missing and none is superfluous. */
export type Names<Options> = { readonly [Name in keyof Required<Options>]: 1 };

/** `given`, of which each name is one of `names`. Throws `ValueError`, which tells the name that was meant. */
export function checked<Given extends object>(
  operator: string,
  argument: string,
  given: Given,
  names: Readonly<Record<string, unknown>>,
): Given {
  const got = Object.keys(objectOf(operator, argument, given)).find((name) => !Object.hasOwn(names, name));
  if (got === undefined) return given;
  throw unknownName(operator, argument, got, Object.keys(names));
}

/** Tells the name of `names` that was meant. */
export function unknownName(
  operator: string,
  argument: string,
  got: string,
  names: readonly string[],
): ValueError {
  const expected = names.join(", ");
  const fields = { code: "unknown_name", operator, argument, expected, got } as const;
  const message = `${operator}: unknown name ${got} in ${argument}, expected one of ${expected}`;
  return new ValueError(fields, message + suggestion(got, expected));
}

/** The end of a sentence that says what was meant; empty where no name is near. `expected`: names, separated by commas. */
export function suggestion(got: string, expected: string): string {
  const near = expected
    .split(", ")
    .map((name) => ({ name, steps: distance(plain(got), plain(name)) }))
    .sort((a, b) => a.steps - b.steps)[0];
  return near && near.steps <= Math.max(1, got.length / 3) ? `; did you mean ${near.name}?` : "";
}

/** However it is spelled: `return_weights` is `returnWeights`. */
const plain = (name: string): string => name.replaceAll("_", "").toLowerCase();

/** How many letters are put in, left out, changed or exchanged with the next. */
function distance(from: string, to: string): number {
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; ++i) {
    const row = [i];
    for (let j = 1; j <= to.length; ++j) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      const steps = [row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + change];
      const crossed = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (crossed) steps.push(before[j - 2]! + 1);
      row.push(Math.min(...steps));
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
}
