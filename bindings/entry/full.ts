// The module `full`, which the package is made of.
//
//   import { load } from "sqrtdk";
//   const { nn, train, experiments, random } = await load();                 // everything on this thread
//   const result = experiments.score_variance.run({ d: [32, 128], seed: 7 });
//   const layer = new nn.EncoderLayer({ dModel: 512, nHeads: 8, dFf: 2048 });
//   const out = layer.forward(random.randn([2, 10, 512]));
//   const trainer = train.trainer({ task: "sort", scale: "none" });          // then run, evaluate, answers, checkpoint
//   const worker = await load({ worker: true });                             // run() returns promises
//   await worker.experiments.score_variance.run({ trials: 100000 }, { signal, onProgress });
import { makeFull } from "../api/api.ts";
import type { Sqrtdk } from "../api/api.ts";
import { makeRunner } from "../api/runner.ts";
import { compilerFor } from "../api/wasm_source.ts";
import type { FullWorker } from "../worker/full.ts";
import { makeLoad } from "../worker/load.ts";
import type { Load } from "../worker/load.ts";

/** Gives an instance on this thread, or with `{ worker: true }` one whose calls run in workers. */
export const load: Load<Sqrtdk, FullWorker> = makeLoad(
  {
    here: (border) => makeFull(border, makeRunner(border)),
    inWorkers: async () => (await import("./full_beside.ts")).full,
    threads: async () => (await import("./full_beside.ts")).threads,
    script: () => new URL("../../build/workers/full.js", import.meta.url),
  },
  compilerFor(() => new URL("../../build/wasm/full.wasm", import.meta.url)),
);

export * from "../api/index.ts";
export type { FullWorker, SqrtdkWorker } from "../worker/full.ts";
export type * from "../worker/index.ts";
