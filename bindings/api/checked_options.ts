// Options of another kind than an object, as callers without TypeScript may give them.
import { objectOf } from "./given.ts";

type Call = (...given: unknown[]) => unknown;

/** `functions`; `at` says which argument of a function its options are: any other value than an object is refused there. */
export function withCheckedOptions<T extends object>(
  functions: T,
  at: Readonly<Partial<Record<keyof T, number>>>,
): T {
  const checked = Object.entries<number | undefined>(at).map(([name, index]) => {
    const body = functions[name as keyof T] as Call;
    const call: Call = (...given) => {
      const options = given[index!];
      if (options !== undefined) objectOf(name, "options", options as object);
      return body(...given);
    };
    return [name, call];
  });
  return { ...functions, ...Object.fromEntries(checked) } as T;
}
