// The page's first figure as a pure template: one slider for d, the same eight keys weighed with and
// without the division, one row of bars each.
import { html, svg, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import type { RunResult, Series } from "../../bindings/api/types.ts";
import { formatWeight } from "../charts/format.ts";
import { hatch } from "../charts/layout.ts";
import { keep } from "./keep.ts";
import { powerSteps } from "./slider_scale.ts";
import { ui, type UiKey, type Vocabulary } from "../words/vocabulary.ts";

/** The run of article_snippet that the hero shows; d and seed are the reader's. */
export const heroParams = { d: "512", n_keys: "8", draws: "paired", seed: "0" } as const;
export const heroDefaults: Readonly<Record<string, string>> = { d: heroParams.d, seed: heroParams.seed };
export const heroSlider = powerSteps(1, 1024);

/** What lies behind one draw: the run of softmax_saturation that gives the largest weight of many, at this d. */
export const spreadExperiment = "softmax_saturation";
export function spreadParams(d: string): Record<string, string> {
  return { d, n_keys: heroParams.n_keys, scale: "none,1/sqrt(d)", trials: "100" };
}

export interface HeroState {
  vocabulary: Vocabulary;
  texts: Readonly<Record<string, string>>; // d, seed
  result?: RunResult | undefined;
  spread?: RunResult | undefined; // of many draws
  problem: string; // in the reader's language, "" where all is well
  note: string; // for screen readers, once the slider rests
}

export interface HeroActions {
  input(param: string, text: string): void;
  newSeed(): void;
}

const nothingToDo: HeroActions = { input: () => undefined, newSeed: () => undefined };

/** The hero as it was just computed with its defaults: what a page is pre-rendered from. */
export function stillHero(result: RunResult, spread: RunResult, vocabulary: Vocabulary): HeroState {
  return { vocabulary, texts: heroDefaults, result, spread, problem: "", note: "" };
}

export function heroView(state: HeroState, actions: HeroActions = nothingToDo): TemplateResult {
  const { vocabulary, texts, result } = state;
  const series = result?.figures[0]?.series ?? [];
  const position = String(heroSlider.positionOf(texts["d"] ?? ""));
  return html`<figure class="hero-root" aria-labelledby="hero-summary">
    <div class="hero-controls">
      <label class="hero-d" for="hero-slider"
        ><span class="visually-hidden">${ui(vocabulary, "hero_d")}</span
        ><span aria-hidden="true"><i>d</i> = <span class="hero-number">${texts["d"]}</span></span></label
      >
      <input
        type="range"
        id="hero-slider"
        name="d"
        min="0"
        max=${heroSlider.positions}
        step="1"
        .value=${live(position)}
        ${keep({ value: position })}
        aria-valuetext=${ui(vocabulary, "at_item", { name: ui(vocabulary, "hero_d"), value: texts["d"] ?? "" })}
        aria-describedby=${state.problem ? "hero-error" : "hero-summary"}
        @input=${(event: Event) => actions.input("d", heroSlider.textAt(Number((event.target as HTMLInputElement).value)))}
      />
      <button type="button" class="button" id="hero-seed" @click=${actions.newSeed}>
        ${ui(vocabulary, "new_seed")}
      </button>
    </div>
    ${state.problem ? html`<p class="control-error" id="hero-error" role="alert">${state.problem}</p>` : null}
    ${series.map((one) => row(one, state))}
    <p class="visually-hidden" role="status">${state.note}</p>
    <figcaption class="visually-hidden" id="hero-summary">${summary(state)}</figcaption>
  </figure>`;
}

function largest(series: Series | undefined): string {
  return formatWeight(Math.max(...(series?.y.map((value) => value ?? 0) ?? [0])));
}

export function summary({ vocabulary, texts, result }: HeroState): string {
  const series = result?.figures[0]?.series ?? [];
  const of = (role: string): string => largest(series.find((one) => one.role === role));
  const values = { d: texts["d"] ?? "", scaled: of("scaled"), unscaled: of("unscaled") };
  return `${ui(vocabulary, "hero_label")}. ${ui(vocabulary, "hero_summary", values)}`;
}

/** The largest weights between which eight of ten draws lie. */
function rangeOf({ spread }: HeroState, role: string): readonly [number, number] | undefined {
  const scale = role === "unscaled" ? "none" : "1/sqrt(d)";
  const found = spread?.scalars.find(({ name, at }) => name === "softmax_max" && at["scale"] === scale);
  const { p10, p90 } = found ?? {};
  return typeof p10 === "number" && typeof p90 === "number" ? [p10, p90] : undefined;
}

/** Bars in percent of the row: they stretch with it, and their change of height can be animated in CSS. */
function row(series: Series, state: HeroState): TemplateResult {
  const { vocabulary } = state;
  const range = rangeOf(state, series.role);
  const [low, high] = (range ?? [0, 0]).map((value) => Math.round(value * 1000) / 10) as [number, number];
  const slot = 100 / series.y.length;
  const id = `hero-${series.role}`;
  const best = series.y.indexOf(Math.max(...series.y.map((value) => value ?? 0)));
  return html`<div class="hero-row role-${series.role}">
    <p class="hero-label">
      <span class="hero-name">${ui(vocabulary, `hero_${series.role}` as UiKey)}</span>
      <span class="hero-max"
        >${ui(vocabulary, "hero_max")} <b class="hero-number">${largest(series)}</b></span
      >
      ${
        range
          ? html`<span class="hero-range"
              >${ui(vocabulary, "hero_range", { low: formatWeight(range[0]), high: formatWeight(range[1]) })}</span
            >`
          : null
      }
    </p>
    <svg class="hero-bars" aria-hidden="true">
      ${series.role === "unscaled" ? hatch(id) : null}
      ${range ? svg`<rect class="hero-band" width="100%" y="${100 - high}%" height="${(high - low).toFixed(1)}%"></rect>` : null}
      ${series.y.map((value, index) => {
        const percent = Math.round((value ?? 0) * 1000) / 10;
        return svg`<rect class="mark ${index === best ? "mark-best" : ""}"
          fill=${series.role === "unscaled" ? `url(#${id}-hatch)` : "currentColor"}
          x="${(index + 0.1) * slot}%" width="${0.8 * slot}%" y="${100 - percent}%" height="${percent}%"></rect>`;
      })}
    </svg>
  </div>`;
}
