// Loading: once per page, on this thread or with a worker.
import { makeSqrtdk } from "./api.ts";
import type { Sqrtdk } from "./api.ts";
import { makeWorkerExperiments } from "./experiments.ts";
import type { Experiments, WorkerExperiment } from "./experiments.ts";
import { objectOf } from "./given.ts";
import { compileModule, instantiate } from "./module.ts";
import type { ModuleSource } from "./module.ts";
import { Border } from "./raw.ts";
import { makeRunner } from "./runner.ts";
import type { Runner } from "./runner.ts";
import type { WorkerTrainers } from "./trainer.ts";
import { makeWorkerTrainers } from "./training.ts";
import { WorkerQueue } from "./worker_client.ts";
import { openWorker } from "./worker_open.ts";
import type { WorkerSource } from "./worker_open.ts";

export interface LoadOptions extends ModuleSource {
  readonly worker?: false | undefined;
}

export interface WorkerLoadOptions extends ModuleSource {
  /** `true`: worker.js beside this file. */
  readonly worker: true | WorkerSource;
}

/** The experiments with runs in a worker, which starts at the first run; and trainers in workers of their own. */
export interface SqrtdkWorker extends Experiments<WorkerExperiment>, WorkerTrainers {
  /** False once no worker could be started (a strict policy, or Node): runs then block this thread. */
  readonly inWorker: boolean;
  /** Ends the experiments' worker; its runs reject with `Cancelled`. A later run starts a new one. */
  terminate(): void;
}

interface Loaded {
  readonly module: WebAssembly.Module;
  readonly runner: Runner;
  readonly sqrtdk: Sqrtdk;
}

let loaded: Promise<Loaded> | undefined;
let worker: SqrtdkWorker | undefined;

/**
 * Fetches, compiles and starts the module. Idempotent: later calls give what the first gave, whatever their
 * options. Throws `LoadError`, whose `step` says what failed; then it may be called again.
 */
export async function load(options?: LoadOptions): Promise<Sqrtdk>;
export async function load(options: WorkerLoadOptions): Promise<SqrtdkWorker>;
export async function load(options: LoadOptions | WorkerLoadOptions = {}): Promise<Sqrtdk | SqrtdkWorker> {
  objectOf("load", "options", options);
  loaded ??= start(options).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  const { module, runner, sqrtdk } = await loaded;
  if (!options.worker) return sqrtdk;
  return (worker ??= startWorker(module, runner, options.worker));
}

async function start(source: ModuleSource): Promise<Loaded> {
  const module = await compileModule(source);
  const border = new Border(await instantiate(module));
  const runner = makeRunner(border);
  return { module, runner, sqrtdk: makeSqrtdk(border, runner) };
}

function startWorker(module: WebAssembly.Module, runner: Runner, source: true | WorkerSource): SqrtdkWorker {
  const queue = new WorkerQueue(module, () => openWorker(source), runner);
  return {
    ...makeWorkerExperiments(runner, (request, options) => queue.run(request, options)),
    ...makeWorkerTrainers(module, () => openWorker(source)),
    get inWorker() {
      return queue.inWorker;
    },
    terminate: () => queue.terminate(),
  };
}
