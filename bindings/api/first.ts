// What the module `first` offers on this thread: experiments alone.
import { makeExperiments } from "./experiments.ts";
import type { Experiments } from "./experiments.ts";
import { makeFiles } from "./files.ts";
import type { Files } from "./files.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";

export type First = Experiments & Pick<Files, "read_npy">;

export function makeFirst(border: Border, runner: Runner): First {
  const { read_npy } = makeFiles(border);
  return { ...makeExperiments(runner), read_npy };
}
