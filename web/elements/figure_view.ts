// A figure as a pure template of its state: controls above what they change, the verdict, the charts, then
// what a reader may take away. The same function renders the page in Node and the element in a browser.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Figure, RunResult } from "../../bindings/api/types.ts";
import { chart } from "../charts/chart.ts";
import type { Mark } from "../charts/context.ts";
import { chartContext, chartGroups, type ChartGroup } from "../charts/groups.ts";
import { kindOf } from "../charts/kinds.ts";
import { figureName } from "../charts/layout.ts";
import { controlsView, problemsView } from "./controls_view.ts";
import { apparatusView, linesView } from "./data_view.ts";
import { noActions, replacedParams, type FigureActions, type FigureState } from "./figure_state.ts";
import { partOf, verdictMark, verdictOf } from "./parts.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";

export function figureView(state: FigureState, actions: FigureActions = noActions): TemplateResult {
  return html`<div class="figure-root">
    ${headingView(state)}
    ${state.look.controls === "none" ? problemsView(state.problems) : controlsView(state, actions)}
    ${replacedView(state)}
    <div class=${outputClass(state)} aria-busy=${String(state.busy)}>
      ${staleView(state)}${outputView(state, actions)}
    </div>
    <p class="visually-hidden" role="status">${state.note || state.spoken}</p>
    ${state.framed ? html`<slot name="caption"></slot>` : nothing}
  </div>`;
}

/** The question, or what the page around puts in its place. */
export function headingView(state: FigureState): TemplateResult | typeof nothing {
  if (!state.look.heading) return nothing;
  const question = word(state.vocabulary, "questions", state.description.id);
  const heading = html`<p class="figure-question">${question}</p>`;
  return state.framed ? html`<slot name="heading">${heading}</slot>` : heading;
}

function replacedView(state: FigureState): TemplateResult | typeof nothing {
  const { vocabulary } = state;
  const names = replacedParams(state).map(({ name }) => word(vocabulary, "params", name));
  if (names.length === 0) return nothing;
  const text = ui(vocabulary, "replaced", { names: names.join(ui(vocabulary, "list_separator")) });
  return html`<p class="figure-note figure-replaced">${text}</p>`;
}

/** Dimmed where it belongs to other settings; its verdict kept back until the reader has played. */
export function outputClass({ stale, played, look }: FigureState): string {
  const isTold = played || look.controls === "none"; // there is nothing to play with
  const classes = ["figure-output", stale && "stale", isTold && "played", look.captions && "captioned"];
  return classes.filter(Boolean).join(" ");
}

/** Said in the verdict's place. */
export function staleView({ stale, vocabulary }: FigureState): TemplateResult | typeof nothing {
  return stale ? html`<p class="stale-note">${ui(vocabulary, "stale")}</p>` : nothing;
}

/** The result, or what stands in its place until there is one. `more`: further apparatus. */
export function outputView(
  state: FigureState,
  actions: FigureActions,
  more: TemplateResult | typeof nothing = nothing,
): TemplateResult | readonly Node[] {
  return state.result === undefined && state.placeholder ? state.placeholder : output(state, actions, more);
}

function output(
  state: FigureState,
  actions: FigureActions,
  more: TemplateResult | typeof nothing,
): TemplateResult {
  const { result, vocabulary } = state;
  if (result === undefined)
    return html`<p class="figure-empty">${state.busy ? ui(vocabulary, "loading") : nothing}</p>`;
  const part = partOf(result.experiment);
  const keys = new Set(result.figures.flatMap((figure) => kindOf(figure).notes?.(figure) ?? []));
  if (result.timed) keys.add(state.printed ? "timed_where_built" : "timed_here");
  const notes = [...keys].map((key) => ui(vocabulary, key));
  return html`
    ${verdictView(result, vocabulary)} ${part.view?.(state, actions) ?? nothing}
    ${chartsView(part.charts?.(result) ?? result.figures, state, actions)}
    ${[...notes, ...(part.notes?.(result, vocabulary) ?? [])].map((note) => html`<p class="figure-note">${note}</p>`)}
    ${state.look.lines ? linesView(state, result, actions) : nothing}
    ${apparatusView(state, result, actions, more)}
  `;
}

function verdictView(result: RunResult, vocabulary: Vocabulary): TemplateResult {
  const { words, holds } = verdictOf(result, vocabulary);
  if (holds === undefined) return html`<p class="verdict">${words}</p>`;
  const kind = holds === null ? "unjudged" : holds ? "holds" : "fails";
  return html`<p class="verdict verdict-${kind}">
    <span class="verdict-mark">${verdictMark(holds, vocabulary)}</span>
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
  const first = figures[indices[0]!]!;
  const titled = compact && !mixed; // with one title and one sentence for all
  const note = (index: number): unknown => noteOf(index, figures, state.notes);
  return html`${
      titled
        ? html`<p class="charts-title">${figureName(first, state.vocabulary)}</p>
            ${note(indices[0]!)}`
        : nothing
    }
    <div class="charts ${compact ? "charts-maps" : `charts-${Math.min(indices.length, 5)}`}">
      ${indices.map((index) => {
        const context = chartContext(index, group, figures, state);
        const pointed = state.pointed?.figure === index ? state.pointed.cell : undefined;
        const pointing = { cell: pointed, marks: marks?.[index] };
        return chart(figures[index]!, {
          ...context,
          ...pointing,
          note: titled ? undefined : note(index),
          point: (cell) => point(index, cell),
        });
      })}
    </div>`;
}

/** Said beside the first chart of a name. */
function noteOf(index: number, figures: readonly Figure[], notes: FigureState["notes"]): unknown {
  const { name } = figures[index]!;
  return figures.findIndex((other) => other.name === name) === index ? notes?.[name] : undefined;
}
