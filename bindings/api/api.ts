// What the module `full` offers on this thread: everything.
import { makeExperiments, withCheckedRuns } from "./experiments.ts";
import type { Experiments } from "./experiments.ts";
import { makeTrain } from "./make_trainers.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";
import { TensorMemory } from "./tensor.ts";
import type { Train } from "./trainer.ts";
import { makeWithLayers } from "./with_layers.ts";
import type { WithLayers } from "./with_layers.ts";

/** Everything that the module offers on this thread. */
export interface Sqrtdk extends WithLayers {
  readonly train: Train;
  readonly experiments: Experiments;
}

export function makeFull(border: Border, runner: Runner): Sqrtdk {
  const memory = new TensorMemory(border);
  return {
    ...makeWithLayers(memory),
    train: makeTrain(memory),
    experiments: makeExperiments(withCheckedRuns(runner)),
  };
}
