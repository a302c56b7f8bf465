// Runs experiments on this thread: a request's text in, the run's JSON out.
import { Cancelled } from "./errors.ts";
import { objectOf } from "./given.ts";
import type { Border } from "./raw.ts";
import * as operators from "./signatures.ts";
import type { Description, RunOptions } from "./types.ts";

export interface Runner {
  descriptions(): readonly Description[];
  work(request: string): number;
  run(request: string, options?: RunOptions): string;
}

export function makeRunner(border: Border): Runner {
  let cached: readonly Description[] | undefined;

  function run(request: string, options: RunOptions = {}): string {
    const { signal, onProgress } = objectOf(operatorOf(request), "options", options);
    if (signal?.aborted) throw cancelledRun(request, signal);
    let thrown: { error: unknown } | undefined;
    const progress = (share: number): boolean => {
      try {
        return onProgress?.(share) !== false && !signal?.aborted;
      } catch (error) {
        thrown = { error }; // kept from crossing C++, and thrown below
        return false;
      }
    };
    try {
      return border.withText(operatorOf(request), request, (placed) =>
        border.reporting(progress, () => {
          const reports = Boolean(signal || onProgress);
          return border.call(operators.run_experiment, { request: placed, reports });
        }),
      );
    } catch (error) {
      if (thrown) throw thrown.error;
      throw error instanceof Cancelled ? cancelledRun(request, signal) : error;
    }
  }

  return {
    descriptions: () => (cached ??= JSON.parse(border.call(operators.describe_all, {})) as Description[]),
    work: (request) =>
      border.withText(operatorOf(request), request, (placed) =>
        border.call(operators.experiment_work, { request: placed }),
      ),
    run,
  };
}

/** What a cancelled run throws; its `cause` is the signal's reason. */
export function cancelledRun(request: string, signal?: AbortSignal): Cancelled {
  const operator = operatorOf(request);
  const fields = { code: "cancelled", operator, argument: "", expected: "", got: "" } as const;
  return new Cancelled(
    fields,
    `${operator}: cancelled`,
    signal?.aborted ? { cause: signal.reason } : undefined,
  );
}

/** The experiment that a request names. */
export function operatorOf(request: string): string {
  return request.split("\0", 1)[0] ?? "";
}
