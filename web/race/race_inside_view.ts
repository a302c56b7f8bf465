// Inside the racers at a recorded step: the slider over the steps, answers, and weight maps.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import { answersView } from "./race_answers_view.ts";
import { mapMenus, mapsView } from "./race_maps_view.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";

export function insideView(state: RaceState, actions: RaceActions): TemplateResult | typeof nothing {
  const { inside, figure, lanes } = state;
  if (!inside || inside.steps.length === 0) return nothing;
  const { vocabulary, id } = figure;
  const step = String(inside.steps[inside.index] ?? 0);
  return html`<div class="race-inside" role="group" aria-labelledby="${id}-inside">
    <p class="charts-title" id="${id}-inside">${raceWord(vocabulary, "inside", { step })}</p>
    <div class="control-bar">
      <div class="control race-scrub">
        <label for="${id}-scrub">${raceWord(vocabulary, "step_shown")}</label>
        <input
          type="range"
          id="${id}-scrub"
          min="0"
          max=${inside.steps.length - 1}
          step="1"
          autocomplete="off"
          .value=${live(String(inside.index))}
          aria-valuetext=${step}
          @input=${(event: Event) => actions.scrub(Number((event.target as HTMLInputElement).value))}
        />
      </div>
      ${mapMenus(state, inside, actions)}
    </div>
    ${answersView(lanes, vocabulary)} ${mapsView(state, inside, actions)}
  </div>`;
}
