// The slider for the exponent: effective keys over d when scores are divided by d to some power. Only ½ is level.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult, Series } from "../../../bindings/api/types.ts";
import { formatNumber } from "../../charts/format.ts";
import { linear, logarithmic } from "../../charts/scale.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";

const dims = [2, 8, 32, 128, 512, 2048];
const width = 360;
const height = 220;
const left = 30;
const bottom = height - 34;

export const figure: StoryFigure = {
  experiment: "scale_factors",
  start: { power: "0.5" },
  // One run holds all powers: the slider only chooses.
  params: () => ({ d: dims.join(), n_keys: "8", steps: "0", trials: "400" }),
  view,
};

/** Effective keys over the power, one line for each d. */
function lines({ figures: [figure] }: RunResult): readonly Series[] {
  return figure && "series" in figure ? figure.series : [];
}

/** At one power, over d. */
function keysAt(result: RunResult, index: number): number[] {
  return lines(result).map(({ y }) => y[index] ?? Number.NaN);
}

function view({ set, result, say, change }: Scene): TemplateResult {
  const powers = lines(result)[0]?.x.map(Number) ?? [];
  const index = Math.max(0, powers.indexOf(Number(set["power"])));
  const power = String(powers[index] ?? "");
  const keys = keysAt(result, index);
  const [first = "", last = ""] = [keys[0], keys.at(-1)].map((each) => formatNumber(each, 2));
  return html`<figure class="story-figure">
    <div class="story-controls">
      <label for="root-power">${say("power")} <b class="story-number">${power}</b></label>
      <input
        id="root-power"
        type="range"
        name="power"
        min="0"
        max="1"
        step="0.125"
        value=${figure.start["power"]!}
        ${keep({ value: set["power"] ?? "" })}
        @input=${(event: Event) => change({ power: (event.target as HTMLInputElement).value })}
      />
    </div>
    <svg class="story-drawing" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="root-caption">
      ${drawing(result, powers, index, say)}
    </svg>
    <figcaption class="story-caption" id="root-caption">
      ${say("caption", { power, first, last, d: String(dims.at(-1)) })}
    </figcaption>
  </figure>`;
}

function drawing(
  result: RunResult,
  powers: readonly number[],
  chosen: number,
  say: Scene["say"],
): SVGTemplateResult[] {
  const x = logarithmic([dims[0]!, dims.at(-1)!], [left + 8, width - 16]);
  const y = linear([1, 8], [bottom, 18]);
  const path = (keys: readonly number[]): string =>
    `M${keys.map((value, i) => `${x(dims[i]!).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}`;
  const role = powers[chosen] === 0 ? "unscaled" : powers[chosen] === 0.5 ? "scaled" : "own";
  const keys = keysAt(result, chosen);
  return [
    ...[1, 2, 4, 8].map(
      (tick) => svg`<line class="story-hair" x1=${left} x2=${width} y1=${y(tick)} y2=${y(tick)}></line>
        <text class="story-tick" x=${left - 6} y=${y(tick) + 4} text-anchor="end">${tick}</text>`,
    ),
    ...dims.map(
      (d) => svg`<text class="story-tick" x=${x(d)} y=${bottom + 16} text-anchor="middle">${d}</text>`,
    ),
    svg`<text class="story-tick" x=${width} y=${height - 4} text-anchor="end">${say("x")}</text>
      <text class="story-tick" x="0" y="9">${say("y")}</text>`,
    ...powers.map((_, index) => svg`<path class="story-ghost" d=${path(keysAt(result, index))}></path>`),
    svg`<g class="role-${role}">
      <path class="story-line" d=${path(keys)}></path>
      ${keys.map((value, i) => svg`<circle class="story-dot" cx=${x(dims[i]!)} cy=${y(value)} r="3.5"></circle>`)}
    </g>`,
  ];
}
