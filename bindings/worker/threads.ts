// The threads of an instance: this one, and workers in the same memory that take part in its loops (base/threads.h).
import { openScript } from "#platform/open_script.ts";
import { checked } from "../api/known_names.ts";
import type { Names } from "../api/known_names.ts";
import { LoadError } from "../api/load_error.ts";
import { instantiate, messageOf } from "../api/module.ts";
import { whole } from "../api/number.ts";
import type { Raw } from "../api/raw.ts";
import type { Pointer } from "../api/signature.ts";
import type { Compile, WasmSource } from "../api/wasm_source.ts";
import type { Script, WorkerLike } from "./messages.ts";
import { sharedMemory } from "./shared_memory.ts";
import { warnOnce } from "./warn_once.ts";

/** How many threads compute, and where what they need is. */
export interface ThreadsChoice {
  /** With this one: 1 .. 32. */
  readonly n: number;
  /** As `wasm`, of threads.wasm; default: the file beside this one. */
  readonly wasm?: WasmSource | undefined;
  /** The address of threads.worker.js; default: the file beside this one. */
  readonly url?: string | URL | undefined;
  /** Opens a worker that runs the script. */
  readonly create?: (() => WorkerLike) | undefined;
}

/** A module that is built for threads. */
export interface ThreadedModule {
  readonly compile: Compile;
  script(): Script;
}

/** What a worker gets, once. */
export interface ToThread {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** The functions of the module's table that it calls: to take part, and where that fails. */
  readonly takePart: Pointer;
  readonly loseThread: Pointer;
  readonly thread: number;
}

/** What a worker answers, once: it takes part, or cannot. */
export type FromThread = { readonly kind: "ready" } | { readonly kind: "failed"; readonly message: string };

interface ThreadedRaw extends Raw {
  take_part_at(n: number): Pointer;
  lose_thread_at(): Pointer;
}

/** An instance's module, and the end of its workers. */
export interface Team {
  readonly n: number;
  readonly raw: Raw;
  dispose(): void;
}

const kMaxThreads = 32; // as in base/parallel.h
const choiceNames: Names<ThreadsChoice> = { n: 1, wasm: 1, url: 1, create: 1 };

const kPatience = 30_000; // ms until all must have answered

/** Gives none where there is to be, or can be, but one thread; of the latter a warning tells once. Throws `ValueError`. */
export type StartThreads = (given: number | ThreadsChoice, inWorkers: boolean) => Promise<Team | undefined>;

export function makeStartThreads(module: ThreadedModule): StartThreads {
  return async (given, inWorkers) => {
    const choice = typeof given === "object" ? checked("load", "threads", given, choiceNames) : { n: given };
    if (whole("load", "threads", choice.n, 1, kMaxThreads) === 1) return undefined;
    const team = await teamOf(module, choice, inWorkers);
    if (typeof team !== "string") return team;
    warnOnce(`load: one thread computes, since ${team}`);
    return undefined;
  };
}

/** Or why there is none. */
async function teamOf(
  module: ThreadedModule,
  choice: ThreadsChoice,
  inWorkers: boolean,
): Promise<Team | string> {
  if (inWorkers) return "calls run in workers";
  const memory = sharedMemory();
  if (!memory) return "this page is not cross-origin isolated (COOP and COEP), or memory is short";
  try {
    return await startThreads(module, memory, choice);
  } catch (error) {
    return messageOf(error);
  }
}

/** Starts the module in a memory that is shared, and the other threads. Throws `LoadError`. */
async function startThreads(
  { compile, script }: ThreadedModule,
  memory: WebAssembly.Memory,
  { n, wasm, url, create }: ThreadsChoice,
): Promise<Team> {
  const module = await compile(wasm);
  const raw = (await instantiate(module, memory)) as ThreadedRaw;
  const takePart = raw.take_part_at(n);
  if (takePart === 0) throw new LoadError("instantiate", "memory", { got: `no room for ${n} stacks` });
  const workers: WorkerLike[] = [];
  const dispose = (): void => workers.forEach((worker) => worker.terminate());
  try {
    const answers = Array.from({ length: n - 1 }, (_, i) => {
      const worker: WorkerLike = create ? create() : openScript(url ?? script());
      workers.push(worker);
      const answer = answered(worker);
      const loseThread = raw.lose_thread_at();
      worker.postMessage({ module, memory, takePart, loseThread, thread: i + 1 } satisfies ToThread);
      return answer;
    });
    await Promise.all(answers);
  } catch (cause) {
    dispose();
    const advice = "Is threads.worker.js there, with the headers of the page, and allowed by worker-src?";
    throw new LoadError("worker", "worker", { got: messageOf(cause), advice, cause });
  }
  return { n, raw, dispose };
}

async function answered(worker: WorkerLike): Promise<void> {
  let clock: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      worker.onerror = ({ message }) => reject(new Error(message || "its script could not be loaded"));
      worker.onmessage = ({ data }: MessageEvent<FromThread>) => {
        if (data.kind === "ready") resolve();
        else reject(new Error(data.message));
      };
      clock = setTimeout(() => reject(new Error("its script did not answer")), kPatience);
    });
  } finally {
    clearTimeout(clock);
    worker.onmessage = worker.onerror = null;
    worker.unref?.();
  }
}
