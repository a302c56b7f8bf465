// An instance of a module, on this thread or with its calls in workers.
import { LoadError } from "../api/load_error.ts";
import { instantiate, messageOf } from "../api/module.ts";
import { Border } from "../api/raw.ts";
import type { MakeHost, Script } from "./messages.ts";
import type { startWorkers, WorkerChoice } from "./start_workers.ts";
import type { StartThreads, ThreadsChoice } from "./threads.ts";
import type { Workers } from "./workers.ts";

/** What every instance has. */
export interface Instance {
  /** How many threads compute: 1, unless `threads` was asked for and the page is cross-origin isolated. */
  readonly threads: number;
  /** Gives all its memory back; later calls throw `DisposedError`. Twice is harmless. */
  dispose(): void;
  readonly [Symbol.dispose]: () => void;
}

/** What an instance in workers has. */
export interface InWorkers extends Instance {
  /** False where no worker could be started: calls then block this thread. */
  readonly inWorker: boolean;
}

/** What a module is in workers. */
export interface ModuleInWorkers<Here extends object, Beside extends object> {
  /** What the workers answer with. */
  readonly hosts: readonly MakeHost[];
  readonly start: typeof startWorkers;
  /** The calls; what takes no time may ask this thread. */
  beside(here: Here, border: Border, workers: Workers): Beside;
}

/** What a module is on this thread, and where the rest of it is. */
export interface PlacedModule<Here extends object, Beside extends object> {
  here(border: Border): Here;
  /** Asked for with the first workers: in the package it is a script of its own. */
  inWorkers(): Promise<ModuleInWorkers<Here, Beside>>;
  /** The worker's script. */
  script(): Script;
  /** Starts the same module for several threads, where it is built for them. */
  readonly threads?: () => Promise<StartThreads>;
}

/** Starts the module, and where there is a choice of workers, these. Throws `LoadError`. */
export async function start<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  module: Promise<WebAssembly.Module>,
  choice?: WorkerChoice,
): Promise<(Here & Instance) | (Beside & InWorkers)> {
  const [border, others] = await Promise.allSettled([
    module.then((compiled) => instantiate(compiled)),
    choice && started(parts, module, choice),
  ]);
  if (border.status === "fulfilled" && others.status === "fulfilled")
    return instance(parts, new Border(border.value), others.value);
  if (others.status === "fulfilled") others.value?.workers.dispose();
  throw border.status === "rejected" ? border.reason : (others as PromiseRejectedResult).reason;
}

/** An instance of several threads; none where there can be but one. Throws `LoadError`, `ValueError`. */
export async function startTeam<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  threads: number | ThreadsChoice,
  workers: WorkerChoice | undefined,
): Promise<(Here & Instance) | undefined> {
  const startThreads = await fetched(parts.threads?.());
  const team = await startThreads?.(threads, workers !== undefined);
  if (!team) return undefined;
  const border = new Border(team.raw);
  return { ...parts.here(border), ...commonOf(border, team.n, team.dispose) };
}

/** What a module is in workers, and these. */
interface Started<Here extends object, Beside extends object> {
  readonly inWorkers: ModuleInWorkers<Here, Beside>;
  readonly workers: Workers;
}

async function started<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  module: Promise<WebAssembly.Module>,
  choice: WorkerChoice,
): Promise<Started<Here, Beside>> {
  const inWorkers = await fetched(parts.inWorkers());
  return { inWorkers, workers: await inWorkers.start(inWorkers.hosts, parts, module, choice) };
}

/** What a script of its own holds. */
async function fetched<T>(part: T | Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (cause) {
    const advice = "Put the package's files there, or import sqrtdk/single";
    throw new LoadError("worker", "network", { got: messageOf(cause), advice, cause });
  }
}

function instance<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  border: Border,
  others: Started<Here, Beside> | undefined,
): (Here & Instance) | (Beside & InWorkers) {
  const here = parts.here(border);
  const common = commonOf(border, 1, () => others?.workers.dispose());
  if (!others) return { ...here, ...common };
  const { inWorkers, workers } = others;
  return { ...inWorkers.beside(here, border, workers), ...common, inWorker: workers.inWorker };
}

function commonOf(border: Border, threads: number, end: () => void): Instance {
  const dispose = (): void => {
    end();
    border.dispose();
  };
  return { threads, dispose, ...(Symbol.dispose && { [Symbol.dispose]: dispose }) };
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
