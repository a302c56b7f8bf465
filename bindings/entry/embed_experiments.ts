// The module `experiments` in one file with whoever imports it: its wasm and its worker as text.
import { makeWithTrainers } from "../api/with_trainers.ts";
import { makeRunner } from "../api/runner.ts";
import { makePlainLoad } from "../worker/instance.ts";
import { withTrainers } from "../worker/with_trainers.ts";
import { embedded } from "./embedded.ts";

export const load = makePlainLoad(
  {
    here: (border) => makeWithTrainers(border, makeRunner(border)),
    inWorkers: () => Promise.resolve(withTrainers),
    script: () => ({ source: sqrtdk_experiments.worker }),
  },
  embedded(() => sqrtdk_experiments.wasm),
);
