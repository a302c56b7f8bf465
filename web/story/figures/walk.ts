// A dot product as a walk: product after product, then twenty walks and a thousand at once between ±√t.
import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult, Series } from "../../../bindings/api/types.ts";
import { formatDecimals, formatNumber } from "../../charts/format.ts";
import { linear, type Scale } from "../../charts/scale.ts";
import { radios } from "../radios.ts";
import { sideBySide, type Picture } from "../side_by_side.ts";
import type { Scene, Settings, StoryFigure } from "../figure.ts";

const width = 360;
const height = 230;
const left = 30;
const bottom = height - 32;

export const figure: StoryFigure = {
  experiment: "score_variance",
  start: { walks: "1", product: "normal", seed: "2" },
  params: ({ walks = "", product = "", seed = "" }) => ({
    ...{ d: walks === "1" ? "32" : "512", n_keys: "1", trials: "100", scale: "none" },
    ...{ walks, distribution: product, seed },
  }),
  steps: ({ walks }) => (walks === "1" ? 32 : 16),
  pace: 250,
  view,
  paper: {
    sets: [
      { walks: "1", product: "normal", seed: "2" },
      { walks: "1000", product: "rademacher", seed: "2" },
    ],
    view: (scenes) => sideBySide(scenes.map((scene) => picture(scene, 12))),
  },
};

export interface Walks {
  walks: readonly Series[];
  /** The middle of all walks, the wider one first. */
  bands: readonly Series[];
  /** One standard deviation on both sides. */
  theory: Series | undefined;
}

export function walksOf({ figures }: RunResult): Walks {
  const found = figures.find(({ name }) => name === "score_walks");
  const series = found && "series" in found ? found.series : [];
  return {
    walks: series.filter(({ name }) => name === "walk"),
    bands: series.filter(({ name }) => name.endsWith("%")),
    theory: series.find(({ name }) => name === "expected"),
  };
}

const numbers = (values: readonly (number | null)[] | undefined): number[] =>
  (values ?? []).map((value) => value ?? 0);

/** What is drawn, so many of the walks, and what is said of them. */
function picture({ result, step, say }: Scene, most = Infinity): Picture {
  const { walks, bands, theory } = walksOf(result);
  const points = theory?.x.length ?? 1;
  // What is drawn is what has been computed, even where the reader has just asked for something else.
  const count = String(result.params["walks"]);
  const last = figure.steps?.({ walks: count }) ?? 1;
  const upTo = Math.round((Math.min(step, last) / last) * (points - 1));
  const terms = numbers(theory?.x)[upTo] ?? 0;
  const end = (values: Series["y"] | undefined): string => formatDecimals(numbers(values)[upTo], 1);
  const said = {
    terms: String(terms),
    root: formatDecimals(Math.sqrt(terms), 1),
    sum: end(walks[0]?.y),
    last: productText(numbers(walks[0]?.y), upTo),
    low: end(bands[1]?.low),
    high: end(bands[1]?.high),
    ...range(walks, upTo),
  };
  const drawn = drawing({ walks: walks.slice(0, most), bands, theory }, upTo, say);
  return { viewBox: `0 0 ${width} ${height}`, drawing: drawn, said: say(`caption_${count}`, said) };
}

function view(scene: Scene): TemplateResult {
  const { result, playing, say, change, play, next } = scene;
  const shown = picture(scene);
  const seed = String(BigInt.asUintN(64, BigInt(result.params["seed"] ?? "0") + 1n));
  const button = (name: string, act: () => void): TemplateResult =>
    html`<button type="button" class="button" id="walk-${name}" @click=${act}>${say(name)}</button>`;
  return html`<figure class="story-figure">
    <div class="story-controls">
      ${radios(scene, figure, "walks", ["1", "20", "1000"])}
      ${radios(scene, figure, "product", ["normal", "rademacher"])}
    </div>
    <div class="story-controls walk-buttons">
      ${button(playing ? "playing" : "play", play)} ${button("one", next)}
      ${button("again", () => change({ seed }))}
    </div>
    <svg class="story-drawing" viewBox=${shown.viewBox} role="img" aria-labelledby="walk-caption">
      ${shown.drawing}
    </svg>
    <figcaption class="story-caption" id="walk-caption">${shown.said}</figcaption>
  </figure>`;
}

/** Where the farthest of the walks are. */
function range(walks: readonly Series[], at: number): Settings {
  const ends = walks.map(({ y }) => y[at] ?? 0);
  return { least: formatDecimals(Math.min(...ends), 1), most: formatDecimals(Math.max(...ends), 1) };
}

function drawing({ walks, bands, theory }: Walks, upTo: number, say: Scene["say"]): SVGTemplateResult[] {
  const at = numbers(theory?.x);
  const d = at.at(-1) ?? 1;
  const far = 3 * Math.sqrt(d);
  const right = walks.length === 1 ? width - 44 : width - 8; // room for the number beside the last step
  const x = linear([0, d], [left, right]);
  const y = linear([-far, far], [bottom, 12]);
  const path = (values: readonly number[], to = upTo): string =>
    `M${values
      .slice(0, to + 1)
      .map((value, i) => `${x(at[i]!).toFixed(1)} ${y(Math.max(-far, Math.min(far, value))).toFixed(1)}`)
      .join("L")}`;
  return [
    ...axes(x, y, d, say),
    ...bands.map((each) => svg`<path class="walk-band" d=${bandPath(each, at, upTo, x, y)}></path>`),
    ...walks.map(
      (each) =>
        svg`<path class=${walks.length === 1 ? "walk-only" : "walk-one"} d=${path(numbers(each.y))}></path>`,
    ),
    walks.length === 1 ? lastStep(numbers(walks[0]?.y), at, upTo, x, y) : svg`${nothing}`,
    ...[theory?.low, theory?.high].map(
      (side) => svg`<path class="walk-root" d=${path(numbers(side), at.length - 1)}></path>`,
    ),
    svg`<text class="walk-root-name" x=${x(d * 0.6)} y=${y(Math.sqrt(d * 0.6)) - 8}>√t</text>
      <text class="walk-root-name" x=${x(d * 0.6)} y=${y(-Math.sqrt(d * 0.6)) + 17}>−√t</text>`,
  ];
}

/** From the lower edge to the upper one, over the terms so far. */
function bandPath({ low, high }: Series, at: readonly number[], upTo: number, x: Scale, y: Scale): string {
  const point = (i: number, value: number): string => `${x(at[i]!).toFixed(1)} ${y(value).toFixed(1)}`;
  const there = numbers(high)
    .slice(0, upTo + 1)
    .map((value, i) => point(i, value));
  const back = numbers(low)
    .slice(0, upTo + 1)
    .map((value, i) => point(i, value));
  return `M${[...there, ...back.reverse()].join("L")}Z`;
}

function axes(x: Scale, y: Scale, d: number, say: Scene["say"]): SVGTemplateResult[] {
  const terms = [0, d / 4, d / 2, (3 * d) / 4, d];
  return [
    ...y.ticks(5).map(
      (tick) => svg`<line class="story-hair" x1=${left} x2=${x(d)} y1=${y(tick)} y2=${y(tick)}></line>
        <text class="story-tick" x=${left - 6} y=${y(tick) + 4} text-anchor="end">${formatNumber(tick)}</text>`,
    ),
    ...terms.map(
      (tick) =>
        svg`<text class="story-tick" x=${x(tick)} y=${bottom + 15} text-anchor="middle">${tick}</text>`,
    ),
    svg`<text class="story-tick" x=${x(d)} y=${height - 2} text-anchor="end">${say("x")}</text>
      <text class="story-tick" x="0" y="9">${say("y")}</text>`,
  ];
}

/** The product that has just been added, as an arrow with its number. */
function lastStep(
  sums: readonly number[],
  at: readonly number[],
  upTo: number,
  x: Scale,
  y: Scale,
): SVGTemplateResult {
  const [now = 0, before = 0] = [sums[upTo], sums[upTo - 1]];
  if (upTo === 0) return svg`<circle class="walk-end" cx=${x(0)} cy=${y(0)} r="4"></circle>`;
  const here = x(at[upTo]!);
  return svg`<line class="walk-step" x1=${here} x2=${here} y1=${y(before)} y2=${y(now)}></line>
    <circle class="walk-end" cx=${here} cy=${y(now)} r="4"></circle>
    <text class="walk-product" x=${here + 8} y=${y(now) + 4}>${productText(sums, upTo)}</text>`;
}

function productText(sums: readonly number[], upTo: number): string {
  if (upTo === 0) return formatNumber(null);
  const product = (sums[upTo] ?? 0) - (sums[upTo - 1] ?? 0);
  return `${product > 0 ? "+" : ""}${formatDecimals(product, 2)}`;
}
