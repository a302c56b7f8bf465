// The page's side of experiments in a worker: a queue of runs, one at a time. Cancelling ends the worker, because it
// does not listen while it computes; the next run starts a new one.
import { WorkerError, abortReason } from "../api/errors.ts";
import { operatorOf } from "../api/runner.ts";
import type { RunOptions } from "../api/types.ts";
import { errorOf } from "./failure.ts";
import { kMaxLosses } from "./messages.ts";
import type { FromWorker, ModuleWorker } from "./messages.ts";
import type { Workers } from "./workers.ts";

interface Job {
  readonly request: string;
  readonly options: RunOptions;
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
  /** How many workers were lost during this run. */
  lost: number;
}

export class RunQueue {
  readonly #workers: Workers;
  readonly #jobs: Job[] = []; // the first is running
  #worker: ModuleWorker | undefined;

  constructor(workers: Workers) {
    this.#workers = workers;
  }

  run(request: string, options: RunOptions = {}): Promise<string> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    const abort = (): void => this.#cancel(job, abortReason(signal));
    let job!: Job;
    const result = new Promise<string>((resolve, reject) => {
      job = { request, options, resolve, reject, lost: 0 };
      signal?.addEventListener("abort", abort);
      this.#jobs.push(job);
      if (this.#jobs.length === 1) this.#next();
    });
    return result.finally(() => signal?.removeEventListener("abort", abort));
  }

  #next(): void {
    const [job] = this.#jobs;
    if (!job) {
      this.#worker?.unref?.();
      return;
    }
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      this.#jobs.shift();
      job.reject(error);
      this.#next();
      return;
    }
    this.#worker.ref?.();
    this.#worker.postMessage({ request: job.request, progress: job.options.onProgress !== undefined });
  }

  #start(): ModuleWorker {
    const worker = this.#workers.open((error) => {
      this.#stop();
      for (const job of this.#jobs.splice(0)) job.reject(error);
    });
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = ({ message }) => this.#lose(message);
    return worker;
  }

  #stop(): void {
    if (this.#worker) this.#workers.close(this.#worker);
    this.#worker = undefined;
  }

  #finish(): void {
    this.#jobs.shift();
    this.#next();
  }

  #cancel(job: Job, error: unknown): void {
    const place = this.#jobs.indexOf(job);
    if (place < 0) return;
    this.#jobs.splice(place, 1);
    job.reject(error);
    if (place > 0) return;
    this.#stop();
    this.#next();
  }

  #receive(message: FromWorker): void {
    const [job] = this.#jobs;
    if (message.kind === "failed") this.#lose(message.message);
    else if (!job) return;
    else if (message.kind === "progress") this.#report(job, message.share);
    else if (message.kind === "done") {
      job.resolve(message.json);
      this.#finish();
    } else if (message.kind === "error") {
      job.reject(errorOf(message));
      this.#finish();
    }
  }

  #report(job: Job, share: number): void {
    try {
      if (job.options.onProgress?.(share) === false) this.#cancel(job, abortReason());
    } catch (error) {
      this.#cancel(job, error);
    }
  }

  /** The worker is lost, and its run begins again in another: browsers end workers for reasons of their own. */
  #lose(reason = "the worker's script failed"): void {
    this.#stop();
    const [job] = this.#jobs;
    if (job && ++job.lost === kMaxLosses) {
      const operator = operatorOf(job.request);
      const fields = { code: "worker_failed", operator, argument: "", expected: "", got: reason } as const;
      job.reject(new WorkerError(fields, `${operator}: the worker ended again and again: ${reason}`));
      this.#jobs.shift();
    }
    this.#next();
  }
}
