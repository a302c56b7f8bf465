// The module `first` in one file with whoever imports it: its wasm and its worker as text.
import { makeFirst } from "../api/first.ts";
import { makeRunner } from "../api/runner.ts";
import { first } from "../worker/first.ts";
import { makePlainLoad } from "../worker/instance.ts";
import { embedded } from "./embedded.ts";

export const load = makePlainLoad(
  {
    here: (border) => makeFirst(border, makeRunner(border)),
    inWorkers: () => Promise.resolve(first),
    script: () => ({ source: sqrtdk_first.worker }),
  },
  embedded(() => sqrtdk_first.wasm),
);
