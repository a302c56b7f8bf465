// The race as a pure template of its state: a figure with a start button, lanes, a look inside, and a table of runs.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { guard } from "lit/directives/guard.js";
import { raceButtons, raceLanes } from "./race_bar_view.ts";
import { insideView } from "./race_inside_view.ts";
import { runsView } from "./race_runs_view.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { neverNotes, raceWord } from "./race_words.ts";
import { controlsView } from "../elements/controls_view.ts";
import { outputClass, outputView, staleView } from "../elements/figure_view.ts";
import { addParts } from "../elements/parts.ts";
import { word } from "../words/vocabulary.ts";
export { noRaceActions, stillRace, type RaceState } from "./race_state.ts";

addParts({ training_race: { notes: neverNotes } });

export function raceView(state: RaceState, actions: RaceActions): TemplateResult {
  const { figure } = state;
  const { vocabulary } = figure;
  return html`<div class="figure-root race ${state.status === "running" ? "race-on" : ""}">
    ${figure.headed ? html`<p class="figure-question">${word(vocabulary, "questions", figure.description.id)}</p>` : nothing}
    ${controlsView(figure, actions, raceButtons(state, actions))} ${raceLanes(state, actions)}
    <div class=${outputClass(figure)} aria-busy="false">
      ${staleView(figure)}${guard(shownOf(state), () => (figure.result || figure.placeholder ? outputView(figure, actions, checkpoints(state, actions)) : nothing))}
    </div>
    ${guard(insideOf(state), () => insideView(state, actions))}
    ${guard([state.runs, figure.defaults, vocabulary], () => runsView(state, actions))}
    <p class="visually-hidden" role="status">${figure.note || figure.spoken}</p>
  </div>`;
}

/** What the output is drawn from: not the problems, which stand beside the controls and are listed anew. */
function shownOf({ figure, status, lanes }: RaceState): unknown[] {
  const values = Object.entries(figure).map(
    ([name, value]: [string, unknown]) => name === "problems" || value,
  );
  return [...values, status === "ready", ...lanes.map(({ name }) => name)];
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
