// A figure as a pure template of its state: controls above what they change, the verdict, the charts, then
// what a reader may take away. The same function renders the page in Node and the element in a browser.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Figure, RunResult } from "../../bindings/api/types.ts";
import { chart } from "../charts/chart.ts";
import type { Mark } from "../charts/context.ts";
import { chartContext, chartGroups, type ChartGroup } from "../charts/groups.ts";
import { kindOf } from "../charts/kinds.ts";
import { figureName } from "../charts/layout.ts";
import { controlsView } from "./controls_view.ts";
import { exportBar, linesView, dataView } from "./data_view.ts";
import { noActions, type FigureActions, type FigureState } from "./figure_state.ts";
import { partOf } from "./parts.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";

export function figureView(state: FigureState, actions: FigureActions = noActions): TemplateResult {
  return html`<div class="figure-root">
    ${state.headed ? html`<p class="figure-question">${word(state.vocabulary, "questions", state.description.id)}</p>` : nothing}
    ${controlsView(state, actions)}
    <div class="figure-output" aria-busy=${String(state.busy)}>${outputView(state, actions)}</div>
    <p class="visually-hidden" role="status">${state.note || state.spoken}</p>
  </div>`;
}

/** The result, or what stands in its place until there is one. */
export function outputView(state: FigureState, actions: FigureActions): TemplateResult | readonly Node[] {
  return state.result === undefined && state.placeholder ? state.placeholder : output(state, actions);
}

function output(state: FigureState, actions: FigureActions): TemplateResult {
  const { result, vocabulary } = state;
  if (result === undefined) return html`<p class="figure-empty">${ui(vocabulary, "loading")}</p>`;
  const notes = new Set(result.figures.flatMap((figure) => kindOf(figure).notes?.(figure) ?? []));
  if (result.timed) notes.add(state.pictures ? "timed_where_built" : "timed_here");
  return html`
    ${verdictView(result, vocabulary)} ${partOf(result.experiment).view?.(state, actions) ?? nothing}
    ${chartsView(result.figures, state, actions)}
    ${[...notes].map((key) => html`<p class="figure-note">${ui(vocabulary, key)}</p>`)}
    ${linesView(state, result, actions)} ${dataView(state, result, actions)}
    ${exportBar(state, result, actions)}
  `;
}

/** A claim neither holds nor fails while its race is on. */
function verdictView({ verdict, holds }: RunResult, vocabulary: Vocabulary): TemplateResult {
  const words = word(vocabulary, "verdicts", verdict);
  if (verdict === "race_under_way") return html`<p class="verdict">${words}</p>`;
  return html`<p class="verdict ${holds ? "verdict-holds" : "verdict-fails"}">
    <span class="verdict-mark">${ui(vocabulary, holds ? "holds" : "fails")}</span>
    ${words}
  </p>`;
}

/** The figures in their grids. */
export function chartsView(
  figures: readonly Figure[],
  state: FigureState,
  actions: FigureActions,
): TemplateResult[] {
  const { pointed, description } = state;
  const marks = pointed && partOf(description.id).trace?.(figures, pointed);
  return chartGroups(figures).map((group) => chartGrid(group, figures, state, actions, marks));
}

function chartGrid(
  group: ChartGroup,
  figures: readonly Figure[],
  state: FigureState,
  { point }: FigureActions,
  marks: readonly (readonly Mark[])[] | undefined,
): TemplateResult {
  const { compact, mixed, indices } = group;
  const name = compact && !mixed ? figureName(figures[indices[0]!]!, state.vocabulary) : undefined;
  return html`${name === undefined ? nothing : html`<p class="charts-title">${name}</p>`}
    <div class="charts ${compact ? "charts-maps" : `charts-${Math.min(indices.length, 5)}`}">
      ${indices.map((index) => {
        const context = chartContext(index, group, figures, state);
        const pointed = state.pointed?.figure === index ? state.pointed.cell : undefined;
        const pointing = { cell: pointed, marks: marks?.[index] };
        return chart(figures[index]!, { ...context, ...pointing, point: (cell) => point(index, cell) });
      })}
    </div>`;
}
