// The whole API on one module.
import { makeExperiments } from "./experiments.ts";
import type { Experiments } from "./experiments.ts";
import { makeKernels } from "./kernels.ts";
import type { Kernels } from "./kernels.ts";
import { makeNumbers } from "./numbers.ts";
import type { Numbers } from "./numbers.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";
import { TensorMemory } from "./tensor.ts";
import type { Tensor } from "./tensor.ts";

export interface Sqrtdk extends Experiments, Kernels, Numbers {
  /** A copy of `data` (row-major) in the module's memory. Throws `ShapeError`, `OutOfMemory`. */
  tensor(data: ArrayLike<number>, shape: readonly number[]): Tensor;

  /**
   * Runs `body` and disposes every tensor made inside, except what it returns: a tensor, or an array or object
   * of tensors. Throws `ValueError` for an asynchronous `body`.
   */
  scope<T>(body: () => T): T;
}

export function makeSqrtdk(border: Border, runner: Runner): Sqrtdk {
  const memory = new TensorMemory(border);
  return {
    ...makeExperiments(runner),
    ...makeKernels(memory),
    ...makeNumbers(memory),
    tensor: (data, shape) => memory.from("tensor", "data", data, shape),
    scope: (body) => memory.scope(body),
  };
}
