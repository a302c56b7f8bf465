// Loading a module: once per page, on this thread or with a worker.
import { makeWorkerExperiments } from "../api/experiments.ts";
import type { Experiments, WorkerExperiment } from "../api/experiments.ts";
import { objectOf } from "../api/given.ts";
import { compileModule, instantiate } from "../api/module.ts";
import type { Glue, ModuleSource } from "../api/module.ts";
import { Border } from "../api/raw.ts";
import { makeRunner } from "../api/runner.ts";
import type { Runner } from "../api/runner.ts";
import type { WorkerTrainers } from "../api/trainer.ts";
import type { ModuleWorker } from "./messages.ts";
import { WorkerQueue } from "./worker_client.ts";
import { openWorker } from "./worker_open.ts";
import type { WorkerSource } from "./worker_open.ts";

/** For the module on this thread. */
export interface LoadOptions extends ModuleSource {
  readonly worker?: false | undefined;
}

/** For experiments and trainers in workers. */
export interface WorkerLoadOptions extends ModuleSource {
  /** `true`: worker.js beside this file. */
  readonly worker: true | WorkerSource;
}

/** The experiments with runs in a worker, which starts at the first run. */
export interface ExperimentsWorker extends Experiments<WorkerExperiment> {
  /** False once no worker could be started (a strict policy, or Node): runs then block this thread. */
  readonly inWorker: boolean;
  /** Ends the experiments' worker; its runs reject with `Cancelled`. A later run starts a new one. */
  terminate(): void;
}

/** The experiments' worker; and trainers in workers of their own. */
export interface SqrtdkWorker extends ExperimentsWorker, WorkerTrainers {}

/**
 * Fetches, compiles and starts the module. Idempotent: later calls give what the first gave, whatever their
 * options. Throws `LoadError`, whose `step` says what failed; then it may be called again.
 */
export interface Load<Here, Beside> {
  /** Everything, on this thread; or with a worker, what runs in it. */
  (options?: LoadOptions): Promise<Here>;
  (options: WorkerLoadOptions): Promise<Beside>;
}

/** What a published module is made of. */
export interface Module<Here, Trainers> {
  readonly glue: Glue;
  /** Where the wasm file is, or its bytes. */
  wasm(): URL | BufferSource;
  /** Where the worker's script is, or its text. */
  worker(): WorkerSource;
  makeApi(border: Border, runner: Runner): Here;
  /** In a module with trainers. */
  makeWorkerTrainers?(glue: Glue, module: WebAssembly.Module, create: () => ModuleWorker): Trainers;
}

export function makeLoad<Here, Trainers extends object = object>(
  parts: Module<Here, Trainers>,
): Load<Here, ExperimentsWorker & Trainers> {
  interface Loaded {
    readonly module: WebAssembly.Module;
    readonly runner: Runner;
    readonly api: Here;
  }
  let loaded: Promise<Loaded> | undefined;
  let worker: (ExperimentsWorker & Trainers) | undefined;

  async function start(source: ModuleSource): Promise<Loaded> {
    const module = await compileModule(source, () => parts.wasm());
    const border = new Border(await instantiate(parts.glue, module));
    const runner = makeRunner(border);
    return { module, runner, api: parts.makeApi(border, runner) };
  }

  function startWorker({ module, runner }: Loaded, given: true | WorkerSource): ExperimentsWorker & Trainers {
    const open = (): ModuleWorker => openWorker(given === true ? parts.worker() : given);
    const queue = new WorkerQueue(module, open, runner);
    const experiments: ExperimentsWorker = {
      ...makeWorkerExperiments(runner, (request, options) => queue.run(request, options)),
      get inWorker() {
        return queue.inWorker;
      },
      terminate: () => queue.terminate(),
    };
    return Object.assign(experiments, parts.makeWorkerTrainers?.(parts.glue, module, open) as Trainers);
  }

  async function load(options?: LoadOptions): Promise<Here>;
  async function load(options: WorkerLoadOptions): Promise<ExperimentsWorker & Trainers>;
  async function load(options: LoadOptions | WorkerLoadOptions = {}): Promise<unknown> {
    objectOf("load", "options", options);
    loaded ??= start(options).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    const found = await loaded;
    return options.worker ? (worker ??= startWorker(found, options.worker)) : found.api;
  }
  return load;
}
