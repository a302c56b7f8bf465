// One scale with one number of heads: a trainer per seed, all in one worker; their records, and what the first
// of them attends to and answers at some steps.
import type { Answer, AttentionMap, WorkerTrainer } from "../../bindings/api/trainer.ts";
import type { TrainerMaker } from "../elements/setup.ts";
import { lookEvery, type RacePlan, type RacerPlan } from "./race_plan.ts";
import { isAbort } from "../elements/problems.ts";

export interface Look {
  readonly maps: readonly AttentionMap[]; // of the first example
  readonly answers: readonly Answer[]; // to the first few
}

export const examples = 4;
const maxLooks = 60;
const maxWeights = 8e6; // of all racers, kept

export class Racer {
  readonly plan: RacerPlan;
  /** The record rows of each seed. */
  readonly rows: Float64Array[][];
  readonly looks = new Map<number, Look>(); // by step
  /** What ended it. */
  error: unknown;
  readonly #race: RacePlan;
  #lookEvery: number; // steps
  readonly #changed: () => void;
  #trainers: WorkerTrainer[] = [];
  #steps: number[];
  #disposed = false;

  constructor(race: RacePlan, plan: RacerPlan, changed: () => void) {
    this.plan = plan;
    this.#race = race;
    this.#lookEvery = lookEvery(race, maxLooks);
    this.#changed = changed;
    this.rows = plan.configs.map(() => []);
    this.#steps = plan.configs.map(() => 0);
  }

  /** The steps of the slowest seed. */
  get steps(): number {
    return Math.min(...this.#steps);
  }

  /** How often their worker was lost and replaced. */
  get restarts(): number {
    return Math.max(0, ...this.#trainers.map(({ restarts }) => restarts));
  }

  async open(maker: TrainerMaker): Promise<void> {
    for (const config of this.plan.configs) {
      const [beside] = this.#trainers;
      const trainer = await maker.trainer(config, beside ? { beside } : {});
      if (this.#disposed) {
        trainer.dispose();
        return;
      }
      this.#trainers.push(trainer);
    }
  }

  /**
   * Until every seed has made `target` steps, or `signal` says stop: after a whole step, and without an error. After
   * `last` steps it is looked into in any case.
   */
  async run(target: number, last: number, signal: AbortSignal): Promise<void> {
    try {
      await Promise.all(this.#trainers.map((_, seed) => this.#runSeed(seed, target, last, signal)));
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
  }

  async #runSeed(seed: number, target: number, last: number, signal: AbortSignal): Promise<void> {
    const trainer = this.#trainers[seed]!;
    for (;;) {
      const { steps } = trainer;
      if (seed === 0 && (steps % this.#lookEvery === 0 || steps >= last)) await this.#look(trainer);
      if (signal.aborted || this.#disposed || steps >= target) return;
      const next = seed === 0 ? (Math.floor(steps / this.#lookEvery) + 1) * this.#lookEvery : target;
      await this.#advance(seed, Math.min(next, target), signal);
    }
  }

  async #advance(seed: number, until: number, signal: AbortSignal): Promise<void> {
    await this.#trainers[seed]!.run(
      { until },
      {
        recordEvery: this.#race.record_every,
        examples: this.#race.examples,
        signal,
        onRecord: (row) => {
          this.rows[seed]!.push(row);
          this.#changed();
        },
        onStep: ({ step }) => {
          this.#steps[seed] = step;
          this.#changed();
        },
      },
    );
    this.#steps[seed] = this.#trainers[seed]!.steps;
    this.#changed();
  }

  async #look(trainer: WorkerTrainer): Promise<void> {
    const { steps } = trainer;
    if (this.looks.has(steps)) return;
    const [maps, answers] = await Promise.all([trainer.attentionMaps(0), trainer.answers(examples)]);
    this.looks.set(steps, { maps, answers });
    const size = maps.reduce((sum, { weights }) => sum + weights.length, 1);
    const most = maxWeights / this.#race.racers.length / size;
    this.#lookEvery = lookEvery(this.#race, Math.max(1, Math.min(maxLooks, most)));
    this.#changed();
  }

  async setLearningRate(rate: number): Promise<void> {
    await Promise.all(this.#trainers.map((trainer) => trainer.setLearningRate(rate)));
  }

  /** The first seed's checkpoint. */
  async checkpoint(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#trainers[0]?.checkpoint();
  }

  async weightHash(): Promise<string> {
    return (await this.#trainers[0]?.weightHash()) ?? "";
  }

  dispose(): void {
    this.#disposed = true;
    for (const trainer of this.#trainers.splice(0)) trainer.dispose();
  }
}
