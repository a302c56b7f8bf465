// The module `nn`: with layers, models and their files.
import { TensorMemory } from "../api/tensor.ts";
import { compilerFor } from "../api/wasm_source.ts";
import { makeWithLayers } from "../api/with_layers.ts";
import type { WithLayers } from "../api/with_layers.ts";
import { makeLoad } from "../worker/load.ts";
import type { Load } from "../worker/load.ts";
import type { WithLayersWorker } from "../worker/with_layers.ts";

/** Gives an instance on this thread, or with `{ worker: true }` one whose calls run in a worker. */
export const load: Load<WithLayers, WithLayersWorker> = makeLoad(
  {
    here: (border) => makeWithLayers(new TensorMemory(border)),
    inWorkers: async () => (await import("../worker/with_layers.ts")).withLayers,
    script: () => new URL("../../build/workers/nn.js", import.meta.url),
  },
  compilerFor(() => new URL("../../build/wasm/nn.wasm", import.meta.url)),
);

export * from "../api/index_nn.ts";
export type { WithLayersWorker } from "../worker/with_layers.ts";
export type * from "../worker/index.ts";
