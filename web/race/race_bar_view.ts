// The race's buttons, and a lane for each racer with how far it is.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import { formatNumber } from "../charts/format.ts";
import { resetButton } from "../elements/controls_view.ts";
import type { FigureState } from "../elements/figure_state.ts";
import type { Lane, RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

export function raceButton(
  { figure }: RaceState,
  key: string,
  click: (event: MouseEvent) => void,
  { disabled = false, id = key, label = "" } = {},
): TemplateResult {
  return html`<button
    type="button"
    class="button"
    id="${figure.id}-${id}"
    ?disabled=${disabled}
    aria-label=${label || nothing}
    @click=${click}
  >
    ${raceWord(figure.vocabulary, key)}
  </button>`;
}

/** Start, pause or go on; step; clear. One button keeps its place and its focus while its meaning changes. */
export function raceButtons(state: RaceState, actions: RaceActions): TemplateResult {
  const { status, stale } = state;
  const isRunning = status === "running" || status === "opening";
  const isFresh = status === "ready" || status === "done" || stale;
  const name = isRunning ? "pause" : isFresh ? "start" : "go_on";
  // The second click of a double click on "start" is no "pause".
  const run = (event: MouseEvent): void => {
    if (!isRunning) actions.start();
    else if (event.detail < 2) actions.pause();
  };
  return html`<div class="race-buttons" role="group" aria-label=${raceWord(state.figure.vocabulary, "race")}>
    ${raceButton(state, name, run, { id: "run" })}
    ${raceButton(state, "step", actions.step, { disabled: isRunning || (status === "done" && !stale) })}
    ${raceButton(state, "clear", actions.clear, { disabled: status === "ready" })}
    ${defaultsButton(state.figure, actions)}
  </div>`;
}

function defaultsButton(figure: FigureState, actions: RaceActions): TemplateResult {
  const { texts, defaults } = figure;
  const isDefault = Object.entries(texts).every(([name, text]) => text === defaults[name]);
  return resetButton(figure, isDefault, actions);
}

export function raceLanes(state: RaceState, actions: RaceActions): TemplateResult {
  const { figure, lanes, total, status } = state;
  const { vocabulary } = figure;
  return html`<div class="race-state" role="group" aria-label=${raceWord(vocabulary, "racers")}>
    <ul class="race-lanes">
      ${lanes.map((lane) => laneView(lane, total, vocabulary))}
    </ul>
    ${status === "ready" ? nothing : rateInput(state, actions)}
    <p class="race-note">${note(state)}</p>
  </div>`;
}

function note({ stale, printed, status, figure }: RaceState): string {
  if (status === "done" || status === "running" || status === "paused") {
    return stale ? raceWord(figure.vocabulary, "stale") : "";
  }
  return raceWord(figure.vocabulary, status === "ready" && printed ? "printed" : status);
}

function laneView(lane: Lane, total: number, vocabulary: Vocabulary): TemplateResult {
  const step = raceWord(vocabulary, "at_step", { step: String(lane.steps), total: String(total) });
  const rate =
    lane.rate > 0 ? raceWord(vocabulary, "speed", { rate: formatNumber(Math.round(lane.rate)) }) : "";
  const lost = lane.restarts > 0 ? raceWord(vocabulary, "restarted", { count: String(lane.restarts) }) : "";
  return html`<li class="race-lane role-${lane.role}">
    <span class="race-name">${lane.name}</span>
    <progress max=${total} value=${lane.steps} aria-label="${lane.name}: ${step}"></progress>
    <span class="race-step">${[step, rate, lost].filter(Boolean).join(" · ")}</span>
    ${
      lane.problem === ""
        ? nothing
        : html`<span class="control-error" role="alert"
            >${raceWord(vocabulary, "stopped", { message: lane.problem })}</span
          >`
    }
  </li>`;
}

/** Takes effect at the next step, without a new start. */
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
