// What the figure of one experiment has beside what every figure has. That of later modules is loaded with them.
import type { TemplateResult } from "lit/html.js";
import type { Figure, RunResult } from "../../bindings/api/types.ts";
import { kindOf } from "../charts/kinds.ts";
import type { Mark } from "../charts/context.ts";
import { summary } from "../charts/summary.ts";
import type { FigureActions, FigureState } from "./figure_state.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";

export type Pointed = NonNullable<FigureState["pointed"]>;

export interface Verdict {
  words: string;
  /** Whether the claim holds; null where that cannot be judged, undefined where it is yet to be seen. */
  holds: boolean | null | undefined;
}

export interface Part {
  /** In place of the verdict that every figure has. */
  verdict?(result: RunResult, vocabulary: Vocabulary): Verdict | undefined;
  /** What the charts do not say, below them. */
  notes?(result: RunResult, vocabulary: Vocabulary): string[];
  /** Which of the figures are drawn there; without it, all. */
  charts?(result: RunResult): readonly Figure[];
  /** Stands above the charts. */
  view?(state: FigureState, actions: FigureActions): TemplateResult;
  /** What belongs to a cell that is pointed at, in each of the figures. */
  trace?(figures: readonly Figure[], pointed: Pointed): readonly (readonly Mark[])[];
  /** The trace in words. */
  traceText?(figures: readonly Figure[], pointed: Pointed, vocabulary: Vocabulary): string;
}

/** Where the division leaves the largest weight what it was, that d has no larger one. */
function equalWeights({ verdict, scalars }: RunResult, vocabulary: Vocabulary): Verdict | undefined {
  if (verdict !== "unscaled_is_sharper") return undefined;
  const dims = new Map<string, (number | null)[]>();
  for (const { name, at, value } of scalars) {
    if (name === "softmax_max") dims.set(at["d"]!, [...(dims.get(at["d"]!) ?? []), value]);
  }
  const equal = [...dims].filter(([, [scaled, unscaled]]) => scaled !== null && scaled === unscaled);
  if (equal.length === 0) return undefined;
  const d = equal.map(([name]) => name).join(ui(vocabulary, "list_separator"));
  return { words: ui(vocabulary, "equal_at", { d }), holds: true };
}

const known: Record<string, Part> = { article_snippet: { verdict: equalWeights } };

/** By experiment. */
export function addParts(parts: Readonly<Record<string, Part>>): void {
  Object.assign(known, parts);
}

export function partOf(experiment: string): Part {
  return known[experiment] ?? {};
}

/** What is said of the claim before its words. */
export function verdictMark(holds: boolean | null, vocabulary: Vocabulary): string {
  return ui(vocabulary, holds === null ? "unjudged" : holds ? "holds" : "fails");
}

/** Nothing is said of a claim while its race is on. */
export function verdictOf(result: RunResult, vocabulary: Vocabulary): Verdict {
  const { experiment, verdict, holds } = result;
  return (
    partOf(experiment).verdict?.(result, vocabulary) ?? {
      words: word(vocabulary, "verdicts", verdict),
      holds: verdict === "race_under_way" ? undefined : holds,
    }
  );
}

/** Query cat, key sat: 0.25. And what belongs to it. */
export function pointedText(
  { experiment, figures }: RunResult,
  pointed: Pointed,
  vocabulary: Vocabulary,
): string {
  const figure = figures[pointed.figure];
  if (!figure) return "";
  const traced = partOf(experiment).traceText?.(figures, pointed, vocabulary) ?? "";
  const cell = kindOf(figure).cellText?.(figure, pointed.cell, vocabulary) ?? "";
  return `${cell} ${traced}`.trim();
}

/** The verdict and the first sentences of a new result. */
export function spokenOf(result: RunResult, vocabulary: Vocabulary): string {
  const { words, holds } = verdictOf(result, vocabulary);
  return [
    ...(holds === undefined ? [] : [verdictMark(holds, vocabulary)]),
    words,
    ...result.figures.slice(0, 3).map((figure) => summary(figure, vocabulary)),
  ].join(" ");
}
