// The factor as a token that moves: in the formula, in W_Q's initial values, or half of it in W_Q and half in W_K.
// One function before the first step; whether it is one training as well, the optimizer decides.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult, Series } from "../../../bindings/api/types.ts";
import { formatDecimals, formatNumber } from "../../charts/format.ts";
import { linear } from "../../charts/scale.ts";
import type { Scene, StoryFigure } from "../figure.ts";
import { radios } from "../radios.ts";
import { subscripts, svgSubscripts } from "../subscripts.ts";

const places = ["in_formula", "in_queries", "in_both"] as const;
/** With the learning rate that suits it. */
const optimizers = { sgd: "0.3", momentum: "0.1", adam: "0.001", adafactor: "0.01" } as const;
const steps = 30;
const [width, height] = [360, 262];
const plot = { left: 34, top: 98, bottom: height - 30 };
/** Where the token may lie: what stands there, and what a press on it means. */
const boxes = [
  { x: 0, word: "W_Q", place: "in_queries" },
  { x: 125, word: "W_K", place: "in_both" },
  { x: 250, word: "q · k", place: "in_formula" },
] as const;

export const figure: StoryFigure = {
  experiment: "scale_in_the_weights",
  start: { place: "in_queries", optimizer: "momentum" },
  // One run trains with all places: a reader's place only chooses.
  params: ({ optimizer = "" }) => {
    const known = isOptimizer(optimizer) ? optimizer : "momentum";
    const run = { d_k: "64", steps: String(steps), correction: "none" };
    return { optimizer: known, learning_rate: optimizers[known], ...run };
  },
  view,
};

function isOptimizer(text: string): text is keyof typeof optimizers {
  return text in optimizers;
}

function lossAt({ figures }: RunResult, place: string): Series | undefined {
  const found = figures.find(({ name }) => name === "loss_over_steps");
  return found?.series.find(({ name }) => name === place);
}

function scalarAt({ scalars }: RunResult, name: string, place: string): number {
  return scalars.find((each) => each.name === name && each.at["scale_place"] === place)?.value ?? Number.NaN;
}

/** What lies in a box while the factor is at `place`. */
export function tokenIn(box: string, place: string): string {
  if (place === "in_both") return box === "in_formula" ? "" : "÷ ∜d";
  return box === place ? "÷ √d" : "";
}

function view(scene: Scene): TemplateResult {
  const { set, result, say } = scene;
  const place = places.find((each) => each === set["place"]) ?? "in_formula";
  const optimizer = result.params["optimizer"] ?? "";
  const last = (of: string): string => formatDecimals(lossAt(result, of)?.y.at(-1), 2);
  const values = {
    ...{
      optimizer: say(optimizer),
      steps: String(steps),
      first: formatDecimals(lossAt(result, place)?.y[0], 2),
    },
    ...{ formula: last("in_formula"), moved: last(place) },
    ratio: formatNumber(scalarAt(result, "query_step_ratio", place), 2),
  };
  return html`<figure class="story-figure">
    <div class="story-controls">${radios(scene, figure, "place", places)}</div>
    <div class="story-controls">${radios(scene, figure, "optimizer", Object.keys(optimizers))}</div>
    <svg class="story-drawing" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="weights-caption">
      ${tokenDrawing(place, scene)} ${lossDrawing(result, place, say)}
    </svg>
    <figcaption class="story-caption" id="weights-caption">
      ${subscripts(say(place === "in_formula" ? "caption_formula" : "caption", values))}
    </figcaption>
  </figure>`;
}

function tokenDrawing(place: string, { change }: Scene): SVGTemplateResult[] {
  return boxes.map(({ x, word, place: box }) => {
    const token = tokenIn(box, place);
    return svg`<g class="story-box" @click=${() => change({ place: box })}>
      <rect x=${x + 0.5} y="0.5" width="109" height="56" rx="3"></rect>
      <text x=${x + 54} y="20" text-anchor="middle">${svgSubscripts(word)}</text>
      ${
        token &&
        svg`<rect class="story-token" x=${x + 24} y="28" width="60" height="22" rx="11"></rect>
          <text class="story-on-token" x=${x + 54} y="43" text-anchor="middle">${token}</text>`
      }
    </g>`;
  });
}

function lossDrawing(result: RunResult, place: string, say: Scene["say"]): SVGTemplateResult[] {
  const lines = places.map((each) => lossAt(result, each));
  const losses = lines.flatMap((line) => line?.y ?? []).map(Number);
  const { left, top, bottom } = plot;
  const x = linear([0, steps], [left + 6, width - 8]);
  const y = linear([Math.floor(Math.min(...losses)), Math.ceil(Math.max(...losses))], [bottom, top]);
  const path = (line: Series | undefined): string =>
    `M${(line?.y ?? []).map((loss, i) => `${x(Number(line?.x[i])).toFixed(1)} ${y(Number(loss)).toFixed(1)}`).join("L")}`;
  const key = (word: string, role: string, at: number, dashed: boolean): SVGTemplateResult =>
    svg`<g class=${role}><path class="story-line ${dashed ? "story-dashed" : ""}" d="M${at} 76h22"></path>
      <text class="story-lane" x=${at + 28} y="80">${word}</text></g>`;
  return [
    ...y.ticks(4).map(
      (tick) => svg`<line class="story-hair" x1=${left} x2=${width} y1=${y(tick)} y2=${y(tick)}></line>
        <text class="story-tick" x=${left - 5} y=${y(tick) + 4} text-anchor="end">${formatNumber(tick, 2)}</text>`,
    ),
    ...[0, 10, 20, 30].map(
      (tick) =>
        svg`<text class="story-tick" x=${x(tick)} y=${bottom + 16} text-anchor="middle">${tick}</text>`,
    ),
    svg`<text class="story-tick" x=${width} y=${height - 2} text-anchor="end">${say("x")}</text>`,
    svg`<g class="role-scaled"><path class="story-line" d=${path(lines[0])}></path></g>`,
    key(say("loss_formula"), "role-scaled", 0, false),
    ...(place === "in_formula"
      ? []
      : [
          svg`<g class="role-other"><path class="story-line story-dashed" d=${path(lossAt(result, place))}></path></g>`,
          key(say("loss_moved"), "role-other", 180, true),
        ]),
  ];
}
