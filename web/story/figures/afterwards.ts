// A small model that has learned to sort, or to tell a rhyme, run with another scale than it was trained with. Its d
// is 16, so that the scale is a power of two: 4 times as much takes it away, a quarter brings it.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../../bindings/api/types.ts";
import { linear } from "../../charts/scale.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";
import { radios } from "../radios.ts";

const maxPower = 4;
const powers = Array.from({ length: 2 * maxPower + 1 }, (_, i) => i - maxPower);
const dK = 16;
type Model = "with" | "without" | "speaks";
/** How each is trained. */
const models: Readonly<Record<Model, Readonly<Record<string, string>>>> = {
  with: { trained_with: "1/sqrt(d)" },
  without: { trained_with: "none" },
  speaks: { trained_with: "1/sqrt(d)", task: "characters", length: "40", learning_rate: "0.012" },
};
const [width, height] = [360, 252];
const plot = { left: 40, right: width - 10, top: 26, bottom: 150 };

export const figure: StoryFigure = {
  experiment: "trained_without",
  start: { trained: "with", power: "0", model: "0" },
  // One run trains a model and asks it with all factors: the slider only chooses.
  params: ({ trained, model }) => ({
    d_k: String(dK),
    ...models[trained === "without" || trained === "speaks" ? trained : "with"],
    scale: powers.map((power) => 2 ** power / (trained === "without" ? 1 : Math.sqrt(dK))).join(),
    seed: model ?? "0",
  }),
  view,
};

/** By power: the share of right digits. */
function accuracies({ figures }: RunResult): number[] {
  const found = figures.find(({ name }) => name === "accuracy_over_factor");
  return (found?.series[0]?.y ?? []).map(Number);
}

interface Answer {
  asked: string[];
  answered: string[];
}

/** What it makes of the example. The line of its own scale stands first, the others in the order of their scales. */
export function answerAt({ lines }: RunResult, power: number): Answer {
  const line = power === 0 ? 0 : power + maxPower + (power < 0 ? 1 : 0);
  const [asked = "", answered = ""] = (lines[line] ?? "").replace(/^.*: /, "").split(" -> ");
  return { asked: asked.split(" "), answered: answered.split(" ") };
}

const factorText = (power: number): string => (power < 0 ? `1/${2 ** -power}` : String(2 ** power));
const percent = (share: number, decimals = 0): string => `${(100 * share).toFixed(decimals)}%`;

function view(scene: Scene): TemplateResult {
  const { set, result, say, change } = scene;
  const power = Number(set["power"]);
  // Until the other model has been trained, this one is shown.
  const { task, trained_with } = result.params;
  const trained = task === "characters" ? "speaks" : trained_with === "none" ? "without" : "with";
  const speaks = trained === "speaks";
  const all = accuracies(result);
  const { asked, answered } = answerAt(result, power);
  const space = speaks ? " " : "\u00a0"; // digits stay in one row
  const words = [asked, answered].map((tokens) => tokens.join(space)) as [string, string];
  const told = {
    ...{ factor: factorText(power), right: percent(all[power + maxPower] ?? 0, 1) },
    ...{ asked: words[0], answered: words[1] },
  };
  const changes = trained === "without" ? "changed_without" : "changed_with";
  const meant = power === 0 ? "own" : power === changed(trained) ? changes : "turned";
  return html`<figure class="story-figure">
    <div class="story-controls">
      ${radios(scene, figure, "trained", Object.keys(models))}
      <button
        type="button"
        class="button"
        @click=${() => change({ model: String((Number(set["model"]) + 1) % 1000) })}
      >
        ${say("another")}
      </button>
    </div>
    <svg
      class="story-drawing"
      viewBox="0 0 ${width} ${height}"
      role="img"
      aria-labelledby="afterwards-caption"
    >
      <g class=${trained === "without" ? "role-unscaled" : "role-scaled"}>
        ${curveDrawing(all, power, changed(trained), say(trained === "without" ? "mark_without" : "mark_with"))}
      </g>
      <text class="story-tick" x="0" y="11">${say(speaks ? "y_speaks" : "y")}</text>
      <text class="story-tick" x=${width} y=${plot.bottom + 34} text-anchor="end">${say("x")}</text>
      ${
        speaks
          ? svg`<text class="story-tick" x="0" y="214">${say("answered")}</text>
              <text class="story-speech" x="0" y="240">${words.join("")}</text>`
          : [
              digitsDrawing(say("asked"), asked, asked, 214),
              digitsDrawing(say("answered"), answered, asked.toSorted(), 244),
            ]
      }
    </svg>
    <div class="story-controls">
      <label for="afterwards-power">${say("power")} <b class="story-number">${factorText(power)}</b></label>
      <input
        id="afterwards-power"
        type="range"
        name="power"
        min=${-maxPower}
        max=${maxPower}
        step="1"
        aria-valuetext=${factorText(power)}
        value=${figure.start["power"]!}
        ${keep({ value: set["power"] ?? "" })}
        @input=${(event: Event) => change({ power: (event.target as HTMLInputElement).value })}
      />
    </div>
    <figcaption class="story-caption" id="afterwards-caption">
      ${say(speaks ? "caption_speaks" : "caption", { ...told, at: say(meant, told) })}
    </figcaption>
  </figure>`;
}

/** The power that takes a model's scale away, or brings one. */
function changed(trained: Model): number {
  const power = Math.log2(Math.sqrt(dK));
  return trained === "without" ? -power : power;
}

function curveDrawing(
  all: readonly number[],
  chosen: number,
  marked: number,
  mark: string,
): SVGTemplateResult[] {
  const { left, right, top, bottom } = plot;
  const x = linear([-maxPower, maxPower], [left + 10, right - 10]);
  const least = Math.min(0.5, Math.floor(4 * Math.min(...all)) / 4);
  const y = linear([least, 1], [bottom, top]);
  const away = Math.sign(marked); // from the curve, which is high between the mark and 1
  const points = all.map((share, i) => `${x(powers[i]!).toFixed(1)} ${y(share).toFixed(1)}`);
  return [
    ...[0, 0.25, 0.5, 0.75, 1]
      .filter((tick) => tick >= least)
      .map(
        (tick) => svg`<line class="story-hair" x1=${left} x2=${width} y1=${y(tick)} y2=${y(tick)}></line>
        <text class="story-tick" x=${left - 4} y=${y(tick) + 4} text-anchor="end">${percent(tick)}</text>`,
      ),
    ...powers.map(
      (power) =>
        svg`<text class="story-tick" x=${x(power)} y=${bottom + 17} text-anchor="middle">${factorText(power)}</text>`,
    ),
    svg`<line class="story-needle" stroke-dasharray="2 3" x1=${x(marked)} x2=${x(marked)} y1=${top} y2=${bottom}></line>
      <text class="story-lane" x=${x(marked) + 5 * away} y=${top + 13} text-anchor=${away > 0 ? "start" : "end"}>${mark}</text>
      <path class="story-line" d="M${points.join("L")}"></path>`,
    ...all.map((share, i) =>
      powers[i] === chosen
        ? svg`<circle class="story-coin story-coin-last" cx=${x(chosen)} cy=${y(share)} r="7"></circle>`
        : svg`<circle class="story-dot" cx=${x(powers[i]!)} cy=${y(share)} r="3"></circle>`,
    ),
  ];
}

/** What is wrong is crossed out. */
function digitsDrawing(
  label: string,
  digits: readonly string[],
  right: readonly string[],
  y: number,
): SVGTemplateResult[] {
  const x = (i: number): number => 150 + i * 32;
  return [
    svg`<text class="story-tick" x="0" y=${y}>${label}</text>`,
    ...digits.map((digit, i) =>
      digit === right[i]
        ? svg`<text class="story-digit" x=${x(i)} y=${y} text-anchor="middle">${digit}</text>`
        : svg`<g class="story-wrong">
            <text class="story-digit" x=${x(i)} y=${y} text-anchor="middle">${digit}</text>
            <path d="M${x(i) - 9} ${y + 1}l18 -13"></path>
          </g>`,
    ),
  ];
}
