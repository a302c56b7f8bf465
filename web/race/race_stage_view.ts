// The stage: a bet, one button, and the race itself on one screen. Each lane is as long as its model has learned; the
// curve, the lanes, the answers and the maps show the same step, which the slider below the curve chooses.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import { chart } from "../charts/chart.ts";
import { formatNumber } from "../charts/format.ts";
import { answerView, isWritten, questionLines } from "./race_answers_view.ts";
import { betView, outcomeText } from "./race_bet_view.ts";
import { raceButton } from "./race_bar_view.ts";
import { goal } from "./race_learned.ts";
import { mapsOf } from "./race_maps_view.ts";
import type { Lane, RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";
import { smallMap } from "./small_map.ts";

export function stageView(state: RaceState, actions: RaceActions): TemplateResult {
  const { figure, begun, stale, curves } = state;
  const markup = curves.length === 0 ? state.markup : undefined;
  const classes = ["race-stage", begun ? "race-begun" : "", stale ? "race-stale" : ""].filter(Boolean);
  return html`<div class=${classes.join(" ")} role="group" aria-label=${raceWord(figure.vocabulary, "race")}>
    <div class="race-top">
      ${betView(state, actions)}
      <div class="race-go">${startButton(state, actions)}</div>
      <div class="race-said">
        <p class="race-note">${noteText(state)}</p>
        <p class="race-outcome">${stale ? "" : (markup?.outcome ?? outcomeText(state))}</p>
      </div>
    </div>
    <div class="race-show">${markup?.show ?? showView(state, actions)}</div>
  </div>`;
}

/**
 * Start, pause or go on: one button keeps its place and its focus while its meaning changes. A race whose settings
 * have changed is not paused but replaced.
 */
function startButton(state: RaceState, actions: RaceActions): TemplateResult {
  const { status, stale } = state;
  const isRunning = (status === "running" || status === "opening") && !stale;
  const isFresh = status === "ready" || status === "done" || stale;
  const name = isRunning ? "pause" : isFresh ? "start" : "go_on";
  // The second click of a double click on "start" is no "pause".
  const run = (event: MouseEvent): void => {
    if (!isRunning) actions.start();
    else if (event.detail < 2) actions.pause();
  };
  return raceButton(state, name, run, { id: "run", more: "race-start" });
}

function noteText(state: RaceState): string {
  const { status, stale, steps, total, rate, figure, stageOnly, outcome } = state;
  const { vocabulary, problems } = figure;
  if (stageOnly && problems.length > 0) return problems.map(({ message }) => message).join(" ");
  if (stale) return raceWord(vocabulary, "stale");
  if (status === "ready" || status === "opening") return raceWord(vocabulary, status);
  if (outcome) return ""; // stands in its place
  const step = raceWord(vocabulary, "at_step", { step: String(steps), total: String(total) });
  const speed = rate > 0 ? raceWord(vocabulary, "speed", { rate: formatNumber(Math.round(rate)) }) : "";
  return [step, speed].filter(Boolean).join(" · ");
}

function showView(state: RaceState, actions: RaceActions): TemplateResult {
  const { lanes, task, figure, curves } = state;
  const { vocabulary, id, cursor } = figure;
  const question = lanes.find(({ look }) => look !== undefined)?.look?.answers[0];
  return html`<div
      class="race-field ${isWritten(task) ? "race-writing" : ""}"
      role="group"
      aria-label=${raceWord(vocabulary, "racers")}
    >
      <dl class="race-question">${question ? questionLines(question, task, vocabulary) : nothing}</dl>
      <ul class="race-lanes">
        ${lanes.map((lane) => laneView(lane, state))}
      </ul>
    </div>
    <div class="race-curve">
      <div class="charts">
        ${curves.map((curve, index) => {
          const note = index === 0 ? figure.notes?.[curve.name] : undefined;
          return chart(curve, { id: `${id}-curve-${index}`, vocabulary, cursor, note });
        })}
      </div>
      ${scrubber(state, actions)}
    </div>`;
}

function laneView(lane: Lane, { figure, inside, task }: RaceState): TemplateResult {
  const { vocabulary } = figure;
  const { name, role, accuracy, reached, problem, restarts, look } = lane;
  const percent = accuracy === undefined ? "–" : `${(100 * accuracy).toFixed(1)}%`;
  const arrived = reached === null ? "" : raceWord(vocabulary, "reached_at", { step: formatNumber(reached) });
  const said = raceWord(vocabulary, "learned_said", { name, percent });
  const given = look?.answers[0];
  const [map] = inside ? mapsOf(lane, inside.attention).slice(inside.head ?? 0) : [];
  const lost = restarts > 0 ? raceWord(vocabulary, "restarted", { count: String(restarts) }) : "";
  return html`<li class="race-lane role-${role}">
    <div class="race-progress">
      <span class="race-name">${name}</span>
      <span class="race-percent">${percent}</span>
      <svg class="race-track" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=${said}>
        <rect class="race-bed" width="100" height="6"></rect>
        <rect class="race-learned" width=${Math.round(1000 * (accuracy ?? 0)) / 10} height="6"></rect>
        <path class="race-goal" d="M${100 * goal} 0V6"></path>
      </svg>
      <span class="race-reached">${[arrived, lost].filter(Boolean).join(" · ")}</span>
    </div>
    <div class="race-answer">${given ? answerView(given, task, vocabulary) : nothing}</div>
    <div class="race-look">${map ? smallMap(map, name, vocabulary) : nothing}</div>
    ${
      problem === ""
        ? nothing
        : html`<p class="control-error" role="alert">
            ${raceWord(vocabulary, "stopped", { message: problem })}
          </p>`
    }
  </li>`;
}

/** Moves curve mark, lanes, answers and maps together. */
function scrubber({ figure, inside, total }: RaceState, actions: RaceActions): TemplateResult {
  const { vocabulary, id } = figure;
  const { steps, index } = inside ?? { steps: [], index: 0 };
  const step = steps[index];
  const said =
    step === undefined ? "" : raceWord(vocabulary, "at_step", { step: String(step), total: String(total) });
  return html`<div class="race-scrub">
    <label for="${id}-scrub">${raceWord(vocabulary, "step_shown")}</label>
    <input
      type="range"
      id="${id}-scrub"
      min="0"
      max=${Math.max(0, steps.length - 1)}
      step="1"
      autocomplete="off"
      .value=${live(String(index))}
      ?disabled=${steps.length < 2}
      aria-valuetext=${said || nothing}
      @input=${(event: Event) => actions.scrub(Number((event.target as HTMLInputElement).value))}
    />
    <output for="${id}-scrub" aria-hidden="true">${step ?? ""}</output>
  </div>`;
}
