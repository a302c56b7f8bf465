// The module `full` in workers: what they answer with, and what the page calls.
import { makeFull } from "../api/api.ts";
import type { Sqrtdk } from "../api/api.ts";
import { checkedRun } from "../api/experiments.ts";
import type { Experiments, WorkerExperiment } from "../api/experiments.ts";
import { makeRunner } from "../api/runner.ts";
import type { Train, WorkerTrain } from "../api/trainer.ts";
import { experimentsHost, workerExperiments } from "./experiments.ts";
import type { InWorkers, ModuleInWorkers } from "./instance.ts";
import type { MakeHost } from "./messages.ts";
import { objectsHost } from "./objects_host.ts";
import { RemoteObjects } from "./remote_objects.ts";
import type { Remote } from "./remote_types.ts";
import { startWorkers } from "./start_workers.ts";
import { makeWorkerTrain, trainersHost } from "./training.ts";
import { layersIn } from "./with_layers.ts";
import type { WithLayersWorker } from "./with_layers.ts";

/** The calls of `Sqrtdk` in workers: they return promises and leave this thread free. */
export interface FullWorker extends WithLayersWorker {
  /** Each run in turn, in a worker of their own, which ends where one is cancelled. */
  readonly experiments: Experiments<WorkerExperiment>;
  /** Each trainer in a worker of its own. */
  readonly train: WorkerTrain & Pick<Remote<Train>, "fields" | "raceResult">;
}

/** What `load` gives where calls run in workers. */
export interface SqrtdkWorker extends FullWorker, InWorkers {}

/** What its workers answer with. */
export const fullHosts: readonly MakeHost[] = [
  experimentsHost,
  trainersHost,
  objectsHost((border) => makeFull(border, makeRunner(border))),
];

export const full: ModuleInWorkers<Sqrtdk, FullWorker> = {
  hosts: fullHosts,
  start: startWorkers,
  beside: (here, border, workers) => {
    const objects = new RemoteObjects(workers);
    return {
      ...layersIn(objects, here),
      experiments: workerExperiments(makeRunner(border), workers, checkedRun),
      train: {
        ...makeWorkerTrain(workers),
        ...objects.part("train", { fields: here.train.fields, raceResult: here.train.raceResult }),
      },
    };
  },
};
