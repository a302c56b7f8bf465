// The race as a pure template of its state: a figure with a start button, lanes, a look inside, and a table of runs.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { raceButtons, raceLanes } from "./race_bar_view.ts";
import { insideView } from "./race_inside_view.ts";
import { runsView } from "./race_runs_view.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";
import { controlsView } from "./controls_view.ts";
import { outputView } from "./figure_view.ts";
import { word } from "./vocabulary.ts";
export { noRaceActions, stillRace, type RaceState } from "./race_state.ts";

export function raceView(state: RaceState, actions: RaceActions): TemplateResult {
  const { figure } = state;
  const { vocabulary } = figure;
  return html`<div class="figure-root race">
    ${figure.headed ? html`<p class="figure-question">${word(vocabulary, "questions", figure.description.id)}</p>` : nothing}
    ${controlsView(figure, actions, raceButtons(state, actions))} ${raceLanes(state, actions)}
    <div class="figure-output" aria-busy="false">
      ${figure.result || figure.placeholder ? outputView(figure, actions) : nothing}
    </div>
    ${checkpoints(state, actions)} ${insideView(state, actions)} ${runsView(state, actions)}
    <p class="visually-hidden" role="status">${figure.note || figure.spoken}</p>
  </div>`;
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
