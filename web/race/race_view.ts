// The race as a pure template of its state: the stage, and below it the laboratory's part: settings, the other charts, a
// look inside, and a table of runs.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { guard } from "lit/directives/guard.js";
import type { RunResult } from "../../bindings/api/types.ts";
import { benchButtons } from "./race_bar_view.ts";
import { insideView } from "./race_inside_view.ts";
import { accuracyFigures } from "./race_learned.ts";
import { runsView } from "./race_runs_view.ts";
import { stageView } from "./race_stage_view.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { neverNotes, raceWord } from "./race_words.ts";
import { controlsView, problemsView } from "../elements/controls_view.ts";
import { headingView, outputClass, outputView, staleView } from "../elements/figure_view.ts";
import { keep } from "../elements/keep.ts";
import { addParts } from "../elements/parts.ts";
export { noRaceActions, stillRace, type RaceState } from "./race_state.ts";

/** Without those of the stage. */
function charts(result: RunResult): RunResult["figures"] {
  const staged = accuracyFigures(result);
  return result.figures.filter((figure) => !staged.includes(figure));
}

addParts({ training_race: { notes: neverNotes, charts } });

export function raceView(state: RaceState, actions: RaceActions): TemplateResult {
  const { figure, stageOnly, status } = state;
  return html`<div class="figure-root race ${status === "running" ? "race-on" : ""}">
    ${stageOnly ? nothing : headingView(figure)} ${stageView(state, actions)}
    ${stageOnly ? nothing : bench(state, actions)}
    <p class="visually-hidden" role="status">${figure.note || figure.spoken}</p>
    ${figure.framed ? html`<slot name="caption"></slot>` : nothing}
  </div>`;
}

function bench(state: RaceState, actions: RaceActions): TemplateResult {
  const { figure } = state;
  const { vocabulary, id, problems } = figure;
  const settings = html`<details
    class="more race-settings"
    id="${id}-settings"
    ${problems.length > 0 ? keep({ open: true }) : nothing}
  >
    <summary>${raceWord(vocabulary, "settings")}</summary>
    ${controlsView(figure, actions, html``)}
  </details>`;
  return html`${figure.look.controls === "none" ? problemsView(problems) : settings}
    ${benchButtons(state, actions)}
    <div class=${outputClass(figure)} aria-busy="false">
      ${staleView(figure)}${guard(shownOf(state), () => (figure.result || figure.placeholder ? outputView(figure, actions, checkpoints(state, actions)) : nothing))}
    </div>
    ${guard(insideOf(state), () => insideView(state, actions))}
    ${guard([state.runs, figure.defaults, vocabulary], () => runsView(state, actions))}`;
}

/** What the output is drawn from: not the problems, which stand beside the controls and are listed anew. */
function shownOf({ figure, status, lanes }: RaceState): unknown[] {
  const values = Object.entries(figure).map(
    ([name, value]: [string, unknown]) => name === "problems" || value,
  );
  return [...values, status === "ready", ...lanes.map(({ name }) => name)];
}

function insideOf({ inside, lanes, figure, status }: RaceState): unknown[] {
  const { steps, ...shown } = inside ?? { steps: [] };
  if (status === "running") {
    // As seldom as the charts, but at once where the reader chooses.
    const { attention, head, pointed } = inside ?? {};
    return [figure.result, figure.cursor, attention, head, pointed, figure.vocabulary];
  }
  return [
    steps.length,
    status === "ready",
    ...Object.values(shown),
    ...lanes.flatMap(({ name, look }) => [name, look]),
    figure.vocabulary,
  ];
}

function checkpoints(state: RaceState, actions: RaceActions): TemplateResult | typeof nothing {
  const { status, lanes, figure } = state;
  if (status === "ready") return nothing;
  const label = raceWord(figure.vocabulary, "checkpoints");
  return html`<div class="exports race-checkpoints" role="group" aria-label=${label}>
    <span class="exports-label" aria-hidden="true">${label}</span>
    ${lanes.map(
      ({ name }, lane) =>
        html`<button
          type="button"
          class="button"
          id="${figure.id}-checkpoint-${lane}"
          @click=${() => actions.checkpoint(lane)}
        >
          ${name}
        </button>`,
    )}
  </div>`;
}
