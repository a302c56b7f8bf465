// The laboratory's buttons of a race: from record to record, clear, defaults; and the learning rate under way.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import { resetButton } from "../elements/controls_view.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";

export function raceButton(
  { figure }: RaceState,
  key: string,
  click: (event: MouseEvent) => void,
  { disabled = false, id = key, more = "" } = {},
): TemplateResult {
  return html`<button
    type="button"
    class="button ${more}"
    id="${figure.id}-${id}"
    ?disabled=${disabled}
    @click=${click}
  >
    ${raceWord(figure.vocabulary, key)}
  </button>`;
}

export function benchButtons(state: RaceState, actions: RaceActions): TemplateResult {
  const { status, stale, figure } = state;
  const { texts, defaults, vocabulary } = figure;
  const isRunning = status === "running" || status === "opening";
  const isDefault = Object.entries(texts).every(([name, text]) => text === defaults[name]);
  return html`<div class="race-buttons" role="group" aria-label=${raceWord(vocabulary, "race")}>
    ${raceButton(state, "step", actions.step, { disabled: isRunning || (status === "done" && !stale) })}
    ${raceButton(state, "clear", actions.clear, { disabled: status === "ready" })}
    ${resetButton(figure, isDefault, actions)}
    ${status === "running" || status === "paused" ? rateInput(state, actions) : nothing}
  </div>`;
}

/** Takes effect where the racers next wait for each other, without a new start. */
function rateInput({ figure, learningRate, rateProblem }: RaceState, actions: RaceActions): TemplateResult {
  const id = `${figure.id}-rate`;
  const invalid = rateProblem !== "";
  return html`<div class="control control-real">
      <label for=${id}>${raceWord(figure.vocabulary, "rate_now")}</label>
      <input
        type="text"
        id=${id}
        inputmode="decimal"
        autocomplete="off"
        spellcheck="false"
        .value=${live(learningRate)}
        aria-invalid=${invalid ? "true" : nothing}
        aria-describedby=${invalid ? `${id}-error` : nothing}
        @input=${(event: Event) => actions.typeRate((event.target as HTMLInputElement).value)}
        @change=${(event: Event) => actions.setRate((event.target as HTMLInputElement).value)}
      />
    </div>
    ${invalid ? html`<p class="control-error" id="${id}-error" role="alert">${rateProblem}</p>` : nothing}`;
}
