// What a race under way, or one that has not begun, shows: its state for raceView.
import type { RunResult } from "../../bindings/api/types.ts";
import { defaultTexts, type FigureState } from "../elements/figure_state.ts";
import { problemOf } from "../elements/problems.ts";
import type { Race } from "./race.ts";
import type { InsideChoice } from "./race_inside.ts";
import { accuracyFigures, lastStep } from "./race_learned.ts";
import { racePlan, rateAfter, sameRace, type RacePlan } from "./race_plan.ts";
import { lanesOf, outcomeAt, printedParts, type PrintedRace, type RaceState } from "./race_state.ts";

/** What an element knows. */
export interface Known {
  race: Race | undefined;
  /** That of the race; undefined before its first record. */
  result: RunResult | undefined;
  /** The one that the charts below the stage show: while the race is on, an earlier one. */
  below: RunResult | undefined;
  /** Of the settings. */
  plan: RacePlan | undefined;
  printed: PrintedRace | undefined;
  choice: InsideChoice;
  /** What was bet on before this race, and on the next. */
  bets: { race: string; next: string };
  /** What is being typed as the learning rate, and what is wrong with it. */
  rate: { text: string | undefined; problem: string };
}

type Shown = Omit<RaceState, "figure" | "stageOnly" | "markup" | "runs">;

/** `figure` with the step to mark, and the rest of the race's state. */
export function shownRace(known: Known, figure: FigureState): Shown & Pick<RaceState, "figure"> {
  const { race, plan = racePlan(figure.defaults) } = known;
  return race ? ofRace(race, known, figure) : { ...ofStart(plan, known, figure), figure };
}

function ofStart(plan: RacePlan, { printed, bets }: Known, figure: FigureState): Shown {
  const { vocabulary } = figure;
  const at = racePlan(defaultTexts(figure.description));
  const isPrinted = printed !== undefined && sameRace(at, figure.texts);
  const nothing = { lanes: lanesOf(plan, undefined, 0, vocabulary), outcome: undefined };
  return {
    ...{ status: "ready", begun: false, stale: false, steps: plan.steps, total: plan.steps, rate: 0 },
    task: plan.texts["task"] ?? "",
    ...(isPrinted
      ? printedParts(at, printed, vocabulary)
      : { ...nothing, curves: printed ? accuracyFigures(printed.result) : [] }),
    bet: bets.next,
    ...{ learningRate: "", rateProblem: "" },
  };
}

function ofRace(
  race: Race,
  { result, below, choice, bets, rate, printed }: Known,
  figure: FigureState,
): Shown & Pick<RaceState, "figure"> {
  const { vocabulary } = figure;
  const { plan, status } = race;
  const inside = result && choice.of(race, lastStep(result));
  const lanes = lanesOf(plan, result, inside?.step ?? -1, vocabulary).map((lane, index) => {
    const racer = race.racers[index]!;
    const problem = racer.error === undefined ? "" : problemOf(racer.error, vocabulary).message;
    return { ...lane, problem, restarts: racer.restarts, look: inside && racer.looks.get(inside.step) };
  });
  const before = figure.result ?? printed?.result;
  return {
    figure: {
      ...figure,
      ...(status === "running" ? { result: below ?? figure.result, changing: true } : { changing: false }),
      cursor: inside?.cursor,
    },
    status,
    begun: result !== undefined,
    stale: !sameRace(plan, figure.texts),
    task: plan.texts["task"] ?? "",
    ...{ steps: race.steps, total: plan.steps, rate: race.rate, lanes, inside },
    curves: result ? accuracyFigures(result) : before ? accuracyFigures(before) : [],
    bet: status === "done" ? bets.next : bets.race,
    outcome: result && status === "done" ? outcomeAt(plan, result, bets.race) : undefined,
    learningRate: rate.text ?? rateAfter(plan, race.meeting),
    rateProblem: rate.problem,
  };
}
