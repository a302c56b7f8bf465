// The trainers of one module instance, in a worker or on this thread: orders come as messages, runs go on in slices
// between them, and everything is reported that a new worker needs to go on.
import { ValueError } from "../api/errors.ts";
import { noStep } from "../api/make_trainers.ts";
import { lastStep, stepsOf } from "../api/trainer_steps.ts";
import type { StepResult, Train, Trainer, TrainerFacts } from "../api/trainer.ts";
import { buffersIn } from "./crossing.ts";
import { failureOf } from "./failure.ts";
import { later } from "./later.ts";
import type {
  FromTrainers,
  MakeOrder,
  Made,
  Method,
  Order,
  Report,
  RunOrder,
  ToTrainers,
} from "./messages.ts";

const kSlice = 12; // ms of steps before orders are let in
const kReportInterval = 50; // ms
const kKeepInterval = 2000; // ms between checkpoints, and at least 20 times what one takes

type Post = (message: FromTrainers, transfer: ArrayBuffer[]) => unknown;

/** A run under way, or steps that are made again, which is not reported as a run. */
interface Run {
  readonly call: number | undefined;
  readonly steps: Generator<StepResult, void>;
  readonly last: number;
  rows: Float64Array<ArrayBuffer>[];
  result: StepResult | undefined;
  slice: number;
  reported: number;
  failed: boolean;
}

interface Entry {
  readonly trainer: Trainer;
  run: Run | undefined;
  waiting: ToTrainers[]; // until it is where it was
  kept: { steps: number; time: number; cost: number };
}

const methods: Readonly<Record<Method, (trainer: Trainer, ...given: never[]) => unknown>> = {
  step: (trainer) => trainer.step(),
  record: (trainer, options: object) => trainer.record(options),
  evaluate: (trainer, n: number, options: object) => trainer.evaluate(n, options),
  answers: (trainer, n: number, options: object) => trainer.answers(n, options),
  attentionMaps: (trainer, example: number, options: object) => trainer.attentionMaps(example, options),
  checkpoint: (trainer) => trainer.checkpoint(),
  weightHash: (trainer) => trainer.weightHash(),
  restore: (trainer, checkpoint: Uint8Array) => {
    trainer.restore(checkpoint);
    return trainer.config;
  },
  setLearningRate: (trainer, rate: number) => {
    trainer.learningRate = rate;
    return trainer.config;
  },
};
/** Those after which the same steps would not lead to the same place. */
const turns: readonly Method[] = ["restore", "setLearningRate"];
const notDuringRuns: readonly string[] = ["run", "step", "restore"];

export class TrainerHost {
  readonly #trainers: Train;
  readonly #post: Post;
  readonly #onLost: (error: unknown) => void;
  readonly #entries = new Map<number, Entry>(); // the next whose turn it is first
  #awake = false;

  /** `onLost` is told what is no error of a call: then the module cannot go on. */
  constructor(trainers: Train, post: Post, onLost: (error: unknown) => void) {
    this.#trainers = trainers;
    this.#post = post;
    this.#onLost = onLost;
  }

  receive(order: ToTrainers): void {
    const entry = this.#entries.get(order.trainer);
    if (entry?.run && entry.run.call === undefined) entry.waiting.push(order);
    else if (order.kind === "stop") this.#stop(order.trainer, order.call);
    else if (order.kind === "dispose") this.#dispose(order.trainer);
    else this.#take(order.trainer, order);
  }

  #take(key: number, order: Order): void {
    const { call } = order;
    try {
      if (order.kind === "make") {
        this.#answer(key, call, this.#make(key, order));
        this.#wake();
        return;
      }
      const entry = this.#entry(key);
      const what = order.kind === "run" ? "run" : order.method;
      if (entry.run && notDuringRuns.includes(what)) throw inUse(what);
      if (order.kind === "run") {
        entry.run = begin(entry.trainer, order);
        this.#wake();
        return;
      }
      const value = methods[order.method](entry.trainer, ...(order.given as never[]));
      this.#keep(key, entry, turns.includes(order.method));
      this.#answer(key, call, value);
    } catch (error) {
      this.#fail(key, call, error);
    }
  }

  #make(key: number, { config, checkpoint, steps }: MakeOrder): Made {
    const trainer = checkpoint ? this.#trainers.loadTrainer(checkpoint) : this.#trainers.trainer(config);
    const entry: Entry = {
      trainer,
      run: undefined,
      waiting: [],
      kept: { steps: trainer.steps, time: performance.now(), cost: 0 },
    };
    this.#entries.set(key, entry);
    if (trainer.steps < steps) {
      entry.run = {
        ...emptyRun,
        call: undefined,
        steps: stepsOf(trainer, { until: steps }, {}),
        last: steps,
      };
    }
    const { columns, chance, ceiling, nParameters }: TrainerFacts = trainer;
    return { columns, chance, ceiling, nParameters, config: trainer.config };
  }

  #entry(key: number): Entry {
    const entry = this.#entries.get(key);
    if (entry) return entry;
    const fields = { code: "unknown_name", operator: "trainer", argument: "trainer" } as const;
    throw new ValueError({ ...fields, expected: [...this.#entries.keys()].join(", "), got: String(key) });
  }

  #stop(key: number, call: number): void {
    const entry = this.#entries.get(key);
    if (entry?.run?.call === call) {
      this.#report(key, entry.run);
      entry.run = undefined;
    }
    this.#send(key, { kind: "stopped", call });
  }

  #dispose(key: number): void {
    this.#entries.get(key)?.trainer.dispose();
    this.#entries.delete(key);
  }

  /** Forgets all trainers. */
  end(): void {
    for (const key of [...this.#entries.keys()]) this.#dispose(key);
  }

  #wake(): void {
    if (this.#awake) return;
    this.#awake = [...this.#entries.values()].some(({ run }) => run);
    if (this.#awake) later(() => this.#turn());
  }

  /** A slice of the trainer whose turn it is; it then is the last in line. */
  #turn(): void {
    this.#awake = false;
    const next = [...this.#entries].find(([, { run }]) => run);
    if (!next) return;
    const [key, entry] = next;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#slice(key, entry, entry.run as Run);
    this.#wake();
  }

  #slice(key: number, entry: Entry, run: Run): void {
    const start = performance.now();
    let ended = false;
    try {
      do {
        const next = run.steps.next();
        ended = next.done === true;
        if (!next.done) run.result = next.value;
      } while (!ended && performance.now() - start < kSlice);
    } catch (error) {
      this.#report(key, run);
      this.#fail(key, run.call, error);
      ended = true;
      run.failed = true;
    }
    const now = performance.now();
    run.slice = Math.max(run.slice, now - start);
    if (ended) entry.run = undefined;
    if (ended || now - run.reported >= kReportInterval) this.#report(key, run);
    this.#keep(key, entry);
    if (!ended) return;
    if (run.call === undefined) for (const order of entry.waiting.splice(0)) this.receive(order);
    else if (!run.failed) this.#answer(key, run.call, run.result ?? noStep(entry.trainer));
  }

  #report(key: number, run: Run): void {
    const { call, rows, result, last, slice } = run;
    run.reported = performance.now();
    run.rows = [];
    run.slice = 0;
    if (call === undefined) this.#send(key, { kind: "alive" });
    else this.#send(key, { kind: "ran", call, rows, result, last, slice });
  }

  /** Hands over a checkpoint where it is time to, or `now`. Everything before it was reported. */
  #keep(key: number, entry: Entry, now = false): void {
    const { trainer, kept, run } = entry;
    const start = performance.now();
    if (!now && start - kept.time < Math.max(kKeepInterval, 20 * kept.cost)) return;
    if (run?.call === undefined && run) return; // not yet where it was
    const { steps } = trainer;
    if (!now && steps === kept.steps) return;
    if (run) this.#report(key, run);
    const checkpoint = trainer.checkpoint();
    this.#send(key, { kind: "kept", checkpoint });
    const end = performance.now();
    entry.kept = { steps, time: end, cost: end - start };
  }

  #answer(key: number, call: number, value: unknown): void {
    this.#send(key, { kind: "answer", call, value });
  }

  #fail(key: number, call: number | undefined, error: unknown): void {
    if (error instanceof WebAssembly.RuntimeError) {
      this.#onLost(error);
      return;
    }
    if (call === undefined) return;
    this.#send(key, { kind: "failure", call, ...failureOf(error) });
  }

  #send(trainer: number, report: Report): void {
    const steps = this.#entries.get(trainer)?.trainer.steps ?? 0;
    this.#post({ ...report, trainer, steps }, buffersIn(report));
  }
}

const emptyRun = { rows: [], result: undefined, slice: 0, reported: -Infinity, failed: false };

function begin(trainer: Trainer, { call, howFar, records, ...options }: RunOrder & { call: number }): Run {
  const last = lastStep(trainer.steps, howFar);
  const onRecord = (row: Float64Array<ArrayBuffer>): unknown => run.rows.push(row);
  const steps = stepsOf(trainer, howFar, records ? { ...options, onRecord } : options);
  const run: Run = { ...emptyRun, rows: [], call, steps, last };
  return run;
}

function inUse(what: string): ValueError {
  const fields = { code: "unsupported", operator: "trainer", argument: what } as const;
  return new ValueError({ ...fields, expected: "a trainer that does not run", got: "a run under way" });
}
