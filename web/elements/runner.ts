// Small runs at once, large ones in the worker; a new run ends the one before it.
import type { RunResult } from "../../bindings/api/types.ts";
import type { Experiments, Kernels } from "./setup.ts";

type Texts = Readonly<Record<string, string>>;

/** Random draws that this thread computes without a dropped frame. */
export const maxDrawsHere = 2e6;

/** Milliseconds that a large run waits for more input, and that progress waits before it shows. */
const settle = 150;
const patience = 200;

export interface RunListener {
  done(result: RunResult, texts: Texts): void;
  failed(error: unknown, texts: Texts): void;
  /** Share done of a large run; undefined when none is under way. */
  progress(share: number | undefined): void;
}

/** Reading a file alone may take longer than a frame. */
function isSmall(texts: Texts): boolean {
  return Object.values(texts).every((text) => text.length < 200_000);
}

export class Runner {
  readonly #kernels: Pick<Kernels, "beside">;
  readonly #here: Experiments;
  readonly #experiment: string;
  readonly #listener: RunListener;
  #abort: AbortController | undefined;
  #share: number | undefined;
  #computes = false;

  constructor(
    kernels: Pick<Kernels, "beside">,
    here: Experiments,
    experiment: string,
    listener: RunListener,
  ) {
    this.#kernels = kernels;
    this.#here = here;
    this.#experiment = experiment;
    this.#listener = listener;
  }

  /** Calls `done` or `failed` before it returns where the run is small or refused. */
  start(texts: Texts, { wait = true } = {}): void {
    this.cancel();
    const experiment = this.#here.experiments.get(this.#experiment);
    try {
      if (isSmall(texts) && experiment.work(texts) <= maxDrawsHere)
        this.#listener.done(experiment.run(texts), texts);
      else void this.#runBeside(texts, wait ? settle : 0);
    } catch (error) {
      this.#listener.failed(error, texts);
    }
  }

  get busy(): boolean {
    return this.#abort !== undefined;
  }

  /** A worker computes: the run no longer waits for input, or behind those of others. */
  get computes(): boolean {
    return this.#computes;
  }

  /** True if a run was under way. */
  cancel(): boolean {
    if (!this.#abort) return false;
    this.#abort.abort();
    this.#end();
    return true;
  }

  #show(share: number | undefined): void {
    if (share === this.#share) return;
    this.#share = share;
    this.#listener.progress(share);
  }

  async #runBeside(texts: Texts, wait: number): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    this.#abort = abort;
    let share = 0;
    const reveal = setTimeout(() => this.#show(share), patience + wait);
    const current = (): boolean => this.#abort === abort;
    try {
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      if (!current()) return;
      const worker = await this.#kernels.beside(this.#experiment);
      const onProgress = (done: number): void => {
        if (!current()) return;
        this.#computes = true;
        share = done;
        if (this.#share !== undefined) this.#show(done);
      };
      const result = await worker.experiments.get(this.#experiment).run(texts, { signal, onProgress });
      if (current()) this.#finish(() => this.#listener.done(result, texts));
    } catch (error) {
      if (current()) this.#finish(() => this.#listener.failed(error, texts));
    } finally {
      clearTimeout(reveal);
    }
  }

  #finish(tell: () => void): void {
    this.#end();
    tell();
  }

  #end(): void {
    this.#abort = undefined;
    this.#computes = false;
    this.#show(undefined);
  }
}
