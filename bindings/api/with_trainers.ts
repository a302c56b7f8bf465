// What the module `experiments` offers on this thread: experiments, and trainers for races.
import { makeFirst } from "./first.ts";
import type { First } from "./first.ts";
import { makeTrainers } from "./make_trainers.ts";
import type { Border } from "./raw.ts";
import type { Runner } from "./runner.ts";
import { Scopes } from "./scope.ts";
import type { Trainers } from "./trainer.ts";

export function makeWithTrainers(border: Border, runner: Runner): First & Trainers {
  return { ...makeFirst(border, runner), ...makeTrainers({ border, scopes: new Scopes() }) };
}
