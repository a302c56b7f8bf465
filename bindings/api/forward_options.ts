// The options of a forward pass, which its result carries to its backward pass.
import { ValueError } from "./errors.ts";
import { isGiven, textOrKind } from "./given.ts";
import type { Names } from "./known_names.ts";
import type { Mask, TensorMemory } from "./tensor.ts";

/** What stands for an option that is not given. */
const defaults: Readonly<Record<string, unknown>> = {
  ...{ scale: "default", softcap: 0, nPast: 0 },
  ...{ reduction: "mean", labelSmoothing: 0, ignoreIndex: -100 },
};

/** Those of `given` that are `names` and are given. */
export function carried<Options extends object>(given: Options, names: Names<Options>): Options {
  const pairs = Object.entries(given).filter(([name, value]) => Object.hasOwn(names, name) && isGiven(value));
  return Object.fromEntries(pairs) as Options;
}

/** `carried`, with which `given` has to agree; `given` where nothing is carried. Throws `ValueError`. */
export function agreed<Options extends object>(
  memory: TensorMemory,
  operator: string,
  carried: Options | undefined,
  given: Options,
): Options {
  if (!carried) return given;
  for (const [argument, value] of Object.entries(given) as [string, unknown][]) {
    const own: unknown = (carried as Readonly<Record<string, unknown>>)[argument] ?? defaults[argument];
    if (!isGiven(value) || isSame(memory, operator, argument, own, value)) continue;
    const expected = `what the forward pass was given, ${textOf(own)}`;
    throw new ValueError({ code: "unsupported", operator, argument, expected, got: textOf(value) });
  }
  return carried;
}

function isSame(memory: TensorMemory, operator: string, argument: string, a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object") return textOrKind(a) === textOrKind(b);
  if (!isGiven(a) || !isGiven(b)) return false;
  if (argument === "scale") return JSON.stringify(a) === JSON.stringify(b); // one per head
  return memory.isEqual(operator, argument, a as Mask, b as Mask);
}

function textOf(value: unknown): string {
  if (typeof value === "number" || typeof value === "string") return String(value);
  return isGiven(value) ? "other values" : "nothing";
}
