// The lottery: gradients drawn one by one, with and without the scale. A coin's area is its gradient; the average
// and the middle one tell opposite stories.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult, Scalar } from "../../../bindings/api/types.ts";
import { formatNumber, formatTick } from "../../charts/format.ts";
import { linear } from "../../charts/scale.ts";
import type { Scene, StoryFigure } from "../figure.ts";
import { radios } from "../radios.ts";
import { drawnFrom } from "../tickets.ts";

const [width, height] = [360, 236];
const tickets = 40;
const trials = 1000;
const lanes = [
  { scale: "none", role: "unscaled", y: 66 },
  { scale: "1/sqrt(d)", role: "scaled", y: 164 },
] as const;
const axis = height - 24;

export const figure: StoryFigure = {
  experiment: "gradient_flow",
  start: { typical: "mean" },
  // One run holds all tickets, their mean and their median.
  params: () => ({ d: "512", n_keys: "8", scale: "none,1/sqrt(d)", steps: "0", trials: String(trials) }),
  steps: () => tickets,
  pace: 200,
  view,
};

function gradientOf({ scalars }: RunResult, scale: string): Scalar | undefined {
  return scalars.find(({ name, at }) => name === "grad_norm_wrt_q" && at["scale"] === scale);
}

function typicalOf(result: RunResult, scale: string, typical: string | undefined): number {
  const gradient = gradientOf(result, scale);
  return Number(typical === "median" ? gradient?.p50 : gradient?.value);
}

/** Powers of ten, a list for each lane. */
function drawn({ figures }: RunResult): number[][] {
  const found = figures.find(({ name }) => name === "gradient_histogram");
  return (found?.series ?? []).map((series) => drawnFrom(series, trials, tickets));
}

function view(scene: Scene): TemplateResult {
  const { set, result, step, say, play, next } = scene;
  const all = drawn(result);
  const numbers = lanes.map(({ scale }) => formatNumber(typicalOf(result, scale, set["typical"]), 2));
  const last = all.map((lane) => about(lane[step - 1], lowest(result)));
  const [without = "", with_ = ""] = numbers;
  const told = { without, with: with_, typical: say(set["typical"] ?? ""), n: String(step) };
  const drawing = { last_without: last[0] ?? "", last_with: last[1] ?? "" };
  return html`<figure class="story-figure">
    <div class="story-controls">
      <button type="button" class="button" @click=${next}>${say(step === tickets ? "again" : "draw")}</button>
      <button type="button" class="button" @click=${play}>${say("draw_all", { n: String(tickets) })}</button>
    </div>
    <svg class="story-drawing" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="suspects-caption">
      ${lotteryDrawing(scene, all)}
    </svg>
    <div class="story-controls">${radios(scene, figure, "typical", ["mean", "median"])}</div>
    <figcaption class="story-caption" id="suspects-caption">
      ${say("caption", { ...told, ticket: step > 0 ? say("ticket", { ...told, ...drawing }) : "" })}
    </figcaption>
  </figure>`;
}

/** Where the first bin ends, in which all is counted that is smaller yet. */
function lowest({ figures }: RunResult): number {
  return figures.find(({ name }) => name === "gradient_histogram")?.series[0]?.x[0] ?? 0;
}

function about(power: number | undefined, least: number): string {
  if (power === undefined) return "–";
  return power <= least ? `< ${formatTick(10 ** Math.ceil(least))}` : formatNumber(10 ** power, 1);
}

function lotteryDrawing({ set, result, step, say }: Scene, all: readonly number[][]): SVGTemplateResult[] {
  const least = Math.floor(lowest(result));
  const x = linear([least, 2], [12, width - 18]);
  const ticks = Array.from({ length: Math.floor((1 - least) / 3) + 1 }, (_, i) => 1 - 3 * i);
  return [
    ...ticks.map(
      (power) => svg`<line class="story-hair" x1=${x(power)} x2=${x(power)} y1="14" y2=${axis - 12}></line>
        <text class="story-tick" x=${x(power)} y=${axis + 4} text-anchor="middle">${formatTick(10 ** power)}</text>`,
    ),
    svg`<text class="story-tick" x=${width} y=${height - 2} text-anchor="end">${say("x")}</text>`,
    ...lanes.map(({ scale, role, y }, lane) => {
      const coins = (all[lane] ?? []).slice(0, step);
      const at = x(Math.log10(typicalOf(result, scale, set["typical"])));
      return svg`<g class="role-${role}">
        <text class="story-lane" x="12" y=${y - 44}>${say(role)}</text>
        ${coins.map((power, i) => coin(x(power), y, power, i, i === step - 1))}
        <path class="story-needle" d="M${at.toFixed(1)} ${y - 40}v80"></path>
        <path class="story-dot" d="M${at.toFixed(1)} ${y - 36}l-5 -9h10Z"></path>
      </g>`;
    }),
  ];
}

/** Beside its bin's centre, and above or below, so that it does not hide the others. */
function coin(x: number, y: number, power: number, index: number, isLast: boolean): SVGTemplateResult {
  const radius = Math.max(1.6, 6 * Math.sqrt(10 ** power));
  const spread = (share: number): number => ((index * share) % 1) - 0.5;
  return svg`<circle
    class=${isLast ? "story-coin story-coin-last" : "story-coin"}
    cx=${(x + 9 * spread(0.7549)).toFixed(1)}
    cy=${(y + 52 * spread(0.5698)).toFixed(1)}
    r=${radius.toFixed(1)}
  ></circle>`;
}
