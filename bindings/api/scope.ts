/// <reference lib="esnext.disposable" preserve="true" />
// What lives in the module's memory and is given back by hand: one by one, or with the scope it was made in.
import { StaleViewError, ValueError } from "./errors.ts";
import { unsupported } from "./given.ts";

/** Something in the module's memory. Give it back with `dispose`, `using` or `scope`; later use throws `StaleViewError`. */
export abstract class Owned {
  declare readonly [Symbol.dispose]: () => void;
  abstract get disposed(): boolean;
  /** Gives the memory back. Twice is harmless. */
  abstract dispose(): void;
}

if (Symbol.dispose) {
  const value = function (this: Owned): void {
    this.dispose();
  };
  Object.defineProperty(Owned.prototype, Symbol.dispose, { value });
}

export function stale(operator: string, got: string): StaleViewError {
  const fields = { code: "stale_view", operator, argument: "", expected: "", got } as const;
  return new StaleViewError(fields, `${operator}: ${got}`);
}

/** Which scope things were made in. */
export class Scopes {
  readonly #open: Set<Owned>[] = [];

  add(made: Owned): void {
    this.#open.at(-1)?.add(made);
  }

  delete(disposed: Owned): void {
    for (const scope of this.#open) scope.delete(disposed);
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
    let kept = new Set<Owned>();
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
      kept = ownedIn(result);
      return result;
    } finally {
      this.#open.pop();
      const outer = this.#open.at(-1);
      for (const one of made) {
        if (kept.has(one)) outer?.add(one);
        else one.dispose();
      }
    }
  }
}

/** `value` itself, or what is in an array or object, to its second level as in `{ tensors: { name: tensor } }`. */
function ownedIn(value: unknown, levels = 2): Set<Owned> {
  if (value instanceof Owned) return new Set([value]);
  if (typeof value !== "object" || value === null || levels === 0 || ArrayBuffer.isView(value))
    return new Set();
  return new Set(Object.values(value).flatMap((item) => [...ownedIn(item, levels - 1)]));
}
