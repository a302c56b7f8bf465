// An object of C++'s, behind its handle.
import type { Border } from "./raw.ts";
import { Owned, disposed } from "./scope.ts";
import type { Kind, Scopes } from "./scope.ts";
import * as operators from "./signatures.ts";

/** The module, and what was made in it. */
export interface ObjectMemory {
  readonly border: Border;
  readonly scopes: Scopes;
}

export abstract class Handle extends Owned {
  /** What it is, e.g. `"encoder_layer"`: errors name it. */
  readonly kind: string;
  /** @internal */
  protected readonly memory: ObjectMemory;
  #handle: number | undefined;

  /** @internal */
  constructor(memory: ObjectMemory, kind: string, handle: number) {
    super();
    this.kind = kind;
    this.memory = memory;
    this.#handle = handle;
    memory.scopes.add(this);
  }

  override get disposed(): boolean {
    return this.#handle === undefined;
  }

  /** Gives the memory back. Twice is harmless. */
  override dispose(): void {
    if (this.#handle === undefined) return;
    this.remains()();
    this.memory.scopes.delete(this);
    this.#handle = undefined;
  }

  /** @internal */
  override get counted(): Kind {
    return "others";
  }

  /** @internal */
  override remains(): () => void {
    const [{ border }, { kind, handle }] = [this.memory, this];
    return () => {
      if (!border.disposed) border.call(kind, operators.releaseObject, { handle });
    };
  }

  /** @internal */
  get handle(): number {
    if (this.#handle === undefined) throw disposed(this.kind, "one");
    return this.#handle;
  }
}
