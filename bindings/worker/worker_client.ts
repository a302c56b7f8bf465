// The page's side of the worker: a queue of runs, one at a time. Cancelling ends the worker, because it
// does not listen while it computes; the next run starts a new one.
import { WorkerError, makeError } from "../api/errors.ts";
import { cancelledRun, operatorOf } from "../api/runner.ts";
import type { Runner } from "../api/runner.ts";
import type { RunOptions } from "../api/types.ts";
import { kMaxLosses } from "./messages.ts";
import type { FromWorker, ModuleWorker } from "./messages.ts";

interface Job {
  readonly request: string;
  readonly options: RunOptions;
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
  /** How many workers were lost during this run. */
  lost: number;
}

export class WorkerQueue {
  readonly #module: WebAssembly.Module;
  readonly #create: () => ModuleWorker;
  readonly #here: Runner;
  readonly #jobs: Job[] = []; // the first is running
  #worker: ModuleWorker | undefined;
  #wasReady = false;
  #refused = false;

  /** `here` takes the runs where no worker can be started. */
  constructor(module: WebAssembly.Module, create: () => ModuleWorker, here: Runner) {
    this.#module = module;
    this.#create = create;
    this.#here = here;
  }

  /** False once no worker could be started: runs then block this thread. */
  get inWorker(): boolean {
    return !this.#refused;
  }

  run(request: string, options: RunOptions = {}): Promise<string> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(cancelledRun(request, signal));
    const abort = (): void => this.#cancel(job, cancelledRun(request, signal));
    let job!: Job;
    const result = new Promise<string>((resolve, reject) => {
      job = { request, options, resolve, reject, lost: 0 };
      signal?.addEventListener("abort", abort);
      this.#jobs.push(job);
      if (this.#jobs.length === 1) this.#next();
    });
    return result.finally(() => signal?.removeEventListener("abort", abort));
  }

  /** Ends the worker; its runs reject with `Cancelled`. A later run starts a new worker. */
  terminate(): void {
    this.#stop();
    for (const job of this.#jobs.splice(0)) job.reject(cancelledRun(job.request));
  }

  #next(): void {
    const job = this.#jobs[0];
    if (!job) return;
    if (!this.#worker && !this.#refused) this.#start();
    if (this.#refused) {
      setTimeout(() => this.#runHere(job));
    } else {
      this.#worker?.postMessage({ request: job.request, progress: job.options.onProgress !== undefined });
    }
  }

  #runHere(job: Job): void {
    if (this.#jobs[0] !== job) return; // cancelled meanwhile
    try {
      job.resolve(this.#here.run(job.request, job.options));
    } catch (error) {
      job.reject(error);
    }
    this.#finish();
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

  #start(): void {
    try {
      const worker = this.#create();
      this.#worker = worker;
      worker.onmessage = ({ data }) => worker === this.#worker && this.#receive(data);
      worker.onerror = (event) => worker === this.#worker && this.#fail(event.message);
      worker.postMessage({ module: this.#module });
    } catch {
      this.#refused = true; // forbidden by the page's policy, or no workers here
    }
  }

  #stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #receive(message: FromWorker): void {
    const job = this.#jobs[0];
    if (message.kind === "ready") this.#wasReady = true;
    else if (message.kind === "failed") this.#fail(message.message);
    else if (!job) return;
    else if (message.kind === "progress") this.#report(job, message.share);
    else {
      if (message.kind === "done") job.resolve(message.json);
      else if (message.kind === "error") job.reject(makeError(message.type, message.fields, message.message));
      this.#finish();
    }
  }

  #report(job: Job, share: number): void {
    try {
      if (job.options.onProgress?.(share) === false) this.#cancel(job, cancelledRun(job.request));
    } catch (error) {
      this.#cancel(job, error);
    }
  }

  /**
   * The worker is lost, and its run begins again in another: browsers end workers for reasons of their own. The first
   * worker that never was ready is taken as forbidden: its run goes on here.
   */
  #fail(reason = "the worker's script failed"): void {
    this.#stop();
    const [job] = this.#jobs;
    if (!this.#wasReady) this.#refused = true;
    else if (job && ++job.lost === kMaxLosses) {
      const operator = operatorOf(job.request);
      const fields = { code: "worker_failed", operator, argument: "", expected: "", got: reason } as const;
      job.reject(new WorkerError(fields, `${operator}: the worker ended again and again: ${reason}`));
      this.#jobs.shift();
    }
    this.#next();
  }
}
