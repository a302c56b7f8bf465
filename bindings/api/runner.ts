// Runs experiments on this thread: a request's text in, the run's JSON out.
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
    const reports = Boolean(signal || onProgress);
    return border.withText(operatorOf(request), request, (placed) =>
      border.reporting(onProgress, signal, () =>
        border.call("", operators.runExperiment, { request: placed, reports }),
      ),
    );
  }

  return {
    descriptions: () => (cached ??= JSON.parse(border.call("", operators.describeAll, {})) as Description[]),
    work: (request) =>
      border.withText(operatorOf(request), request, (placed) =>
        border.call("", operators.experimentWork, { request: placed }),
      ),
    run,
  };
}

/** The experiment that a request names. */
export function operatorOf(request: string): string {
  return request.split("\0", 1)[0] ?? "";
}
