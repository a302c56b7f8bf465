// What the figure of one experiment has beside what every figure has. It is loaded with the experiment's module.
import type { TemplateResult } from "lit/html.js";
import type { Figure, RunResult } from "../../bindings/api/types.ts";
import { kindOf } from "../charts/kinds.ts";
import type { Mark } from "../charts/context.ts";
import type { FigureActions, FigureState } from "./figure_state.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

export type Pointed = NonNullable<FigureState["pointed"]>;

export interface Part {
  /** Stands above the charts. */
  view?(state: FigureState, actions: FigureActions): TemplateResult;
  /** What belongs to a cell that is pointed at, in each of the figures. */
  trace?(figures: readonly Figure[], pointed: Pointed): readonly (readonly Mark[])[];
  /** The trace in words. */
  traceText?(figures: readonly Figure[], pointed: Pointed, vocabulary: Vocabulary): string;
}

const known: Record<string, Part> = {};

/** By experiment. */
export function addParts(parts: Readonly<Record<string, Part>>): void {
  Object.assign(known, parts);
}

export function partOf(experiment: string): Part {
  return known[experiment] ?? {};
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
