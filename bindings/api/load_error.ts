// Why a module could not be loaded.
import { SqrtdkError } from "./errors.ts";

export type LoadStep = "fetch" | "compile" | "instantiate" | "worker";

/**
 * What is wrong:
 *
 * - `http`: the server refused, as with 404
 * - `network`: nothing came
 * - `not_wasm`: something else came, such as a page in HTML
 * - `csp`: the page's content security policy forbids it
 * - `no_simd`: the engine is too old
 * - `memory`: there is not enough
 * - `no_base`: a script of a `blob:` or `data:` address has nothing beside it
 * - `worker`: no worker could be started
 */
export type LoadReason =
  "http" | "network" | "not_wasm" | "csp" | "no_simd" | "memory" | "no_base" | "worker" | "unknown";

/** What is known of a failure beside its step and reason. */
export interface LoadFailure {
  /** What happened. */
  readonly got: string;
  /** Of the file; none where there was none. */
  readonly address?: string | undefined;
  /** What to do. */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
}

const doing: Readonly<Record<LoadStep, string>> = {
  fetch: "fetch the WebAssembly file",
  compile: "compile the WebAssembly file",
  instantiate: "start the WebAssembly module",
  worker: "start a worker",
};

/** The module could not be loaded: `step` says where it failed, `reason` and `cause` why. `load` may be called again. */
export class LoadError extends SqrtdkError {
  static override readonly name = "LoadError";
  readonly step: LoadStep;
  readonly reason: LoadReason;
  /** Of the file that is wrong; empty where there was none. */
  readonly address: string;

  constructor(step: LoadStep, reason: LoadReason, { got, address = "", advice = "", cause }: LoadFailure) {
    super(
      { code: "load_failed", operator: "load", argument: step, expected: "", got },
      `load: could not ${doing[step]}${address && ` ${address}`}: ${got}${advice && `. ${advice}`}`,
      { cause },
    );
    this.step = step;
    this.reason = reason;
    this.address = address;
  }
}
