// Options as callers without TypeScript may give them: another kind than an object, or unknown names in it.
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";

type Call = (...given: unknown[]) => unknown;
type LastOf<List> = List extends readonly [...unknown[], infer Last] ? Last : never;

/** Of functions whose last argument its options are: at which place, and all of their names. */
export type OptionNames<Functions> = {
  readonly [Name in keyof Functions]?: Functions[Name] extends (...given: infer Given) => unknown
    ? readonly [place: number, names: Names<LastOf<Required<Given>>>]
    : never;
};

/** `functions`, which refuse any other value than an object as their options, and unknown names. */
export function withCheckedOptions<Functions extends object>(
  functions: Functions,
  options: OptionNames<Functions>,
): Functions {
  const table = Object.entries(options) as [string, readonly [number, Record<string, unknown>]][];
  const wrapped = table.map(([name, [place, names]]) => {
    const body = functions[name as keyof Functions] as Call;
    const call: Call = (...given) => {
      if (given[place] !== undefined) checked(name, "options", given[place] as object, names);
      return body(...given);
    };
    return [name, call];
  });
  return { ...functions, ...Object.fromEntries(wrapped) } as Functions;
}
