// What all charts share: size, margins, axes, marks of a role. A chart is a small multiple with a view box
// of one size, drawn between 300 and 460 px wide, so that its text stays readable without measuring.
import { svg, type SVGTemplateResult } from "lit/html.js";
import type { Figure, Labels, Role, Series } from "../../bindings/api/types.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";
import type { ChartContext } from "./context.ts";
import { formatTick, textWidth } from "./format.ts";

export const width = 340;
export const height = 226;
export const textSize = 12;

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Positions in the charts' pixels, short in the markup. */
export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

export function finite(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** d = 32, n = 8 */
export function atText(at: Labels, vocabulary: Vocabulary): string {
  const items = Object.entries(at).map(([name, value]) =>
    ui(vocabulary, "at_item", { name: word(vocabulary, "symbols", name), value: choice(value, vocabulary) }),
  );
  return items.join(ui(vocabulary, "list_separator"));
}

/** `atText` in brackets, inside a sentence. */
export function atWords({ at }: Figure, vocabulary: Vocabulary): string {
  const items = atText(at, vocabulary);
  return items && ui(vocabulary, "summary_at", { items });
}

/** Text values of parameters, each item of a list in its own word: none,1/sqrt(d) → none, 1/√d. */
export function choice(value: string, vocabulary: Vocabulary): string {
  const items = value.split(",").map((item) => word(vocabulary, "choices", item));
  return items.join(ui(vocabulary, "list_separator"));
}

/** A series is named after a meaning (scaled, measured) or after a scale (1/sqrt(d)). */
export function seriesName(series: Series, vocabulary: Vocabulary): string {
  const name = word(vocabulary, "series", series.name);
  return name === series.name ? word(vocabulary, "choices", series.name) : name;
}

export function figureName(figure: Figure, vocabulary: Vocabulary): string {
  return word(vocabulary, "figures", figure.name);
}

const narrowest = 0.36; // letter, of its size

/** As much of `name` as there is room for. */
export function shortened(name: string, pixels: number): string {
  const most = Math.ceil(pixels / (narrowest * textSize)); // of a whole book, too
  const letters = [...name.slice(0, 2 * most)];
  if (name.length <= 2 * most && textWidth(name, textSize) <= pixels) return name;
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, textSize) > pixels) letters.pop();
  return `${letters.join("")}…`;
}

/** The line above the chart, and what the y axis shows, unless that says the same. */
export function heading(figure: Figure, { vocabulary, named }: ChartContext): SVGTemplateResult {
  const y = word(vocabulary, "axes", figure.y);
  const [at, name] = [atText(figure.at, vocabulary), figureName(figure, vocabulary)];
  const title = at && !named ? at : name;
  const says = title.toLowerCase().includes(y.toLowerCase());
  const labels = [named ? at : "", says ? "" : y].filter(Boolean);
  const whole = labels.join(" · ");
  const label = textWidth(whole, 1.1 * textSize) <= width ? whole : labels[0];
  return svg`<text class="chart-title" x="0" y="13">${title}</text>
    ${!label ? null : svg`<text class="chart-label" x="0" y="29">${label}</text>`}`;
}

export function yAxis(ticks: readonly number[], at: (value: number) => number, box: Box): SVGTemplateResult {
  const names = yTickNames(ticks);
  return svg`<g class="chart-axis">${ticks.map(
    (
      tick,
      i,
    ) => svg`<line class="chart-grid" x1=${box.left} x2=${box.right} y1=${px(at(tick))} y2=${px(at(tick))}></line>
      <text x=${box.left - 6} y=${px(at(tick) + 4)} text-anchor="end">${names[i]}</text>`,
  )}</g>`;
}

/** Powers of two between 0 and 1 have many digits; where one tick is written as a power of ten, so are 10000 and 0.001. */
export function yTickNames(ticks: readonly number[]): string[] {
  const names = ticks.map((tick) => formatTick(Math.abs(tick) < 1 ? Number(tick.toPrecision(3)) : tick));
  if (!names.some((name) => name.startsWith("10") && !/^\d+$/.test(name))) return names;
  return names.map((name) => ({ "10000": "10⁴", "0.001": "10⁻³" })[name] ?? name);
}

/** Ticks that would touch their neighbour are left out, except the last. */
export function xAxis(
  ticks: readonly number[],
  at: (value: number) => number,
  box: Box,
  label: string,
): SVGTemplateResult {
  return svg`<g class="chart-axis">
    <line class="chart-base" x1=${box.left} x2=${box.right} y1=${box.bottom} y2=${box.bottom}></line>
    ${spaced(ticks, at).map(
      (
        tick,
      ) => svg`<line class="chart-base" x1=${px(at(tick))} x2=${px(at(tick))} y1=${box.bottom} y2=${box.bottom + 4}></line>
      <text x=${px(within(at(tick), formatTick(tick), width))} y=${box.bottom + 17} text-anchor="middle">${formatTick(tick)}</text>`,
    )}
    <text class="chart-label" x=${(box.left + box.right) / 2} y=${box.bottom + 33} text-anchor="middle">${label}</text>
  </g>`;
}

/** Where the middle of a text stands that ends before `right`. */
export function within(middle: number, text: string, right: number): number {
  return Math.min(middle, right - 0.55 * textWidth(text, textSize));
}

function spaced(ticks: readonly number[], at: (value: number) => number): number[] {
  const kept: number[] = [];
  for (const tick of [...ticks].reverse()) {
    const next = kept[0];
    const room = (formatTick(tick).length + formatTick(next ?? 0).length) * 3.4 + 8;
    if (next === undefined || at(next) - at(tick) >= room) kept.unshift(tick);
  }
  return kept;
}

const markers = {
  circle: "M3.5 0a3.5 3.5 0 1 1-7 0a3.5 3.5 0 1 1 7 0Z",
  square: "M-3.2-3.2h6.4v6.4h-6.4Z",
  triangle: "M0-4.6L4 2.3H-4Z",
  diamond: "M0-5L3.4 0L0 5L-3.4 0Z",
  inverted: "M0 4.6L4-2.3H-4Z",
  flag: "M-3.4-3.4L3.4 3.4V-3.4L-3.4 3.4Z",
};
const otherStyles = [
  { dash: "9 3 2 3", marker: markers.triangle },
  { dash: "4 2", marker: markers.diamond },
  { dash: "12 3", marker: markers.inverted },
  { dash: "2 2 6 2", marker: markers.flag },
];

/** Dash and marker: the second channel beside the colour of `role`. `other` counts the other series before it. */
export function lineStyle(role: Role, other: number): { dash: string; marker: string | null } {
  if (role === "reference") return { dash: "", marker: null };
  if (role === "scaled") return { dash: "", marker: markers.circle };
  if (role === "unscaled") return { dash: "7 4", marker: markers.square };
  return otherStyles[other % otherStyles.length]!;
}

/** Pattern of unscaled areas: colour alone never tells the two apart. */
export function hatch(id: string): SVGTemplateResult {
  return svg`<defs><pattern id="${id}-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect class="hatch-ground" width="5" height="5"></rect><rect class="hatch-line" width="2" height="5"></rect>
  </pattern></defs>`;
}

/** Areas of a role: solid, or hatched where unscaled. */
export function areaFill(role: Role, id: string): string | null {
  return role === "unscaled" ? `url(#${id}-hatch)` : null;
}
