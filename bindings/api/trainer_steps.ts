// A run, step by step: whoever asks for the next one decides when.
import { unsupported } from "./given.ts";
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { whole } from "./number.ts";
import type { HowFar, RecordOptions, RunStepsOptions, StepResult, Trainer } from "./trainer.ts";

const op = "run";
const kMax = Number.MAX_SAFE_INTEGER;

export const recordNames: Names<RecordOptions> = { examples: 1, headExamples: 1 };
const runNames: Names<RunStepsOptions> = {
  ...recordNames,
  ...{ recordEvery: 1, signal: 1, onRecord: 1, onStep: 1 },
};

type Stepping = Pick<Trainer, "steps" | "step" | "record">;

/** The number of the last step. Throws `ValueError`. */
export function lastStep(steps: number, howFar: HowFar): number {
  if (howFar !== null && typeof howFar === "object") return whole(op, "until", howFar.until, 0, kMax);
  return Math.min(steps + whole(op, "n", howFar, 0, kMax), kMax);
}

/** Throws `ValueError` for unknown names, and callbacks that are no functions. */
export function checkRunOptions(options: RunStepsOptions): void {
  checked(op, "options", options, runNames);
  for (const name of ["onRecord", "onStep"] as const) {
    const callback: unknown = options[name];
    if (callback !== undefined && typeof callback !== "function")
      throw unsupported(op, name, "a function", callback);
  }
}

/**
 * A result after each step and its record. As C++'s `run`: there is a record before the first step of all, and after
 * each whose number is a multiple of `recordEvery`. Throws `ValueError` for invalid numbers before anything happens.
 */
export function stepsOf(
  trainer: Stepping,
  howFar: HowFar,
  options: RunStepsOptions,
): Generator<StepResult, void> {
  const last = lastStep(trainer.steps, howFar);
  const every = whole(op, "recordEvery", options.recordEvery ?? 0, 0, kMax);
  const how: RecordOptions = options;
  whole(op, "examples", how.examples ?? 1);
  whole(op, "headExamples", how.headExamples ?? 1, 1, 4096);
  return steps(trainer, last, every, options);
}

function* steps(
  trainer: Stepping,
  last: number,
  every: number,
  options: RunStepsOptions,
): Generator<StepResult, void> {
  const { onRecord, examples, headExamples } = options;
  const how: RecordOptions = { examples, headExamples };
  const records = every > 0 && onRecord;
  if (records && trainer.steps === 0 && last > 0) onRecord(trainer.record(how));
  while (trainer.steps < last) {
    const result = trainer.step();
    if (records && result.step % every === 0) onRecord(trainer.record(how));
    yield result;
  }
}
