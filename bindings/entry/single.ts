// The module `full` in one script: its wasm and its worker are in it, too.
import { makeFull } from "../api/api.ts";
import type { Sqrtdk } from "../api/api.ts";
import { makeRunner } from "../api/runner.ts";
import { compileSource } from "../api/wasm_source.ts";
import { full } from "../worker/full.ts";
import type { FullWorker } from "../worker/full.ts";
import { makeLoad } from "../worker/load.ts";
import type { Load } from "../worker/load.ts";
import { embedded } from "./embedded.ts";

const inside = embedded(() => sqrtdk_full.wasm);

export const load: Load<Sqrtdk, FullWorker> = makeLoad(
  {
    here: (border) => makeFull(border, makeRunner(border)),
    inWorkers: () => Promise.resolve(full),
    script: () => ({ source: sqrtdk_full.worker }),
  },
  (source) => (source === undefined ? inside() : compileSource(source)),
);

export * from "../api/index.ts";
export type { FullWorker, SqrtdkWorker } from "../worker/full.ts";
export type * from "../worker/index.ts";
