// The experiments alone, for the page and the embed: there scripts/build_package.mjs puts this file into the place
// of api.ts.
import type { Sqrtdk } from "./api.ts";
import { makeExperiments } from "./experiments.ts";
import { makeFiles } from "./files.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";

export type Figures = Pick<Sqrtdk, "experiments" | "experiment" | "read_npy">;

export function makeSqrtdk(border: Border, runner: Runner): Figures {
  const { read_npy } = makeFiles(border);
  return { ...makeExperiments(runner), read_npy };
}
