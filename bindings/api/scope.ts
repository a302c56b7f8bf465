/// <reference lib="esnext.disposable" preserve="true" />
// What lives in the module's memory and is given back: one by one, with the scope it was made in, or once it is forgotten.
import { DisposedError, ValueError } from "./errors.ts";
import { unsupported } from "./given.ts";

/** What is counted by itself in the module's memory. */
export type Kind = "tensors" | "layers" | "trainers" | "others";

/** Something in the module's memory. Give it back with `dispose`, `using` or `scope`; later use throws `DisposedError`. */
export abstract class Owned {
  declare readonly [Symbol.dispose]: () => void;
  abstract get disposed(): boolean;
  /** Gives the memory back. Twice is harmless. */
  abstract dispose(): void;
  /** @internal */
  abstract get counted(): Kind;
  /** @internal What gives the memory back once this is forgotten: it may not refer to it. */
  abstract remains(): () => void;
}

if (Symbol.dispose) {
  const value = function (this: Owned): void {
    this.dispose();
  };
  Object.defineProperty(Owned.prototype, Symbol.dispose, { value });
}

/** What the use of something throws that was given back. */
export function disposed(operator: string, what: string, argument = ""): DisposedError {
  const fields = {
    code: "disposed",
    operator,
    argument,
    expected: "",
    got: `${what} that was disposed`,
  } as const;
  return new DisposedError(fields);
}

let warned = false;

function warnOnce(): void {
  if (warned) return;
  warned = true;
  console.warn(
    "sqrtdk: tensors or layers were forgotten and given back by the garbage collector, which may come too late: " +
      "dispose() them, declare them with `using`, or make them inside scope().",
  );
}

/** What there is, and which scope it was made in. What belongs to no scope and is forgotten is given back. */
export class Scopes {
  readonly #open: Set<Owned>[] = [];
  readonly #border: { readonly disposed: boolean };
  readonly #counts: Record<Kind, number> = { tensors: 0, layers: 0, trainers: 0, others: 0 };
  readonly #forgotten = new FinalizationRegistry<readonly [Kind, () => void]>(([kind, giveBack]) => {
    this.#counts[kind] -= 1;
    giveBack();
    if (!this.#border.disposed) warnOnce();
  });

  constructor(border: { readonly disposed: boolean }) {
    this.#border = border;
  }

  /** How many there are of each kind. */
  get counts(): Readonly<Record<Kind, number>> {
    return { ...this.#counts };
  }

  add(made: Owned): void {
    this.#counts[made.counted] += 1;
    this.#leave(made, this.#open.at(-1));
  }

  delete(disposed: Owned): void {
    this.#counts[disposed.counted] -= 1;
    this.#forgotten.unregister(disposed);
    for (const scope of this.#open) scope.delete(disposed);
  }

  /** `made` takes `old` over: what one of them is counted for, the other gives back. */
  replace(old: Owned, made: Owned): void {
    this.#forgotten.unregister(old);
    for (const scope of this.#open) scope.delete(old);
    this.#leave(made, this.#open.at(-1));
  }

  /** To the scope, or where there is none to whoever holds it. */
  #leave(made: Owned, scope: Set<Owned> | undefined): void {
    if (scope) scope.add(made);
    else this.#forgotten.register(made, [made.counted, made.remains()], made);
  }

  /** Runs `body`, such as a callback of the caller's, as if the innermost scope were not open. */
  outside<T>(body: () => T): T {
    const inner = this.#open.pop();
    try {
      return body();
    } finally {
      if (inner) this.#open.push(inner);
    }
  }

  /** Runs `body` and disposes everything made inside except what it returns. */
  run<T>(body: () => T): T {
    if (typeof body !== "function") throw unsupported("scope", "body", "a synchronous function", body);
    const made = new Set<Owned>();
    this.#open.push(made);
    const kept = new Set<Owned>();
    try {
      const result = body();
      if (result instanceof Promise) {
        throw new ValueError({
          code: "unsupported",
          operator: "scope",
          argument: "body",
          expected: "a synchronous function",
          got: "a promise",
        });
      }
      keep(result, kept);
      return result;
    } finally {
      this.#open.pop();
      const outer = this.#open.at(-1);
      for (const one of made) {
        if (kept.has(one)) this.#leave(one, outer);
        else one.dispose();
      }
    }
  }
}

/** Adds to `kept` what is in `value`: itself, or in arrays, objects, maps and sets, however nested. */
function keep(value: unknown, kept: Set<Owned>, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value)) return;
  if (value instanceof Owned) {
    kept.add(value);
    return;
  }
  seen.add(value);
  const isList = Array.isArray(value) || value instanceof Map || value instanceof Set;
  for (const one of isList ? (value as Iterable<unknown>) : Object.values(value)) {
    if (typeof one === "object") keep(one, kept, seen); // arrays of numbers may be long
  }
}
