// What the module `full` offers on this thread: everything.
import { makeCheckpoints } from "./checkpoint.ts";
import type { Checkpoints } from "./checkpoint.ts";
import { makeExperiments } from "./experiments.ts";
import type { Experiments } from "./experiments.ts";
import { makeFiles } from "./files.ts";
import type { Files } from "./files.ts";
import { makeKernels } from "./kernels.ts";
import type { Kernels } from "./kernels.ts";
import { makeLayers } from "./make_layers.ts";
import type { Layers } from "./make_layers.ts";
import { makeRandomNumbers } from "./random.ts";
import type { RandomNumbers } from "./random.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";
import { makeTrainers } from "./make_trainers.ts";
import { TensorMemory } from "./tensor.ts";
import type { Tensor } from "./tensor.ts";
import type { Trainers } from "./trainer.ts";

/** Everything that the module offers on this thread. */
export interface Sqrtdk extends Experiments, Kernels, Layers, Checkpoints, Trainers, RandomNumbers, Files {
  /** A copy of `data` (row-major) in the module's memory. Throws `ShapeError`, `OutOfMemory`. */
  tensor(data: ArrayLike<number>, shape: readonly number[]): Tensor;

  /**
   * Runs `body` and disposes every tensor and layer made inside, except what it returns: one, or an array or object
   * of them. Throws `ValueError` for an asynchronous `body`.
   */
  scope<T>(body: () => T): T;
}

export function makeFull(border: Border, runner: Runner): Sqrtdk {
  const memory = new TensorMemory(border);
  return {
    ...makeExperiments(runner),
    ...makeKernels(memory),
    ...makeLayers(memory),
    ...makeCheckpoints(memory),
    ...makeTrainers(memory),
    ...makeRandomNumbers(memory),
    ...makeFiles(border),
    tensor: (data, shape) => memory.from("tensor", "data", data, shape),
    scope: (body) => memory.scope(body),
  };
}
