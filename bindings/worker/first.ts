// The module `first` in workers: experiments.
import { makeFirst } from "../api/first.ts";
import type { First } from "../api/first.ts";
import type { Experiments, WorkerExperiment } from "../api/experiments.ts";
import { makeRunner } from "../api/runner.ts";
import { experimentsHost, workerExperiments } from "./experiments.ts";
import type { ModuleParts } from "./instance.ts";
import type { MakeHost } from "./messages.ts";

export interface FirstWorker {
  readonly experiments: Experiments<WorkerExperiment>;
}

/** What its workers answer with. */
export const firstHosts: readonly MakeHost[] = [experimentsHost];

export const first: ModuleParts<First, FirstWorker> = {
  hosts: firstHosts,
  here: (border) => makeFirst(border, makeRunner(border)),
  beside: (_, border, workers) => ({ experiments: workerExperiments(makeRunner(border), workers) }),
};
