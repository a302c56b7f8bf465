// The module `experiments` in one file with whoever imports it: its wasm and its worker as text.
import glue from "../../build/wasm/experiments.mjs";
import { makeWithTrainers } from "../api/with_trainers.ts";
import { makeRunner } from "../api/runner.ts";
import { makePlainLoad } from "../worker/instance.ts";
import { withTrainers } from "../worker/with_trainers.ts";
import { embedded, workerWith } from "./embedded.ts";

export const load = makePlainLoad(
  {
    glue,
    here: (border) => makeWithTrainers(border, makeRunner(border)),
    inWorkers: () => Promise.resolve(withTrainers),
    script: () => workerWith(glue, sqrtdk_experiments.worker),
  },
  embedded(() => sqrtdk_experiments.wasm),
);
