// The module `experiments` in workers: experiments, and trainers for races.
import type { WorkerTrain } from "../api/trainer.ts";
import type { WithTrainers } from "../api/with_trainers.ts";
import { first, firstHosts } from "./first.ts";
import type { FirstWorker } from "./first.ts";
import type { ModuleInWorkers } from "./instance.ts";
import type { MakeHost } from "./messages.ts";
import { startWorkers } from "./start_workers.ts";
import { makeWorkerTrain, trainersHost } from "./training.ts";

export interface WithTrainersWorker extends FirstWorker {
  readonly train: WorkerTrain;
}

/** What its workers answer with. */
export const withTrainersHosts: readonly MakeHost[] = [...firstHosts, trainersHost];

export const withTrainers: ModuleInWorkers<WithTrainers, WithTrainersWorker> = {
  hosts: withTrainersHosts,
  start: startWorkers,
  beside: (here, border, workers) => ({
    ...first.beside(here, border, workers),
    train: makeWorkerTrain(workers),
  }),
};
