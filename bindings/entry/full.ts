// The module `full`, which the package is made of.
//
//   import { load } from "sqrtdk";
//   const sqrtdk = await load();                                        // everything on this thread
//   const result = sqrtdk.experiment("score_variance").run({ d: [32, 128], seed: 7 });
//   const layer = sqrtdk.encoder_layer({ d_model: 512, n_heads: 8, d_ff: 2048 });
//   const out = layer.forward(sqrtdk.randn([2, 10, 512]));
//   const trainer = sqrtdk.trainer({ task: "sort", scale: "none" });    // then run, evaluate, answers, checkpoint
//   const worker = await load({ worker: true });                        // run() returns promises
//   await worker.experiment("score_variance").run({ trials: 100000 }, { signal, onProgress });
import glue from "../../build/wasm/full.mjs";
import { makeFull } from "../api/api.ts";
import type { Sqrtdk } from "../api/api.ts";
import { makeLoad } from "../worker/load.ts";
import type { Load, SqrtdkWorker } from "../worker/load.ts";
import { makeWorkerTrainers } from "../worker/training.ts";

/** Gives the module on this thread, or with `{ worker: true }` its experiments and trainers in workers. */
export const load: Load<Sqrtdk, SqrtdkWorker> = makeLoad({
  glue,
  wasm: () => new URL("../../build/wasm/full.wasm", import.meta.url),
  worker: () => new URL("../../build/workers/full.js", import.meta.url),
  makeApi: makeFull,
  makeWorkerTrainers,
});

export * from "../api/index.ts";
export type { Load, LoadOptions, SqrtdkWorker, WorkerLoadOptions } from "../worker/load.ts";
export type { WorkerLike } from "../worker/messages.ts";
export type { WorkerSource } from "../worker/worker_open.ts";
