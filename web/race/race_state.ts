// Everything that raceView shows beyond a figure, and everything that it can ask for.
import type { Description, Figure, Labels, Role, RunResult } from "../../bindings/api/types.ts";
import type { Cell } from "../charts/context.ts";
import { noActions, stillState, type FigureActions, type FigureState } from "../elements/figure_state.ts";
import type { RaceStatus } from "./race.ts";
import { betOn, outcomeOf, type Outcome } from "./race_bet.ts";
import { accuracyFigures, lastStep, learnedAt, type Learned } from "./race_learned.ts";
import { racePlan, type RacePlan } from "./race_plan.ts";
import type { RunEntry } from "./race_runs.ts";
import { attentionsOf, racerAt, racerName, racerRole } from "./race_words.ts";
import type { Look } from "./racer.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

/** One racer at the step that is shown. */
export interface Lane extends Learned {
  name: string;
  at: Labels;
  role: Role;
  /** What a bet on it is kept as. */
  bet: string;
  restarts: number;
  problem: string;
  look?: Look | undefined;
}

/** A look inside the racers at one of the recorded steps. */
export interface Inside {
  steps: readonly number[];
  index: number; // of the shown one
  attention: string;
  head: number | undefined; // undefined: all
  pointed?: { lane: number; head: number; cell: Cell } | undefined;
}

/** What the page was sent with, to stand until it is read: the show and the sentence on who was first. */
export interface PrintedMarkup {
  readonly show: readonly Node[];
  readonly outcome: string;
}

export interface RaceState {
  figure: FigureState;
  /** "ready": nothing has started. */
  status: "ready" | RaceStatus;
  /** The stage alone, for a story: without settings and without the laboratory's part. */
  stageOnly: boolean;
  /** The result is that of the reader's own race, so that its digits give nothing away. */
  begun: boolean;
  /** The settings have changed since the race began. */
  stale: boolean;
  task: string;
  /** That every racer has made. */
  steps: number;
  total: number; // steps
  /** Steps of each racer per second; 0: not measured. */
  rate: number;
  lanes: readonly Lane[];
  /** Accuracy over steps; none where there is no result. */
  curves: readonly Figure[];
  /** Markup of an earlier life that stands where lanes and curves will, until there is a result. */
  markup?: PrintedMarkup | undefined;
  /** What the reader has bet on, "" for nothing, as `betOn` names it. */
  bet: string;
  /** Once the race is over. */
  outcome: Outcome | undefined;
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
  placeBet(bet: string): void;
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
  placeBet: nothing,
  typeRate: nothing,
  setRate: nothing,
  scrub: nothing,
  choose: nothing,
  checkpoint: nothing,
  restoreRun: nothing,
  removeRun: nothing,
};

/** One lane for each racer: what each has learned after `step` steps, if there is a result. */
export function lanesOf(
  plan: RacePlan,
  result: RunResult | undefined,
  step: number,
  vocabulary: Vocabulary,
): Lane[] {
  const learned = result && learnedAt(result, plan, step);
  return plan.racers.map((racer, index) => ({
    name: racerName(racer, plan, vocabulary),
    at: racerAt(racer, plan),
    role: racerRole(racer),
    bet: betOn(racer),
    ...(learned?.[index] ?? { accuracy: undefined, reached: null }),
    restarts: 0,
    problem: "",
  }));
}

/** Of a race that has come to its end with this result. */
export function outcomeAt(plan: RacePlan, result: RunResult, bet: string): Outcome {
  return outcomeOf(plan.racers, learnedAt(result, plan, plan.steps), bet);
}

/** The finished race with the default settings, as printed: its result, and a look into each racer at the end. */
export interface PrintedRace {
  readonly result: RunResult;
  readonly looks: readonly Look[];
}

/** What is shown of a printed race where nothing has started. */
export function printedParts(
  plan: RacePlan,
  { result, looks }: PrintedRace,
  vocabulary: Vocabulary,
): Pick<RaceState, "lanes" | "inside" | "curves" | "outcome"> {
  const step = lastStep(result);
  const lanes = lanesOf(plan, result, step, vocabulary).map((lane, index) => ({
    ...lane,
    look: looks[index],
  }));
  const [attention = ""] = attentionsOf(lanes);
  return {
    lanes,
    inside: { steps: [step], index: 0, attention, head: undefined },
    curves: accuracyFigures(result),
    outcome: outcomeAt(plan, result, ""),
  };
}

/** With the default settings, as printed. */
export function stillRace(
  description: Description,
  printed: PrintedRace,
  vocabulary: Vocabulary,
  still: FigureState = stillState(description, printed.result, vocabulary),
): RaceState {
  const plan = racePlan(still.texts);
  return {
    figure: still,
    status: "ready",
    stageOnly: false,
    begun: false,
    stale: false,
    task: still.texts["task"] ?? "",
    steps: plan.steps,
    total: plan.steps,
    rate: 0,
    ...printedParts(plan, printed, vocabulary),
    bet: "",
    learningRate: still.texts["learning_rate"] ?? "",
    rateProblem: "",
    runs: [],
  };
}
