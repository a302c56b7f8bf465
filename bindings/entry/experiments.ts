// The module `experiments`: all other experiments of the page, and trainers for its races.
import glue from "../../build/wasm/experiments.mjs";
import { compileAddress } from "../api/fetch_wasm.ts";
import { makePlainLoad } from "../worker/instance.ts";
import { withTrainers } from "../worker/with_trainers.ts";

export const load = makePlainLoad(
  { ...withTrainers, glue, script: () => new URL("../../build/workers/experiments.js", import.meta.url) },
  () => compileAddress(new URL("../../build/wasm/experiments.wasm", import.meta.url)),
);
