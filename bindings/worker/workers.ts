// The workers of an instance: whether there are any is known before the first is used.
import { openScript } from "#platform/open_script.ts";
import { instanceDisposed } from "../api/errors.ts";
import type { DisposedError } from "../api/errors.ts";
import { LoadError } from "../api/load_error.ts";
import { messageOf } from "../api/module.ts";
import type { ModuleWorker, Script } from "./messages.ts";
import { warnOnce } from "./warn_once.ts";

const kPatience = 30_000; // ms until the first must have answered

/** What a worker is started with. */
export interface Start {
  readonly module: Promise<WebAssembly.Module>;
  /** Gives the script where `create` is not given. */
  script(): Script;
  readonly create?: (() => ModuleWorker) | undefined;
  /** Takes the place of a worker where there is none. */
  here(): ModuleWorker;
  /** Where there is none, it is an error. */
  readonly required?: boolean | undefined;
}

export class Workers {
  /** False where none could be started: this thread computes. */
  readonly inWorker: boolean;
  readonly #open: () => ModuleWorker;
  readonly #ends = new Map<ModuleWorker, (error: DisposedError) => void>();
  #spare: ModuleWorker | undefined;
  #disposed = false;

  /** `spare` is one that was opened already. */
  private constructor(open: () => ModuleWorker, spare: ModuleWorker | undefined) {
    this.#open = open;
    this.#spare = spare;
    this.inWorker = spare !== undefined;
    if (spare) spare.onerror = () => (this.#spare = undefined); // lost before it was used
  }

  /** Throws `LoadError`. */
  static async start({ module, script, create, here, required }: Start): Promise<Workers> {
    const withModule = (open: () => ModuleWorker, compiled: WebAssembly.Module) => (): ModuleWorker => {
      const worker = open();
      worker.postMessage({ module: compiled });
      return worker;
    };
    const open = create ?? ((): ModuleWorker => openScript(found(script)));
    try {
      const spare = await ready(open, module);
      spare.unref?.();
      return new Workers(withModule(open, await module), spare);
    } catch (cause) {
      const compiled = await module; // whose failure is another
      const error = cause instanceof LoadError ? cause : refusal(create ? "" : addressOf(script()), cause);
      if (required) throw error;
      warnOnce(`${error.message}. Calls run on this thread and block it`);
      return new Workers(withModule(here, compiled), undefined);
    }
  }

  /** A worker that has the module. `onDispose` is called where the instance ends it. Throws `DisposedError`. */
  open(onDispose: (error: DisposedError) => void): ModuleWorker {
    if (this.#disposed) throw instanceDisposed();
    const worker = this.#spare ?? this.#open();
    this.#spare = undefined;
    worker.onerror = worker.onmessage = null;
    this.#ends.set(worker, onDispose);
    return worker;
  }

  close(worker: ModuleWorker): void {
    worker.onmessage = worker.onerror = null;
    worker.terminate();
    this.#ends.delete(worker);
  }

  /** Ends all. Twice is harmless. */
  dispose(): void {
    this.#disposed = true;
    this.#spare?.terminate();
    this.#spare = undefined;
    for (const [worker, end] of this.#ends) {
      this.close(worker);
      end(instanceDisposed());
    }
  }
}

/** The first, once it has answered. Rejects with what came between. */
async function ready(open: () => ModuleWorker, module: Promise<WebAssembly.Module>): Promise<ModuleWorker> {
  const worker = open(); // its script comes while the module is compiled
  let clock: ReturnType<typeof setTimeout> | undefined;
  try {
    const answer = new Promise<string | undefined>((resolve) => {
      worker.onerror = ({ message }) => resolve(message || "its script could not be loaded");
      worker.onmessage = ({ data }) => {
        if (data.kind === "ready") resolve(undefined);
        else if (data.kind === "failed") resolve(data.message);
      };
      void module.then(
        () => (clock = setTimeout(() => resolve("its script did not answer"), kPatience)),
        () => undefined,
      );
    });
    worker.postMessage({ module: await module });
    const failure = await answer;
    if (failure !== undefined) throw new Error(failure);
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    clearTimeout(clock);
  }
}

const kAdvice = "Pass load({ worker }) the address of worker.js, or a function that opens it";

/** The script that lies beside this one. Throws `LoadError`. */
function found(script: () => Script): Script {
  try {
    return script();
  } catch (cause) {
    const got = "this script's own address (blob:, data: or none) does not lead to the worker's";
    throw new LoadError("worker", "no_base", { got, advice: `${kAdvice}, or import sqrtdk/single`, cause });
  }
}

function addressOf(script: Script): string {
  return typeof script === "object" && "source" in script ? "" : String(script);
}

function refusal(address: string, cause: unknown): LoadError {
  const advice = `Is its script there, and does worker-src of the page's policy allow it? ${kAdvice}`;
  return new LoadError("worker", "worker", { got: messageOf(cause), address, advice, cause });
}
