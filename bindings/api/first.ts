// What the module `first` offers on this thread: experiments alone.
import { makeExperiments } from "./experiments.ts";
import type { ExperimentList } from "./experiments.ts";
import { readNpy } from "./files.ts";
import type { Files } from "./files.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";

export interface First {
  readonly experiments: ExperimentList;
  readonly formats: Pick<Files, "readNpy">;
}

export function makeFirst(border: Border, runner: Runner): First {
  return { experiments: makeExperiments(runner), formats: { readNpy: (bytes) => readNpy(border, bytes) } };
}
