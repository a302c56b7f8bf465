// A trainer in a worker: its calls under way, and what is known of it.
import { SqrtdkError, ValueError, abortReason, makeError } from "../api/errors.ts";
import { bytesOf, unsupported } from "../api/given.ts";
import { disposed } from "../api/scope.ts";
import { checkRunOptions } from "../api/trainer_steps.ts";
import type {
  Answer,
  AttentionMap,
  Evaluation,
  HowFar,
  RecordOptions,
  RunStepsOptions,
  ScaleOption,
  StepResult,
  WorkerTrainer,
} from "../api/trainer.ts";
import type { Resident, TrainerWorker } from "./trainer_client.ts";
import type {
  CallOrder,
  FromTrainers,
  Made,
  MakeOrder,
  Method,
  Order,
  RunOrder,
  ToTrainers,
} from "./messages.ts";

const op = "trainer";
const kAgain = 0; // the call that makes it in another worker
const kMinWait = 5000; // ms without a word, at least
const kMaxWait = 60_000; // ms, where nothing is known of its speed, or it was asked for something

interface Job {
  order: Order;
  readonly options: RunStepsOptions; // of a run
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

let lastKey = 0;

export class RemoteTrainer implements WorkerTrainer, Resident {
  steps = 0;
  restarts = 0;
  onRestart: ((restarts: number) => void) | undefined;
  readonly worker: TrainerWorker;
  readonly #key = ++lastKey;
  readonly #start: Omit<MakeOrder, "kind" | "steps">;
  readonly #jobs = new Map<number, Job>();
  readonly #stopping = new Map<number, Job>(); // rejected runs whose last records may be on their way
  #lastCall = kAgain;
  #made: Made | undefined;
  #config: Readonly<Record<string, string>> = {};
  #checkpoint: Uint8Array | undefined;
  #slowest = 0; // slice, in ms
  #disposed = false;

  private constructor(worker: TrainerWorker, start: Omit<MakeOrder, "kind" | "steps">) {
    this.worker = worker;
    this.#start = start;
    this.#checkpoint = start.checkpoint;
    worker.add(this.#key, this);
  }

  static async make(worker: TrainerWorker, start: Omit<MakeOrder, "kind" | "steps">): Promise<RemoteTrainer> {
    const trainer = new RemoteTrainer(worker, start);
    try {
      trainer.#made = await trainer.#send<Made>({ kind: "make", ...start, steps: 0 });
    } catch (error) {
      trainer.dispose();
      throw error;
    }
    return trainer;
  }

  get config(): Readonly<Record<string, string>> {
    return this.#config;
  }

  get learningRate(): number {
    return Number(this.#config.learningRate);
  }

  get columns(): readonly string[] {
    return this.#made!.columns;
  }

  get chance(): number {
    return this.#made!.chance;
  }

  get ceiling(): number {
    return this.#made!.ceiling;
  }

  get nParameters(): number {
    return this.#made!.nParameters;
  }

  get inWorker(): boolean {
    return this.worker.inWorker;
  }

  step(): Promise<StepResult> {
    return this.#ask("step");
  }

  run(howFar: HowFar, options: RunStepsOptions = {}): Promise<StepResult> {
    let order: RunOrder;
    try {
      order = runOrder(howFar, options);
    } catch (error) {
      const sent = unsupported("run", "n", "what can be sent to a worker", howFar);
      return Promise.reject(error instanceof SqrtdkError ? error : sent);
    }
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    const result = this.#send<StepResult>(order, options);
    const call = this.#lastCall;
    const abort = (): void => {
      const job = this.#jobs.get(call);
      if (job) this.#end(call, job, abortReason(signal));
    };
    signal?.addEventListener("abort", abort);
    return result.finally(() => signal?.removeEventListener("abort", abort));
  }

  record(options: RecordOptions = {}): Promise<Float64Array<ArrayBuffer>> {
    return this.#ask("record", options);
  }

  evaluate(n?: number, options: ScaleOption = {}): Promise<Evaluation> {
    return this.#ask("evaluate", n, options);
  }

  answers(
    n?: number,
    options: ScaleOption & { readonly first?: number | undefined } = {},
  ): Promise<Answer[]> {
    return this.#ask("answers", n, options);
  }

  attentionMaps(example?: number, options: ScaleOption = {}): Promise<AttentionMap[]> {
    return this.#ask("attentionMaps", example, options);
  }

  checkpoint(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#ask("checkpoint");
  }

  async restore(checkpoint: Uint8Array | ArrayBuffer): Promise<void> {
    await this.#ask("restore", bytesOf("restore", "checkpoint", checkpoint));
  }

  weightHash(): Promise<string> {
    return this.#ask("weightHash");
  }

  async setLearningRate(rate: number): Promise<void> {
    await this.#ask("setLearningRate", rate);
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#rejectAll(disposed(op, "a trainer"));
    this.worker.remove(this.#key);
  }

  get patience(): number | undefined {
    const jobs = [...this.#jobs.values()];
    if (jobs.length === 0) return undefined;
    const isKnown = this.#slowest > 0 && jobs.every(({ order }) => order.kind === "run");
    return isKnown ? Math.max(kMinWait, 20 * this.#slowest) : kMaxWait;
  }

  orders(): ToTrainers[] {
    this.#stopping.clear();
    const trainer = this.#key;
    const underWay = [...this.#jobs.values()].map(({ order }): ToTrainers => ({ trainer, ...order }));
    if (!this.#made) return underWay; // of which the first makes it
    const { config } = this.#start;
    const again = { config, checkpoint: this.#checkpoint, steps: this.steps } as const;
    return [{ trainer, kind: "make", call: kAgain, ...again }, ...underWay];
  }

  receive(report: FromTrainers): boolean {
    if (report.kind === "alive") return false;
    if ("call" in report && report.call === kAgain) {
      if (report.kind === "failure") this.giveUp(makeError(report.type, report.fields, report.message));
      return false;
    }
    this.steps = report.steps;
    if (report.kind === "kept") this.#checkpoint = report.checkpoint;
    else if (report.kind === "ran") this.#deliver(report);
    else if (report.kind === "stopped") this.#stopping.delete(report.call);
    else {
      const job = this.#jobs.get(report.call);
      this.#jobs.delete(report.call);
      if (report.kind === "answer") {
        if (job) this.#learn(job.order, report.value);
        job?.resolve(report.value as never);
      } else job?.reject(makeError(report.type, report.fields, report.message));
    }
    return true;
  }

  restarted(): void {
    ++this.restarts;
    this.onRestart?.(this.restarts);
  }

  giveUp(error: unknown): void {
    this.#rejectAll(error);
  }

  #rejectAll(error: unknown): void {
    this.#stopping.clear();
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) job.reject(error);
  }

  #ask<T>(method: Method, ...given: unknown[]): Promise<T> {
    try {
      return this.#send({ kind: "call", method, given: structuredClone(given) });
    } catch {
      return Promise.reject(unsupported(op, method, "what can be sent to a worker", () => 0));
    }
  }

  #send<T>(order: MakeOrder | CallOrder | RunOrder, options: RunStepsOptions = {}): Promise<T> {
    if (this.#disposed) return Promise.reject(disposed(op, "a trainer"));
    const call = ++this.#lastCall;
    return new Promise<T>((resolve, reject) => {
      const job: Job = { order: { call, ...order }, options, resolve, reject };
      this.#jobs.set(call, job);
      this.worker.send({ trainer: this.#key, ...job.order });
    });
  }

  /** Rejects a run and lets it end in the worker. */
  #end(call: number, job: Job, error: unknown): void {
    if (!this.#jobs.delete(call)) return;
    this.#stopping.set(call, job);
    this.worker.tell({ trainer: this.#key, kind: "stop", call });
    job.reject(error);
  }

  /** Records of steps that were made come even where the run was rejected meanwhile. */
  #deliver({ call, rows, result, last, slice }: FromTrainers & { kind: "ran" }): void {
    this.#slowest = Math.max(this.#slowest, slice);
    const job = this.#jobs.get(call) ?? this.#stopping.get(call);
    if (job?.order.kind !== "run") return;
    job.order = { ...job.order, howFar: { until: last } };
    const { onRecord, onStep } = job.options;
    try {
      for (const row of rows) if (!this.#disposed) onRecord?.(row);
      if (result && this.#jobs.has(call) && onStep?.(result) === false) this.#end(call, job, abortReason());
    } catch (error) {
      this.#end(call, job, error);
      this.#stopping.delete(call);
    }
  }

  #learn(order: Order, value: unknown): void {
    if (order.kind === "make") this.#config = (value as Made).config;
    else if (order.kind === "call" && ["restore", "setLearningRate"].includes(order.method))
      this.#config = value as Readonly<Record<string, string>>;
  }
}

/** Throws `ValueError`, and where something cannot be sent. */
function runOrder(howFar: HowFar, options: RunStepsOptions): RunOrder {
  checkRunOptions(options);
  const { recordEvery, examples, headExamples, onRecord } = options;
  const plain = structuredClone({ howFar, recordEvery, examples, headExamples });
  return { kind: "run", ...plain, records: onRecord !== undefined };
}

export function trainerWorkerOf(beside: WorkerTrainer): TrainerWorker {
  if (beside instanceof RemoteTrainer) return beside.worker;
  throw new ValueError({
    code: "unsupported",
    operator: op,
    argument: "beside",
    expected: "a trainer of this page's workers",
    got: typeof beside,
  });
}
