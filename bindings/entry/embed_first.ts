// The module `first` in one file with whoever imports it: its wasm and its worker as text.
import glue from "../../build/wasm/first.mjs";
import { first } from "../worker/first.ts";
import { makePlainLoad } from "../worker/instance.ts";
import { embedded, workerWith } from "./embedded.ts";

export const load = makePlainLoad(
  { ...first, glue, script: () => workerWith(glue, sqrtdk_first.worker) },
  embedded(() => sqrtdk_first.wasm),
);
