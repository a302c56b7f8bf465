// The plane of d and n: the largest weight, undivided and divided by the root of d, and the curve d = 2 ln n.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../../bindings/api/types.ts";
import { formatDecimals, formatNumber } from "../../charts/format.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";
import { radios } from "../radios.ts";
import { sideBySide, type Picture } from "../side_by_side.ts";

const maxD = 8; // a power of 2
const maxN = 6; // a power of 4, from 1
const dims = Array.from({ length: maxD + 1 }, (_, power) => 2 ** power);
const keyCounts = Array.from({ length: maxN }, (_, i) => 4 ** (i + 1));
const [width, height] = [360, 232];
const cell = { width: 35, height: 29 };
const corner = { x: 42, y: 18 }; // of the plane, at its top left

export const figure: StoryFigure = {
  experiment: "number_of_keys",
  start: { divided: "no", d_power: "6", n_power: "3" },
  // One run holds both planes: a reader only points.
  params: () => ({
    d: dims.join(),
    n_keys: keyCounts.join(),
    scale: "none,1/sqrt(d)",
    measure: "softmax_max",
    trials: "200",
  }),
  view,
  paper: {
    sets: ["no", "yes"].map((divided) => ({ divided, d_power: "6", n_power: "3" })),
    view: (scenes) => sideBySide(scenes.map(picture)),
  },
};

/** By rows, of the fewest keys first, and columns. */
function planeOf({ scalars }: RunResult, divided: boolean): number[][] {
  const scale = divided ? "1/sqrt(d)" : "none";
  const largest = new Map(
    scalars
      .filter(({ name, at }) => name === "softmax_max" && at["scale"] === scale)
      .map(({ at, value }) => [`${at["n_keys"]} ${at["d"]}`, value ?? Number.NaN]),
  );
  return keyCounts.map((n) => dims.map((d) => largest.get(`${n} ${d}`) ?? Number.NaN));
}

/** In cells from the plane's left and top. */
const column = (d: number): number => Math.log2(d) + 0.5;
const row = (n: number): number => maxN - Math.log2(n) / 2 + 0.5;

/** The powers that are pointed at: positions in cells. */
export function pointedAt(across: number, down: number): { d_power: string; n_power: string } {
  const within = (value: number, least: number, most: number): string =>
    String(Math.min(most, Math.max(least, value)));
  return {
    d_power: within(Math.floor(across), 0, maxD),
    n_power: within(maxN - Math.floor(down), 1, maxN),
  };
}

/** What is drawn and what is said of it. */
function picture({ set, result, say }: Scene): Picture {
  const divided = set["divided"] === "yes";
  const plane = planeOf(result, divided);
  const [dPower, nPower] = [Number(set["d_power"]), Number(set["n_power"])];
  const [d, n] = [2 ** dPower, 4 ** nPower];
  const values = {
    ...{ d: String(d), n: String(n), critical: formatDecimals(2 * Math.log(n), 1) },
    ...{ max: formatNumber(plane[nPower - 1]?.[dPower], 2), even: formatNumber(1 / n, 2) },
  };
  const meant = divided ? "caption_divided" : d < 2 * Math.log(n) ? "caption_left" : "caption_right";
  const drawing = [
    ...shadesDrawing(plane),
    ...(divided ? [] : [curveDrawing(say)]),
    ...numbersDrawing(plane),
    ...axesDrawing(dPower, nPower, say),
  ];
  return { viewBox: `0 0 ${width} ${height}`, drawing, said: say(meant, values) };
}

function view(scene: Scene): TemplateResult {
  const { set, say, change } = scene;
  const [d, n] = [2 ** Number(set["d_power"]), 4 ** Number(set["n_power"])];
  const shown = picture(scene);
  const point = (event: PointerEvent): void => {
    const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
    const unit = width / box.width;
    const across = ((event.clientX - box.left) * unit - corner.x) / cell.width;
    change(pointedAt(across, ((event.clientY - box.top) * unit - corner.y) / cell.height));
  };
  const press = (event: PointerEvent): void => {
    (event.currentTarget as SVGSVGElement).setPointerCapture(event.pointerId);
    point(event);
  };
  const drag = (event: PointerEvent): void => {
    if ((event.currentTarget as SVGSVGElement).hasPointerCapture(event.pointerId)) point(event);
  };
  const slider = (name: "d_power" | "n_power", least: number, most: number, value: number): TemplateResult =>
    html`<div class="story-pair">
      <label for="keys-${name}">${say(name)} <b class="story-number">${value}</b></label>
      <input
        id="keys-${name}"
        type="range"
        name=${name}
        min=${least}
        max=${most}
        step="1"
        aria-valuetext=${String(value)}
        value=${figure.start[name]!}
        ${keep({ value: set[name] ?? "" })}
        @input=${(event: Event) => change({ [name]: (event.target as HTMLInputElement).value })}
      />
    </div>`;
  return html`<figure class="story-figure">
    <div class="story-controls">${radios(scene, figure, "divided", ["no", "yes"])}</div>
    <svg
      class="story-drawing story-plane"
      viewBox=${shown.viewBox}
      role="img"
      aria-labelledby="keys-caption"
      @pointerdown=${press}
      @pointermove=${drag}
    >
      ${shown.drawing}
    </svg>
    <div class="story-controls">${slider("d_power", 0, maxD, d)} ${slider("n_power", 1, maxN, n)}</div>
    <figcaption class="story-caption" id="keys-caption">${shown.said}</figcaption>
  </figure>`;
}

/** A cell's left and top. */
const x = (power: number): number => corner.x + power * cell.width;
const y = (power: number): number => corner.y + (maxN - power) * cell.height;

/** Each weight with its cell's left and top. */
function cellsOf<T>(
  plane: readonly (readonly number[])[],
  draw: (weight: number, left: number, top: number) => T,
): T[] {
  return plane.flatMap((weights, i) => weights.map((weight, power) => draw(weight, x(power), y(i + 1))));
}

function shadesDrawing(plane: readonly (readonly number[])[]): SVGTemplateResult[] {
  return cellsOf(
    plane,
    (weight, left, top) => svg`<rect class="heat-positive" x=${left} y=${top} width=${cell.width - 1}
      height=${cell.height - 1} fill-opacity=${shade(weight).toFixed(3)}></rect>`,
  );
}

const shade = (weight: number): number => 0.04 + 0.96 * weight;

function numbersDrawing(plane: readonly (readonly number[])[]): SVGTemplateResult[] {
  return cellsOf(
    plane,
    (weight, left, top) => svg`<text class="story-share ${cellText(weight)}" x=${left + 17}
      y=${top + 18} text-anchor="middle" stroke=${ground(weight)}>${weightText(weight)}</text>`,
  );
}

/** What stands out from a cell's shade by 4.5 in either theme: for a few shades, black in both. */
const cellText = (weight: number): string =>
  weight > 0.69 ? "story-share-on" : weight > 0.665 ? "story-share-mid" : "story-share-off";

/** The colour of a cell, as a halo that keeps the number clear of the curve. */
const ground = (weight: number): string =>
  `color-mix(in srgb, var(--heat) ${(100 * shade(weight)).toFixed(1)}%, var(--paper))`;

function axesDrawing(dPower: number, nPower: number, say: Scene["say"]): SVGTemplateResult[] {
  const bottom = y(0);
  return [
    svg`<rect class="story-chosen" x=${x(dPower) - 1} y=${y(nPower) - 1} width=${cell.width + 1} height=${cell.height + 1}></rect>`,
    ...dims.map(
      (d, i) =>
        svg`<text class="story-tick" x=${x(i) + 17} y=${bottom + 16} text-anchor="middle">${d}</text>`,
    ),
    ...keyCounts.map(
      (n, i) =>
        svg`<text class="story-tick" x=${corner.x - 5} y=${y(i + 1) + 18} text-anchor="end">${n}</text>`,
    ),
    svg`<text class="story-tick" x="0" y="11">${say("y")}</text>
      <text class="story-tick" x=${width} y=${height - 4} text-anchor="end">${say("x")}</text>`,
  ];
}

/** As short as it fits a cell. */
function weightText(weight: number): string {
  return weight < 0.005 ? "0" : weight.toFixed(2).replace(/^0/, "");
}

function curveDrawing(say: Scene["say"]): SVGTemplateResult {
  const points = Array.from({ length: 41 }, (_, i) => {
    const n = 4 ** (1 + ((maxN - 1) * i) / 40);
    const x = corner.x + column(2 * Math.log(n)) * cell.width;
    return `${x.toFixed(1)} ${(corner.y + row(n) * cell.height).toFixed(1)}`;
  });
  const top = corner.x + column(2 * Math.log(4 ** maxN)) * cell.width;
  return svg`<path class="story-halo" d="M${points.join("L")}"></path>
    <path class="story-line" d="M${points.join("L")}"></path>
    <text class="story-mark" x=${top} y="11" text-anchor="middle">${say("curve")}</text>`;
}
