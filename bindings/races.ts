// The experiments and trainers, for the page's races: there scripts/build_package.mjs puts this file into the place of
// api.ts.
import type { Sqrtdk } from "./api.ts";
import { makeSqrtdk as makeFigures } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { makeTrainers } from "./make_trainers.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";
import { Scopes } from "./scope.ts";
import type { Trainers } from "./trainer.ts";

export type Races = Figures & Pick<Sqrtdk, keyof Trainers>;

export function makeSqrtdk(border: Border, runner: Runner): Races {
  return { ...makeFigures(border, runner), ...makeTrainers({ border, scopes: new Scopes() }) };
}
