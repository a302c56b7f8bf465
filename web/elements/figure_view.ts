// A figure as a pure template of its state: controls above what they change, the verdict, the charts, then
// what a reader may take away. The same function renders the page in Node and the element in a browser.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Param } from "../../bindings/types.ts";
import { chart } from "../charts/chart.ts";
import { control } from "./control_view.ts";
import { exportBar, linesView, dataView } from "./data_view.ts";
import { noActions, type FigureActions, type FigureState } from "./figure_state.ts";
import { ui, word } from "./vocabulary.ts";

const secondary = new Set(["rng", "trials", "mean", "correlation", "sigma_q", "sigma_k"]);

/** Rarely changed settings wait behind "more settings". */
function isSecondary(param: Param): boolean {
  return param.type === "matrix" || secondary.has(param.name);
}

/** Settings without an effect beside the others are not shown. */
function isUseful(param: Param, state: FigureState): boolean {
  return param.name !== "nu" || state.texts["distribution"] === "student_t";
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
  const hidden = more.some((param) => state.texts[param.name] !== state.defaults[param.name]);
  return html`<div class="figure-controls" role="group" aria-label=${ui(vocabulary, "controls")}>
    <div class="control-bar">
      ${params.filter((param) => !isSecondary(param)).map((param) => control(param, state, actions))}
    </div>
    <div class="control-run">${progress(state, actions, isDefault)}</div>
    ${
      more.length === 0
        ? nothing
        : html`<details class="more" id="${id}-more">
            <summary>
              ${ui(vocabulary, "more_settings")}${hidden ? html`<span class="changed" aria-hidden="true">•</span>` : nothing}
            </summary>
            <div class="control-bar">${more.map((param) => control(param, state, actions))}</div>
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
  const { result, vocabulary, id } = state;
  if (result === undefined) return html`<p class="figure-empty">${ui(vocabulary, "loading")}</p>`;
  const withErrors = result.figures.some(
    ({ kind, series }) => kind === "lines" && series.some(({ y_se }) => y_se?.length),
  );
  return html`
    <p class="verdict ${result.holds ? "verdict-holds" : "verdict-fails"}">
      <span class="verdict-mark">${ui(vocabulary, result.holds ? "holds" : "fails")}</span>
      ${word(vocabulary, "verdicts", result.verdict)}
    </p>
    <div class="charts charts-${Math.min(result.figures.length, 5)}">
      ${result.figures.map((figure, index) => chart(figure, { id: `${id}-chart-${index}`, vocabulary }))}
    </div>
    ${withErrors ? html`<p class="figure-note">${ui(vocabulary, "error_bars")}</p>` : nothing}
    ${linesView(state, result, actions)} ${dataView(state, result, actions)}
    ${exportBar(state, result, actions)}
  `;
}
