// The page's side of a worker's trainers: what they were asked and what they said, so that a worker that is lost can be
// replaced by one that goes on from there.
import { WorkerError } from "../api/errors.ts";
import { kMaxLosses } from "./messages.ts";
import type { FromTrainers, FromWorker, ToTrainers, ModuleWorker } from "./messages.ts";
import type { Workers } from "./workers.ts";

const kTick = 500; // ms

/** What a trainer is to its worker. */
export interface Resident {
  /** How long its worker may be silent, in ms; undefined where nothing is expected of it. */
  readonly patience: number | undefined;
  /** What a new worker is told. */
  orders(): ToTrainers[];
  /** True where it is news. */
  receive(report: FromTrainers): boolean;
  restarted(): void;
  /** Calls under way reject. */
  giveUp(error: unknown): void;
}

/** One worker and the trainers in it. It is there while one of them is. */
export class TrainerWorker {
  readonly #workers: Workers;
  readonly #trainers = new Map<number, Resident>();
  #worker: ModuleWorker | undefined;
  #lost = 0; // since there was news
  #clock: ReturnType<typeof setInterval> | undefined;
  #silence = 0; // ms
  #last = 0;

  constructor(workers: Workers) {
    this.#workers = workers;
  }

  get inWorker(): boolean {
    return this.#workers.inWorker;
  }

  add(key: number, trainer: Resident): void {
    this.#trainers.set(key, trainer);
  }

  remove(key: number): void {
    if (!this.#trainers.delete(key)) return;
    if (this.#trainers.size === 0) this.#stop();
    else this.tell({ trainer: key, kind: "dispose" });
  }

  /** Nothing where there is no worker. */
  tell(order: ToTrainers): void {
    this.#worker?.postMessage({ order });
  }

  /** Starts a worker where there is none, which is told all that is under way. */
  send(order: ToTrainers): void {
    if (this.#worker) this.tell(order);
    else this.#start();
    this.#watch();
  }

  #watch(): void {
    if (this.#clock !== undefined || !this.#worker) return;
    this.#worker.ref?.();
    this.#silence = 0;
    this.#last = performance.now();
    this.#clock = setInterval(() => this.#tick(), kTick);
  }

  #start(): void {
    let worker: ModuleWorker;
    try {
      worker = this.#workers.open((error) => {
        this.#stop();
        this.#giveUp(error);
      });
    } catch (error) {
      this.#giveUp(error);
      return;
    }
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = ({ message }) => this.#lose(message);
    this.#worker = worker;
    for (const trainer of this.#trainers.values()) {
      for (const order of trainer.orders()) worker.postMessage({ order });
    }
  }

  #giveUp(error: unknown): void {
    for (const trainer of this.#trainers.values()) trainer.giveUp(error);
  }

  #stop(): void {
    if (this.#worker) this.#workers.close(this.#worker);
    this.#worker = undefined;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #receive(message: FromWorker): void {
    this.#silence = 0;
    if (message.kind === "failed") this.#lose(message.message);
    else if (message.kind === "trainer") this.#take(message.report);
  }

  #take(report: FromTrainers): void {
    if (this.#trainers.get(report.trainer)?.receive(report)) this.#lost = 0;
  }

  /** Time counts only while this thread runs: a page that was asleep has heard nothing either. */
  #tick(): void {
    const now = performance.now();
    this.#silence += Math.min(now - this.#last, 2 * kTick);
    this.#last = now;
    const trainers = [...this.#trainers.values()];
    const patience = trainers.map((trainer) => trainer.patience).filter((ms) => ms !== undefined);
    if (patience.length === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
      this.#worker?.unref?.();
    } else if (this.#silence > Math.max(...patience)) this.#lose("no word from it");
  }

  #lose(reason = "the worker's script failed"): void {
    this.#stop();
    if (++this.#lost >= kMaxLosses) {
      this.#lost = 0;
      const fields = {
        code: "worker_failed",
        operator: "trainer",
        argument: "",
        expected: "",
        got: reason,
      } as const;
      this.#giveUp(new WorkerError(fields, `trainer: the worker ended again and again: ${reason}`));
      return;
    }
    this.#start();
    this.#watch();
    for (const trainer of this.#trainers.values()) trainer.restarted();
  }
}
