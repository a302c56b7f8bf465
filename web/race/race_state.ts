// Everything that raceView shows beyond a figure, and everything that it can ask for.
import type { Description, Labels, Role, RunResult } from "../../bindings/api/types.ts";
import type { Cell } from "../charts/context.ts";
import { noActions, stillState, type FigureActions, type FigureState } from "../elements/figure_state.ts";
import type { RaceStatus } from "./race.ts";
import { racePlan, type RacePlan } from "./race_plan.ts";
import type { RunEntry } from "./race_runs.ts";
import { racerAt, racerName, racerRole } from "./race_words.ts";
import type { Look } from "./racer.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

export interface Lane {
  name: string;
  at: Labels;
  role: Role;
  steps: number;
  /** Steps of all its seeds per second; 0: not measured. */
  rate: number;
  restarts: number;
  problem: string;
  look?: Look | undefined; // at the shown step
}

/** A look inside the racers at one of the recorded steps. */
export interface Inside {
  steps: readonly number[];
  index: number; // of the shown one
  attention: string;
  head: number | undefined; // undefined: all
  pointed?: { lane: number; head: number; cell: Cell } | undefined;
}

export interface RaceState {
  figure: FigureState;
  /** "ready": nothing has started. */
  status: "ready" | RaceStatus;
  /** The settings have changed since the race began. */
  stale: boolean;
  /** The result is the printed one of the default settings. */
  printed: boolean;
  total: number; // steps
  lanes: readonly Lane[];
  learningRate: string;
  rateProblem: string;
  inside?: Inside | undefined;
  runs: readonly RunEntry[];
}

export interface RaceActions extends FigureActions {
  start(): void;
  pause(): void;
  step(): void;
  clear(): void;
  /** What is being typed; nothing follows from it yet. */
  typeRate(text: string): void;
  setRate(text: string): void;
  scrub(index: number): void;
  choose(change: Partial<Pick<Inside, "attention" | "head" | "pointed">>): void;
  checkpoint(lane: number): void;
  restoreRun(id: string): void;
  removeRun(id: string): void;
}

const nothing = (): void => undefined;

export const noRaceActions: RaceActions = {
  ...noActions,
  start: nothing,
  pause: nothing,
  step: nothing,
  clear: nothing,
  typeRate: nothing,
  setRate: nothing,
  scrub: nothing,
  choose: nothing,
  checkpoint: nothing,
  restoreRun: nothing,
  removeRun: nothing,
};

/** The lanes of a race that has not started, one for each racer. */
export function emptyLanes(plan: RacePlan, vocabulary: Vocabulary): Lane[] {
  return plan.racers.map((racer) => ({
    name: racerName(racer, plan, vocabulary),
    at: racerAt(racer, plan),
    role: racerRole(racer),
    steps: 0,
    rate: 0,
    restarts: 0,
    problem: "",
  }));
}

/** With the default settings, as printed. */
export function stillRace(
  description: Description,
  result: RunResult,
  vocabulary: Vocabulary,
  still: FigureState = stillState(description, result, vocabulary),
): RaceState {
  const plan = racePlan(still.texts);
  return {
    figure: still,
    status: "ready",
    stale: false,
    printed: true,
    total: plan.steps,
    lanes: emptyLanes(plan, vocabulary),
    learningRate: still.texts["learning_rate"] ?? "",
    rateProblem: "",
    runs: [],
  };
}
