// A figure as a pure template of its state: controls above what they change, the verdict, the charts, then
// what a reader may take away. The same function renders the page in Node and the element in a browser.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Figure, Param } from "../../bindings/types.ts";
import { chart } from "../charts/chart.ts";
import { columnsOf, emptyGrid } from "../charts/heat_layout.ts";
import { heatDomain } from "../charts/heat_scale.ts";
import { figureName } from "../charts/layout.ts";
import { control } from "./control_view.ts";
import { exportBar, linesView, dataView } from "./data_view.ts";
import { noActions, type FigureActions, type FigureState } from "./figure_state.ts";
import { ui, word } from "./vocabulary.ts";

const secondary = new Set(["rng", "trials", "mean", "correlation", "sigma_q", "sigma_k"]);
for (const training of ["n_layers", "length", "symbols", "steps", "learning_rate"]) secondary.add(training);

/** Rarely changed settings wait behind "more settings". */
function isSecondary(param: Param): boolean {
  return param.type === "matrix" || secondary.has(param.name);
}

type Condition = readonly [other: string, holds: (text: string) => boolean];
const searching: Condition = ["mode", (text) => text === "search"];
const reading: Condition = ["mode", (text) => text !== "search"];
const loaded: Condition = ["checkpoint", (text) => text !== ""];
const trained: Condition = ["checkpoint", (text) => text === ""];
const conditions: Readonly<Record<string, Condition>> = {
  nu: ["distribution", (text) => text === "student_t"],
  text: reading,
  query: searching,
  documents: searching,
  tokenizer: loaded,
  n_tokens: loaded,
  trained_with: trained,
  d_k: trained,
  n_layers: trained,
  length: trained,
  symbols: trained,
  steps: trained,
  learning_rate: trained,
};

/** Settings without an effect beside the others are not shown. */
function isUseful({ name }: Param, { texts }: FigureState): boolean {
  const [other, holds] = conditions[name] ?? [];
  const text = other === undefined ? undefined : texts[other];
  return text === undefined || holds === undefined || holds(text);
}

export function figureView(state: FigureState, actions: FigureActions = noActions): TemplateResult {
  return html`<div class="figure-root">
    ${state.headed ? html`<p class="figure-question">${word(state.vocabulary, "questions", state.description.id)}</p>` : nothing}
    ${controls(state, actions)}
    <div class="figure-output" aria-busy=${String(state.busy)}>
      ${state.result === undefined && state.placeholder ? state.placeholder : output(state, actions)}
    </div>
    <p class="visually-hidden" role="status">${state.note || state.spoken}</p>
  </div>`;
}

function controls(state: FigureState, actions: FigureActions): TemplateResult {
  const { vocabulary, id } = state;
  const params = state.description.params.filter((param) => isUseful(param, state));
  const isDefault = params.every((param) => state.texts[param.name] === state.defaults[param.name]);
  const general = state.problems.filter(({ argument }) => !params.some((param) => param.name === argument));
  const more = params.filter(isSecondary);
  // Each in its own place, whether shown or not: what is focused stays what it is.
  const drawn = (which: boolean): (TemplateResult | typeof nothing)[] =>
    state.description.params
      .filter((param) => isSecondary(param) === which)
      .map((param) => (isUseful(param, state) ? control(param, state, actions) : nothing));
  const hidden = more.some((param) => state.texts[param.name] !== state.defaults[param.name]);
  return html`<div class="figure-controls" role="group" aria-label=${ui(vocabulary, "controls")}>
    <div class="control-bar">${drawn(false)}</div>
    <div class="control-run">${progress(state, actions, isDefault)}</div>
    ${
      more.length === 0
        ? nothing
        : html`<details class="more" id="${id}-more">
            <summary>
              ${ui(vocabulary, "more_settings")}${hidden ? html`<span class="changed" aria-hidden="true">•</span>` : nothing}
            </summary>
            <div class="control-bar">${drawn(true)}</div>
          </details>`
    }
    ${general.map((problem) => html`<p class="control-error" role="alert">${problem.message}</p>`)}
  </div>`;
}

/** The same place holds "defaults" and, while a run takes long, its progress and "cancel". */
function progress(state: FigureState, actions: FigureActions, isDefault: boolean): TemplateResult {
  const { vocabulary, running, id } = state;
  if (running === undefined) {
    return html`<button
      type="button"
      class="button"
      id="${id}-reset"
      ?disabled=${isDefault}
      @click=${actions.reset}
    >
      ${ui(vocabulary, "reset")}
    </button>`;
  }
  const percent = `${Math.round(running * 100)} %`;
  return html`<div class="progress">
    <button type="button" class="button" id="${id}-cancel" @click=${actions.cancel}>
      ${ui(vocabulary, "cancel")}
    </button>
    <progress max="1" value=${running} aria-label=${ui(vocabulary, "running", { percent })}></progress>
  </div>`;
}

function output(state: FigureState, actions: FigureActions): TemplateResult {
  const { result, vocabulary } = state;
  if (result === undefined) return html`<p class="figure-empty">${ui(vocabulary, "loading")}</p>`;
  const withErrors = result.figures.some(
    ({ kind, series }) => kind === "lines" && series.some(({ y_se }) => y_se?.length),
  );
  return html`
    <p class="verdict ${result.holds ? "verdict-holds" : "verdict-fails"}">
      <span class="verdict-mark">${ui(vocabulary, result.holds ? "holds" : "fails")}</span>
      ${word(vocabulary, "verdicts", result.verdict)}
    </p>
    ${chartGroups(result.figures).map((group) => chartGrid(group, result.figures, state, actions))}
    ${withErrors ? html`<p class="figure-note">${ui(vocabulary, "error_bars")}</p>` : nothing}
    ${linesView(state, result, actions)} ${dataView(state, result, actions)}
    ${exportBar(state, result, actions)}
  `;
}

interface ChartGroup {
  compact: boolean; // many maps
  indices: number[];
}

const manyOfOneName = 4;
const manyMaps = 7;

/** The charts in their order; many heat maps stand closer together, in a grid of their own. */
export function chartGroups(figures: readonly Figure[]): ChartGroup[] {
  const maps = figures.filter(({ kind }) => kind === "heatmap");
  const hasMany = (name: string): boolean =>
    maps.filter((other) => other.name === name).length >= manyOfOneName;
  const others = maps.filter(({ name }) => !hasMany(name)).length;
  const gridOf = ({ kind, name }: Figure): string | undefined => {
    if (kind !== "heatmap") return undefined;
    if (hasMany(name)) return name;
    return others >= manyMaps ? "" : undefined;
  };
  const groups: ChartGroup[] = [];
  figures.forEach((figure, index) => {
    const own = gridOf(figure);
    const last = groups.at(-1);
    if (last && gridOf(figures[index - 1]!) === own) last.indices.push(index);
    else groups.push({ compact: own !== undefined, indices: [index] });
  });
  return groups;
}

function chartGrid(
  { compact, indices }: ChartGroup,
  figures: readonly Figure[],
  { id, vocabulary, pointed }: FigureState,
  actions: FigureActions,
): TemplateResult {
  const first = figures[indices[0] ?? 0]!;
  const mixed = compact && indices.some((index) => figures[index]?.name !== first.name);
  const name = compact && !mixed ? figureName(first, vocabulary) : undefined;
  return html`${name === undefined ? nothing : html`<p class="charts-title">${name}</p>`}
    <div class="charts ${compact ? "charts-maps" : `charts-${Math.min(indices.length, 5)}`}">
      ${indices.map((index) => {
        const figure = figures[index]!;
        const context = { id: `${id}-chart-${index}`, vocabulary };
        if (figure.kind !== "heatmap") return chart(figure, context);
        return chart(figure, {
          ...context,
          compact,
          mixed,
          columns: mixed ? columnsOf(figure.grid ?? emptyGrid) : 1,
          domain: heatDomain(figure, figures),
          cell: pointed?.figure === index ? pointed.cell : undefined,
          point: (cell) => actions.point(index, cell),
        });
      })}
    </div>`;
}
