// The module `ops`: operators, tensors and random numbers.
import { TensorMemory } from "../api/tensor.ts";
import { compilerFor } from "../api/wasm_source.ts";
import { makeWithOps } from "../api/with_ops.ts";
import type { WithOps } from "../api/with_ops.ts";
import { makeLoad } from "../worker/load.ts";
import type { Load } from "../worker/load.ts";
import type { WithOpsWorker } from "../worker/with_ops.ts";

/** Gives an instance on this thread, or with `{ worker: true }` one whose calls run in a worker. */
export const load: Load<WithOps, WithOpsWorker> = makeLoad(
  {
    here: (border) => makeWithOps(new TensorMemory(border)),
    inWorkers: async () => (await import("../worker/with_ops.ts")).withOps,
    script: () => new URL("../../build/workers/ops.js", import.meta.url),
  },
  compilerFor(() => new URL("../../build/wasm/ops.wasm", import.meta.url)),
);

export * from "../api/index_ops.ts";
export type { WithOpsWorker } from "../worker/with_ops.ts";
export type * from "../worker/index.ts";
