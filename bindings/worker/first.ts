// The module `first` in workers: experiments.
import type { First } from "../api/first.ts";
import type { Experiments, WorkerExperiment } from "../api/experiments.ts";
import { makeRunner } from "../api/runner.ts";
import { experimentsHost, workerExperiments } from "./experiments.ts";
import type { ModuleInWorkers } from "./instance.ts";
import type { MakeHost } from "./messages.ts";
import { startWorkers } from "./start_workers.ts";

export interface FirstWorker {
  readonly experiments: Experiments<WorkerExperiment>;
}

/** What its workers answer with. */
export const firstHosts: readonly MakeHost[] = [experimentsHost];

export const first: ModuleInWorkers<First, FirstWorker> = {
  hosts: firstHosts,
  start: startWorkers,
  beside: (_, border, workers) => ({ experiments: workerExperiments(makeRunner(border), workers) }),
};
