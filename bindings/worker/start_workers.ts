// Opens the workers of an instance as its caller chooses.
import { Here } from "./here.ts";
import type { MakeHost, Script, WorkerLike } from "./messages.ts";
import { Workers } from "./workers.ts";

/** How a worker is opened. */
export interface WorkerChoice {
  /** The script's address; default: worker.js beside this file. */
  readonly url?: string | URL | undefined;
  /** Opens a worker that runs the script. */
  readonly create?: (() => WorkerLike) | undefined;
  /** Where no worker can be started, `load` rejects. Default false: then this thread computes, and a warning says so. */
  readonly required?: boolean | undefined;
}

/** Throws `LoadError`. `hosts`: what the workers answer with, and in their place this thread. */
export function startWorkers(
  hosts: readonly MakeHost[],
  { script }: { script(): Script },
  module: Promise<WebAssembly.Module>,
  { url, create, required }: WorkerChoice,
): Promise<Workers> {
  return Workers.start({
    module,
    script: () => url ?? script(),
    create,
    here: () => new Here(hosts),
    required,
  });
}
