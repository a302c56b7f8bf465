// A run, step by step: whoever asks for the next one decides when.
import { objectOf, unsupported } from "./given.ts";
import { whole } from "./number.ts";
import type { HowFar, RecordOptions, RunStepsOptions, StepResult, Trainer } from "./trainer.ts";

const op = "run";
const kMax = Number.MAX_SAFE_INTEGER;

type Stepping = Pick<Trainer, "steps" | "step" | "record">;

/** The number of the last step. Throws `ValueError`. */
export function lastStep(steps: number, howFar: HowFar): number {
  if (howFar !== null && typeof howFar === "object") return whole(op, "until", howFar.until, 0, kMax);
  return Math.min(steps + whole(op, "n", howFar, 0, kMax), kMax);
}

/** Throws `ValueError`. */
export function checkCallbacks(options: RunStepsOptions): void {
  objectOf(op, "options", options);
  for (const name of ["onRecord", "onStep"] as const) {
    const callback: unknown = options[name];
    if (callback !== undefined && typeof callback !== "function")
      throw unsupported(op, name, "a function", callback);
  }
}

/**
 * A result after each step and its record. As C++'s `run`: there is a record before the first step of all, and after
 * each whose number is a multiple of `record_every`. Throws `ValueError` for invalid options before
 * anything happens.
 */
export function stepsOf(
  trainer: Stepping,
  howFar: HowFar,
  options: RunStepsOptions,
): Generator<StepResult, void> {
  checkCallbacks(options);
  const last = lastStep(trainer.steps, howFar);
  const every = whole(op, "record_every", options.record_every ?? 0, 0, kMax);
  const how: RecordOptions = options;
  whole(op, "examples", how.examples ?? 1);
  whole(op, "head_examples", how.head_examples ?? 1, 1, 4096);
  return steps(trainer, last, every, options);
}

function* steps(
  trainer: Stepping,
  last: number,
  every: number,
  options: RunStepsOptions,
): Generator<StepResult, void> {
  const { onRecord } = options;
  const records = every > 0 && onRecord;
  if (records && trainer.steps === 0 && last > 0) onRecord(trainer.record(options));
  while (trainer.steps < last) {
    const result = trainer.step();
    if (records && result.step % every === 0) onRecord(trainer.record(options));
    yield result;
  }
}
