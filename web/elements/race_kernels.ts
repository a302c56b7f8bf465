// What a race needs of the library: trainers in workers, and the figures of their records.
import type { Trainers, WorkerTrainers } from "../../bindings/trainer.ts";

export type TrainerMaker = Pick<WorkerTrainers, "trainer">;

export interface Training {
  /** On this thread. */
  readonly here: Pick<Trainers, "race_result">;
  worker(): Promise<TrainerMaker>;
}
