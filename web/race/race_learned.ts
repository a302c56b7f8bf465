// What each racer has learned at a step, as a result tells it: the same numbers as those of its curve.
import type { Figure, RunResult } from "../../bindings/api/types.ts";
import { finite } from "../charts/layout.ts";
import type { RacePlan } from "./race_plan.ts";

/** Of the tokens: who has so many right has arrived. */
export const goal = 0.9;

export interface Learned {
  /** The share of right tokens, a mean over the seeds; undefined where it is not known yet. */
  readonly accuracy: number | undefined;
  /** The step at which it had arrived, a median over the seeds; null: not so far. */
  readonly reached: number | null;
}

/** The curves that the lanes follow: one for each number of heads. */
export function accuracyFigures({ figures }: RunResult): Figure[] {
  return figures.filter(({ name }) => name === "race_accuracy");
}

/** The last step that every racer has a record of; -1: none. */
export function lastStep(result: RunResult): number {
  const lines = accuracyFigures(result).flatMap(({ series }) =>
    series.filter(({ role }) => role !== "reference"),
  );
  return Math.min(...lines.map(({ x }) => x.at(-1) ?? -1));
}

/** Of each racer, in the order of the plan. */
export function learnedAt(result: RunResult, { racers }: RacePlan, step: number): Learned[] {
  const figures = accuracyFigures(result);
  const goals = result.scalars.filter(({ name, at }) => name === "steps_to_90" && !("seed" in at));
  return racers.map(({ scale, n_heads }, index) => {
    const figure = figures.find(({ at }) => at["n_heads"] === undefined || at["n_heads"] === n_heads);
    const line = figure?.series.find(({ name }) => name === scale);
    const at = line?.x.findLastIndex((x) => (x ?? Infinity) <= step) ?? -1;
    const accuracy = line?.y[at];
    const reached = goals[index]?.value ?? null;
    return {
      accuracy: finite(accuracy) ? accuracy : undefined,
      reached: reached !== null && reached <= step ? reached : null,
    };
  });
}
