// The race as a pure template of its state: a figure with a start button, lanes, a look inside, and a table of runs.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { guard } from "lit/directives/guard.js";
import { raceButtons, raceLanes } from "./race_bar_view.ts";
import { insideView } from "./race_inside_view.ts";
import type { FigureState } from "../elements/figure_state.ts";
import { runsView } from "./race_runs_view.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";
import { controlsView } from "../elements/controls_view.ts";
import { outputView } from "../elements/figure_view.ts";
import { word } from "../words/vocabulary.ts";
export { noRaceActions, stillRace, type RaceState } from "./race_state.ts";

export function raceView(state: RaceState, actions: RaceActions): TemplateResult {
  const { figure } = state;
  const { vocabulary } = figure;
  return html`<div class="figure-root race ${state.status === "running" ? "race-on" : ""}">
    ${figure.headed ? html`<p class="figure-question">${word(vocabulary, "questions", figure.description.id)}</p>` : nothing}
    ${controlsView(figure, actions, raceButtons(state, actions))} ${raceLanes(state, actions)}
    <div class="figure-output" aria-busy="false">
      ${guard(shownOf(figure), () => (figure.result || figure.placeholder ? outputView(figure, actions) : nothing))}
    </div>
    ${checkpoints(state, actions)} ${guard(insideOf(state), () => insideView(state, actions))}
    ${guard([state.runs, figure.defaults, vocabulary], () => runsView(state, actions))}
    <p class="visually-hidden" role="status">${figure.note || figure.spoken}</p>
  </div>`;
}

/** What the output is drawn from: not the problems, which stand beside the controls and are listed anew. */
function shownOf(figure: FigureState): unknown[] {
  return Object.entries(figure).map(([name, value]: [string, unknown]) => name === "problems" || value);
}

function insideOf({ inside, lanes, figure }: RaceState): unknown[] {
  const { steps, ...shown } = inside ?? { steps: [] };
  return [
    steps.length,
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
