// An instance of a module, on this thread or with its calls in workers.
import { instantiate } from "../api/module.ts";
import type { Glue } from "../api/module.ts";
import { Border } from "../api/raw.ts";
import { Here } from "./here.ts";
import type { MakeHost, Script, WorkerLike } from "./messages.ts";
import { Workers } from "./workers.ts";

/** What every instance has. */
export interface Instance {
  /** Gives all its memory back; later calls throw `DisposedError`. Twice is harmless. */
  dispose(): void;
  readonly [Symbol.dispose]: () => void;
}

/** What an instance in workers has. */
export interface InWorkers extends Instance {
  /** False where no worker could be started: calls then block this thread. */
  readonly inWorker: boolean;
}

/** How a worker is opened. */
export interface WorkerChoice {
  /** The script's address; default: worker.js beside this file. */
  readonly url?: string | URL | undefined;
  /** Opens a worker that runs the script. */
  readonly create?: (() => WorkerLike) | undefined;
  /** Where no worker can be started, `load` rejects. Default false: then this thread computes, and a warning says so. */
  readonly required?: boolean | undefined;
}

/** What a module is on this thread and in workers. */
export interface ModuleParts<Here extends object, Beside extends object> {
  /** What the workers answer with. */
  readonly hosts: readonly MakeHost[];
  here(border: Border): Here;
  /** The calls in workers; what takes no time may ask this thread. */
  beside(here: Here, border: Border, workers: Workers): Beside;
}

/** With what is where. */
export interface PlacedModule<Here extends object, Beside extends object> extends ModuleParts<Here, Beside> {
  readonly glue: Glue;
  /** The worker's script. */
  script(): Script;
}

/** Starts the module, and where there is a choice of workers, these. Throws `LoadError`. */
export async function start<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  module: Promise<WebAssembly.Module>,
  choice?: WorkerChoice,
): Promise<(Here & Instance) | (Beside & InWorkers)> {
  const [border, workers] = await Promise.allSettled([
    module.then((compiled) => instantiate(parts.glue, compiled)),
    choice && startWorkers(parts, module, choice),
  ]);
  if (border.status === "fulfilled" && workers.status === "fulfilled")
    return instance(parts, new Border(border.value), workers.value);
  if (workers.status === "fulfilled") workers.value?.dispose();
  throw border.status === "rejected" ? border.reason : (workers as PromiseRejectedResult).reason;
}

function startWorkers(
  { glue, hosts, script }: PlacedModule<object, object>,
  module: Promise<WebAssembly.Module>,
  { url, create, required }: WorkerChoice,
): Promise<Workers> {
  return Workers.start({
    module,
    script: () => url ?? script(),
    create: create,
    here: () => new Here(glue, hosts),
    required,
  });
}

function instance<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  border: Border,
  workers: Workers | undefined,
): (Here & Instance) | (Beside & InWorkers) {
  const dispose = (): void => {
    workers?.dispose();
    border.dispose();
  };
  const here = parts.here(border);
  const common = { dispose, ...(Symbol.dispose && { [Symbol.dispose]: dispose }) } as Instance;
  if (!workers) return { ...here, ...common };
  return { ...parts.beside(here, border, workers), ...common, inWorker: workers.inWorker };
}

/** `load` for scripts whose files lie inside or beside them: without options but for a worker. */
export function makePlainLoad<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  compile: () => Promise<WebAssembly.Module>,
): {
  (): Promise<Here & Instance>;
  (options: { readonly worker: true }): Promise<Beside & InWorkers>;
} {
  return (options?: { readonly worker: true }) => start(parts, compile(), options && {}) as never;
}
