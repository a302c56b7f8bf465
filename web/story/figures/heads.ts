// 512 numbers cut into heads: how far the scores of one head spread, divided by the root of its own numbers and
// of all 512.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../../bindings/api/types.ts";
import { formatNumber } from "../../charts/format.ts";
import { linear } from "../../charts/scale.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";

const dModel = 512;
const maxCuts = 5; // each halves the heads' dimension
const width = 360;
const [rows, columns, cell] = [8, 64, 4.75];
const curves = { top: 84, bottom: 196 };
const height = 232;
const lanes = [
  { scale: "1/sqrt(d_k)", word: "own", role: "scaled" },
  { scale: "1/sqrt(d_model)", word: "whole", role: "unscaled" },
] as const;

export const figure: StoryFigure = {
  experiment: "per_head_scale",
  start: { cuts: "3" },
  // One run holds all numbers of heads: the slider only chooses.
  params: () => ({ d_model: String(dModel), n_heads: counts().join(), n_keys: "8", trials: "400" }),
  view,
};

function counts(): number[] {
  return Array.from({ length: maxCuts + 1 }, (_, cuts) => 2 ** cuts);
}

function valueOf({ scalars }: RunResult, name: string, heads: number, scale: string): number {
  const found = scalars.find(
    (each) => each.name === name && each.at["n_heads"] === String(heads) && each.at["scale"] === scale,
  );
  return found?.value ?? Number.NaN;
}

function view({ set, result, say, change }: Scene): TemplateResult {
  const heads = counts()[Number(set["cuts"])] ?? 1;
  const told = lanes.flatMap(({ scale, word }): [string, string][] => [
    [`sd_${word}`, formatNumber(valueOf(result, "score_sd", heads, scale), 2)],
    [`max_${word}`, formatNumber(valueOf(result, "softmax_max", heads, scale), 2)],
  ]);
  const values = { heads: String(heads), d: String(dModel / heads), ...Object.fromEntries(told) };
  return html`<figure class="story-figure">
    <div class="story-controls">
      <label for="heads-count">${say("heads")} <b class="story-number">${heads}</b></label>
      <input
        id="heads-count"
        type="range"
        name="cuts"
        min="0"
        max=${maxCuts}
        step="1"
        aria-valuetext=${String(heads)}
        value=${figure.start["cuts"]!}
        ${keep({ value: set["cuts"] ?? "" })}
        @input=${(event: Event) => change({ cuts: (event.target as HTMLInputElement).value })}
      />
    </div>
    <svg class="story-drawing" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="heads-caption">
      ${numbersDrawing(heads, say)} ${spreadDrawing(result, heads, say)}
    </svg>
    <figcaption class="story-caption" id="heads-caption">
      ${say(heads === 1 ? "caption_one" : "caption", values)}
    </figcaption>
  </figure>`;
}

/** All numbers of a token, each a cell; the first head in colour, cuts between the heads. */
function numbersDrawing(heads: number, say: Scene["say"]): SVGTemplateResult[] {
  const gap = heads === 1 ? 0 : Math.min(6, (width - columns * cell) / (heads - 1));
  const each = columns / heads;
  const step = each * cell + gap;
  const cells = (): string =>
    Array.from({ length: rows * each }, (_, i) => {
      const [row, column] = [Math.floor(i / each), i % each];
      return `M${(column * cell).toFixed(2)} ${(row * cell).toFixed(2)}h3.9v3.9h-3.9Z`;
    }).join("");
  const path = cells();
  return [
    svg`<text class="story-tick" x="0" y="11">${say("cells", { d: String(dModel / heads) })}</text>`,
    ...Array.from(
      { length: heads },
      (_, head) => svg`<path
        class=${head === 0 ? "story-cell story-cell-first" : "story-cell"}
        transform="translate(${(head * step).toFixed(2)} 20)"
        d=${path}
      ></path>`,
    ),
  ];
}

/** Bells as wide as the scores' standard deviation. */
function spreadDrawing(result: RunResult, heads: number, say: Scene["say"]): SVGTemplateResult[] {
  const x = linear([-3, 3], [8, width - 8]);
  const { top, bottom } = curves;
  const bell = (sd: number): string =>
    `M${Array.from({ length: 121 }, (_, i) => {
      const score = -3 + i / 20;
      const y = bottom - (bottom - top - 24) * Math.exp((-score * score) / (2 * sd * sd));
      return `${x(score).toFixed(1)} ${y.toFixed(1)}`;
    }).join("L")}`;
  return [
    svg`<line class="story-hair" x1="8" x2=${width - 8} y1=${bottom} y2=${bottom}></line>`,
    ...[-2, -1, 0, 1, 2].map(
      (tick) =>
        svg`<text class="story-tick" x=${x(tick)} y=${bottom + 16} text-anchor="middle">${formatNumber(tick)}</text>`,
    ),
    svg`<text class="story-tick" x=${width} y=${height - 4} text-anchor="end">${say("score")}</text>`,
    ...lanes.map(
      ({ scale, word, role }, lane) => svg`<g class="role-${role}">
        <path class="story-line ${lane ? "story-dashed" : ""}" d=${bell(valueOf(result, "score_sd", heads, scale))}></path>
        <path class="story-line ${lane ? "story-dashed" : ""}" d="M${lane * 180} 75h22"></path>
        <text class="story-lane" x=${lane * 180 + 28} y="79">${say(word)}</text>
      </g>`,
    ),
  ];
}
