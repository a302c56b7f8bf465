// Experiments in a worker, both sides of it.
import { makeWorkerExperiments } from "../api/experiments.ts";
import type { Experiments, WorkerExperiment } from "../api/experiments.ts";
import type { Border } from "../api/raw.ts";
import { makeRunner } from "../api/runner.ts";
import type { Runner } from "../api/runner.ts";
import type { RunOptions } from "../api/types.ts";
import { failureOf } from "./failure.ts";
import type { Host, Tell } from "./messages.ts";
import { RunQueue } from "./run_queue.ts";
import type { Workers } from "./workers.ts";

const kProgressInterval = 16; // ms between reports: a frame

/** The page's side; `runner` tells what takes no time, and `check` sees the options first. */
export function workerExperiments(
  runner: Runner,
  workers: Workers,
  check = (_request: string, options?: RunOptions) => options,
): Experiments<WorkerExperiment> {
  const queue = new RunQueue(workers);
  return makeWorkerExperiments(runner, (request, options) => queue.run(request, check(request, options)));
}

/** The worker's side: a run at a time. */
export function experimentsHost(border: Border, tell: Tell): Host {
  const runner = makeRunner(border);

  function run(request: string, reports: boolean): void {
    let last = -Infinity; // that it has begun is told at once
    const onProgress = (share: number): boolean => {
      if (performance.now() - last < kProgressInterval) return true;
      last = performance.now();
      return tell({ kind: "progress", share });
    };
    try {
      tell({ kind: "done", json: runner.run(request, reports ? { onProgress } : {}) });
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      tell({ kind: "error", ...failureOf(error) });
    }
  }

  return {
    receive: (message) => "request" in message && run(message.request, message.progress),
    end: () => undefined,
  };
}
