// A race under way: all racers start, pause and stop together and wait for each other every few steps, so that they are
// seen at the same step; one that fails leaves the others running.
import type { TrainerMaker } from "../elements/setup.ts";
import { nextMeeting, racePlan, withRate, type RacePlan } from "./race_plan.ts";
import { Racer } from "./racer.ts";

const paceWindow = 2000; // milliseconds

export type RaceStatus = "opening" | "running" | "paused" | "done";

export class Race {
  /** Different from all others, also from those of an earlier page's races. */
  readonly id = `${Date.now()}`;
  readonly racers: readonly Racer[];
  readonly #maker: Promise<TrainerMaker>;
  readonly #changed: () => void;
  #plan: RacePlan;
  #met = 0; // steps that every racer has made, unless it failed
  #meeting = 0; // where they wait for each other next
  #pace: [time: number, steps: number][] = [];
  #status: RaceStatus = "paused";
  #opened: Promise<unknown> | undefined;
  #abort = new AbortController();

  /** `changed` is called at every step, record and change of the status. */
  constructor(texts: Readonly<Record<string, string>>, maker: Promise<TrainerMaker>, changed: () => void) {
    this.#plan = racePlan(texts);
    this.racers = this.#plan.racers.map((plan) => new Racer(this.#plan, plan, changed));
    this.#maker = maker;
    this.#changed = changed;
  }

  /** With the learning rates that were set on the way. */
  get plan(): RacePlan {
    return this.#plan;
  }

  get status(): RaceStatus {
    return this.#status;
  }

  /** The steps of the slowest racer without an error. */
  get steps(): number {
    const steps = this.racers.filter(({ error }) => error === undefined).map((racer) => racer.steps);
    return steps.length === 0 ? this.plan.steps : Math.min(...steps);
  }

  /** Steps of each racer per second, lately; 0: not measured. */
  get rate(): number {
    const [first, last] = [this.#pace[0], this.#pace.at(-1)];
    if (this.#status !== "running" || !first || !last || last[0] - first[0] < 100) return 0;
    return (1000 * (last[1] - first[1])) / (last[0] - first[0]);
  }

  /** The records of each racer's seeds, up to the step that all have made, so that they compare. */
  get rows(): readonly (readonly Float64Array[])[][] {
    const { steps } = this;
    const isShown = (row: Float64Array): boolean => row[0]! <= steps;
    return this.racers.map((racer) => racer.rows.map((seed) => seed.filter(isShown)));
  }

  /** Up to `target` steps; the status is then "paused" or "done". Never rejects: see the racers' errors. */
  async run(target = this.plan.steps): Promise<void> {
    if (this.#status !== "paused") return;
    const { signal } = (this.#abort = new AbortController());
    this.#set("opening");
    this.#opened ??= Promise.all(this.racers.map((racer) => this.#attempt(racer, () => this.#open(racer))));
    await this.#opened;
    if (signal.aborted) return;
    this.#pace = [];
    this.#set("running");
    while (this.#met < target) {
      await this.#meet(target, signal);
      if (signal.aborted) return;
    }
    this.#set(this.steps >= this.plan.steps ? "done" : "paused");
  }

  async #meet(target: number, signal: AbortSignal): Promise<void> {
    this.#meeting = nextMeeting(this.#plan, this.#met, target);
    await this.#setRates();
    const run = (racer: Racer) => (): Promise<void> => racer.run(this.#meeting, target, signal);
    await Promise.all(this.racers.map((racer) => this.#attempt(racer, run(racer))));
    if (signal.aborted) return;
    this.#met = this.#meeting;
    const now = performance.now();
    this.#pace = [...this.#pace.filter(([time]) => now - time < paceWindow), [now, this.#met]];
    this.#changed();
  }

  /** Those that begin after the steps that are made. */
  async #setRates(): Promise<void> {
    for (const { rate } of this.#plan.rateChanges.filter(({ step }) => step === this.#met)) {
      const set = (racer: Racer) => (): Promise<void> => racer.setLearningRate(rate);
      await Promise.all(this.racers.map((racer) => this.#attempt(racer, set(racer))));
    }
  }

  /** To the next record. */
  step(): Promise<void> {
    const { steps, record_every } = this.plan;
    return this.run(Math.min(steps, (Math.floor(this.steps / record_every) + 1) * record_every));
  }

  /** After the steps at hand. */
  pause(): void {
    if (this.#status !== "running" && this.#status !== "opening") return;
    this.#abort.abort();
    this.#set("paused");
  }

  /** After how many steps the racers next wait for each other, or wait now. */
  get meeting(): number {
    const isBetween = this.#status === "running" || this.racers.some(({ steps }) => steps > this.#met);
    return isBetween ? this.#meeting : this.#met;
  }

  /** From the next meeting on; it is then part of the plan. */
  changeLearningRate(rate: number): void {
    this.#plan = withRate(this.#plan, this.meeting, rate);
  }

  /** Ends the workers; what was recorded stays. */
  dispose(): void {
    this.#abort.abort();
    this.#status = "done";
    for (const racer of this.racers) racer.dispose();
  }

  async #open(racer: Racer): Promise<void> {
    await racer.open(await this.#maker);
  }

  async #attempt(racer: Racer, task: () => Promise<void>): Promise<void> {
    if (racer.error !== undefined) return;
    try {
      await task();
    } catch (error) {
      racer.error = error;
      this.#changed();
    }
  }

  #set(status: RaceStatus): void {
    this.#status = status;
    this.#changed();
  }
}
