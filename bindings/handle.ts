// An object of C++'s, behind its handle.
import { Owned, stale } from "./scope.ts";
import type { TensorMemory } from "./tensor.ts";

export abstract class Handle extends Owned {
  /** What it is, e.g. `"encoder_layer"`: errors name it. */
  readonly kind: string;
  /** @internal */
  protected readonly memory: TensorMemory;
  #handle: number | undefined;

  /** @internal */
  constructor(memory: TensorMemory, kind: string, handle: number) {
    super();
    this.kind = kind;
    this.memory = memory;
    this.#handle = handle;
    memory.scopes.add(this);
  }

  override get disposed(): boolean {
    return this.#handle === undefined;
  }

  override dispose(): void {
    if (this.#handle === undefined) return;
    this.memory.border.call("release_object", this.#handle);
    this.memory.scopes.delete(this);
    this.#handle = undefined;
  }

  /** @internal */
  get handle(): number {
    if (this.#handle === undefined) throw stale(this.kind, `the ${this.kind} was disposed`);
    return this.#handle;
  }
}
