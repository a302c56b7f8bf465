// Loading a module as its caller chooses.
import { unsupported } from "../api/given.ts";
import { checked } from "../api/known_names.ts";
import type { Names } from "../api/known_names.ts";
import type { Compile, WasmSource } from "../api/wasm_source.ts";
import { start, startTeam } from "./instance.ts";
import type { InWorkers, Instance, PlacedModule } from "./instance.ts";
import type { WorkerLike } from "./messages.ts";
import type { WorkerChoice } from "./start_workers.ts";
import type { ThreadsChoice } from "./threads.ts";

/** A script's address, a function that opens a worker, or both with further choices; `"required"`: or `load` rejects. */
export type WorkerOption = true | "required" | (string & {}) | URL | (() => WorkerLike) | WorkerChoice;

/** What `load` takes. */
export interface LoadOptions {
  /** The file's address, a response, its bytes, or the compiled module; default: the file beside this one. */
  readonly wasm?: WasmSource | undefined;
  /** Whether calls run in workers; default false. */
  readonly worker?: false | WorkerOption | undefined;
  /**
   * How many threads compute, default 1. More than one need a page that is cross-origin isolated, and calls on this
   * thread; otherwise there is one. An instance's `threads` says how many there are. No bit depends on it.
   */
  readonly threads?: number | ThreadsChoice | undefined;
}

/** For the module on this thread. */
export interface HereOptions extends LoadOptions {
  readonly worker?: false | undefined;
}

/** For calls in workers. */
export interface WorkerLoadOptions extends LoadOptions {
  readonly worker: WorkerOption;
}

/**
 * Fetches, compiles and starts the module: each call gives an instance of its own, and each source is compiled once.
 * Throws `LoadError`, whose `step` and `reason` say what failed, and `ValueError` for unknown options.
 */
export interface Load<Here, Beside> {
  /** On this thread; with a worker, what runs in it, which is known to start. */
  (options?: HereOptions): Promise<Here & Instance>;
  (options: WorkerLoadOptions): Promise<Beside & InWorkers>;
  (options?: LoadOptions): Promise<(Here & Instance) | (Beside & InWorkers)>;
}

const optionNames: Names<LoadOptions> = { wasm: 1, worker: 1, threads: 1 };
const choiceNames: Names<WorkerChoice> = { url: 1, create: 1, required: 1 };

/** `compile` finds the module where none is given. */
export function makeLoad<Here extends object, Beside extends object>(
  parts: PlacedModule<Here, Beside>,
  compile: Compile,
): Load<Here, Beside> {
  const load = async (options: LoadOptions = {}): Promise<unknown> => {
    const { wasm, worker, threads = 1 } = checked("load", "options", options, optionNames);
    const choice = choiceOf(worker);
    const team = threads !== 1 && (await startTeam(parts, threads, choice));
    return team || start(parts, compile(wasm), choice);
  };
  return load as Load<Here, Beside>;
}

/** The choice that an option says; none where there is to be no worker. */
function choiceOf(worker: LoadOptions["worker"]): WorkerChoice | undefined {
  if (worker === undefined || worker === false) return undefined;
  if (worker === true) return {};
  if (worker === "required") return { required: true };
  if (typeof worker === "string" || worker instanceof URL) return { url: worker };
  if (typeof worker === "function") return { create: worker };
  const expected = 'true, "required", an address, a function or { url, create, required }';
  if (typeof worker !== "object" || worker === null) throw unsupported("load", "worker", expected, worker);
  return checked("load", "worker", worker, choiceNames);
}
