// The module `experiments`: all other experiments of the page, and trainers for its races.
import glue from "../../build/wasm/experiments.mjs";
import { makeWithTrainers } from "../api/with_trainers.ts";
import { makeLoad } from "../worker/load.ts";
import { makeWorkerTrainers } from "../worker/training.ts";

export const load = makeLoad({
  glue,
  wasm: () => new URL("../../build/wasm/experiments.wasm", import.meta.url),
  worker: () => new URL("../../build/workers/experiments.js", import.meta.url),
  makeApi: makeWithTrainers,
  makeWorkerTrainers,
});
