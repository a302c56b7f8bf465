// What the module `experiments` offers on this thread: experiments, and trainers for races.
import { makeFirst } from "./first.ts";
import type { First } from "./first.ts";
import { makeTrain } from "./make_trainers.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";
import { Scopes } from "./scope.ts";
import type { Train } from "./trainer.ts";

export interface WithTrainers extends First {
  readonly train: Train;
}

export function makeWithTrainers(border: Border, runner: Runner): WithTrainers {
  return { ...makeFirst(border, runner), train: makeTrain({ border, scopes: new Scopes(border) }) };
}
