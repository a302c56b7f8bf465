import { Worker, isMainThread, parentPort } from "node:worker_threads";
import { load } from "sqrtdk";
import { load as nn } from "sqrtdk/nn";
import { load as ops } from "sqrtdk/ops";
import { load as single } from "sqrtdk/single";
import { useAll } from "./use.js";

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  worker.on("message", (used) => console.log(JSON.stringify(used)));
} else {
  parentPort.postMessage(await useAll({ sqrtdk: load, nn, ops, single }));
}
