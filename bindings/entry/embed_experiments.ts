// The module `experiments` in one file with whoever imports it: its wasm and its worker as text.
import glue from "../../build/wasm/experiments.mjs";
import { makeWithTrainers } from "../api/with_trainers.ts";
import { makeLoad } from "../worker/load.ts";
import { makeWorkerTrainers } from "../worker/training.ts";

export const load = makeLoad({
  glue,
  wasm: () => Uint8Array.from(sqrtdk_experiments.wasm, (character) => character.charCodeAt(0)),
  worker: () => ({ source: sqrtdk_experiments.worker }),
  makeApi: makeWithTrainers,
  makeWorkerTrainers,
});
