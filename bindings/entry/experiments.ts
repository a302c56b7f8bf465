// The module `experiments`: all other experiments of the page, and trainers for its races.
import { compileAddress } from "../api/fetch_wasm.ts";
import { makeWithTrainers } from "../api/with_trainers.ts";
import { makeRunner } from "../api/runner.ts";
import { makePlainLoad } from "../worker/instance.ts";
import { withTrainers } from "../worker/with_trainers.ts";

export const load = makePlainLoad(
  {
    here: (border) => makeWithTrainers(border, makeRunner(border)),
    inWorkers: () => Promise.resolve(withTrainers),
    script: () => new URL("../../build/workers/experiments.js", import.meta.url),
  },
  () => compileAddress(new URL("../../build/wasm/experiments.wasm", import.meta.url)),
);
