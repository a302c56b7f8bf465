// A race under way: all racers start, pause and stop together; one that fails leaves the others running.
import type { TrainerMaker } from "../elements/setup.ts";
import { racePlan, type RacePlan } from "./race_plan.ts";
import { Racer } from "./racer.ts";

export type RaceStatus = "opening" | "running" | "paused" | "done";

export class Race {
  /** Different from all others, also from those of an earlier page's races. */
  readonly id = `${Date.now()}`;
  readonly plan: RacePlan;
  readonly racers: readonly Racer[];
  readonly #maker: Promise<TrainerMaker>;
  readonly #changed: () => void;
  #status: RaceStatus = "paused";
  #opened: Promise<unknown> | undefined;
  #abort = new AbortController();
  /** Learning rates set on the way: at least which step, and what. */
  readonly rates: [step: number, rate: number][] = [];

  /** `changed` is called at every step, record and change of the status. */
  constructor(texts: Readonly<Record<string, string>>, maker: Promise<TrainerMaker>, changed: () => void) {
    this.plan = racePlan(texts);
    this.racers = this.plan.racers.map((plan) => new Racer(this.plan, plan, changed));
    this.#maker = maker;
    this.#changed = changed;
  }

  get status(): RaceStatus {
    return this.#status;
  }

  /** The steps of the slowest racer without an error. */
  get steps(): number {
    const steps = this.racers.filter(({ error }) => error === undefined).map((racer) => racer.steps);
    return steps.length === 0 ? this.plan.steps : Math.min(...steps);
  }

  /** The records of each racer's seeds; once it rests, up to the step that all have made, so that they compare. */
  get rows(): readonly (readonly Float64Array[])[][] {
    const { steps } = this;
    const isShown = (row: Float64Array): boolean => this.#status === "running" || row[0]! <= steps;
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
    this.#set("running");
    await Promise.all(this.racers.map((racer) => this.#attempt(racer, () => racer.run(target, signal))));
    if (!signal.aborted) this.#set(this.steps >= this.plan.steps ? "done" : "paused");
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

  async setLearningRate(rate: number): Promise<void> {
    await Promise.all(this.racers.map((racer) => racer.setLearningRate(rate)));
    this.rates.push([this.steps, rate]);
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
