// Inside the racers at the step that is shown: all answers, and the weight maps of any layer and head.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { answersView } from "./race_answers_view.ts";
import { mapMenus, mapsView } from "./race_maps_view.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";

export function insideView(state: RaceState, actions: RaceActions): TemplateResult | typeof nothing {
  const { inside, figure, lanes, status, task } = state;
  if (!inside || status === "ready") return nothing;
  const { vocabulary, id } = figure;
  const step = String(inside.steps[inside.index] ?? 0);
  return html`<div class="race-inside" role="group" aria-labelledby="${id}-inside">
    <p class="charts-title" id="${id}-inside">${raceWord(vocabulary, "inside", { step })}</p>
    <div class="control-bar">${mapMenus(state, inside, actions)}</div>
    ${answersView(lanes, task, vocabulary)} ${mapsView(state, inside, actions)}
  </div>`;
}
