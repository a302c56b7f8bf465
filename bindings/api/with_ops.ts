// What the module `ops` offers on this thread: operators and tensors.
import { suggestion } from "./known_names.ts";
import { makeOps } from "./ops.ts";
import type { Ops } from "./ops.ts";
import { makeRandom } from "./random.ts";
import type { Random } from "./random.ts";
import * as operators from "./signatures.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** Operators, tensors and random numbers: what `sqrtdk/ops` gives on this thread. */
export interface WithOps {
  readonly ops: Ops;
  readonly random: Random;

  /**
   * A copy of numbers in the module's memory: nested arrays, a number, `{ data, shape }`, or with `shape` a flat array
   * (row-major). Throws `ValueError`, `ShapeError`, `OutOfMemoryError`.
   */
  tensor(data: TensorLike, shape?: readonly number[]): Tensor;

  /**
   * Runs `body` and disposes every tensor and layer made inside, except what it returns: one, or arrays, objects, maps
   * and sets of them. Throws `ValueError` for an asynchronous `body`.
   */
  scope<T>(body: () => T): T;

  /** How much of the module's memory is used, and by what. */
  memory(): MemoryUse;
}

/** What there is in a module's memory. */
export interface MemoryUse {
  /** The size of the memory, which never shrinks; at most 2 GiB. */
  readonly bytes: number;
  /** Bytes of it that are in use. */
  readonly used: number;
  readonly tensors: number;
  /** Layers and models. */
  readonly layers: number;
  readonly trainers: number;
  /** Caches of keys and values, and tokenizers. */
  readonly others: number;
}

export function makeWithOps(memory: TensorMemory): WithOps {
  const { border } = memory;
  border.suggestion = suggestion;
  return {
    ops: makeOps(memory),
    random: makeRandom(memory),
    tensor: (data, shape) => memory.copy("tensor", "data", data, shape),
    scope: (body) => memory.scope(body),
    memory: () => ({
      bytes: border.raw.bytes(0, 0).buffer.byteLength,
      used: border.call("memory", operators.memoryUsed, {}),
      ...memory.scopes.counts,
    }),
  };
}
