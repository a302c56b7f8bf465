// The module `experiments` in one file with whoever imports it: its wasm and its worker as text.
import glue from "../../build/wasm/experiments.mjs";
import { makePlainLoad } from "../worker/instance.ts";
import { withTrainers } from "../worker/with_trainers.ts";
import { embedded, workerWith } from "./embedded.ts";

export const load = makePlainLoad(
  { ...withTrainers, glue, script: () => workerWith(glue, sqrtdk_experiments.worker) },
  embedded(() => sqrtdk_experiments.wasm),
);
