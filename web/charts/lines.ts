// Lines over d (or another quantity): colour, dash and marker per series, bars of ± 2 standard errors or bands,
// names at the ends of the lines instead of a legend.
import { svg, type SVGTemplateResult } from "lit/html.js";
import type { Figure, Series } from "../../bindings/api/types.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";
import { brokenLine } from "./broken.ts";
import type { ChartContext } from "./context.ts";
import { formatNumber, formatTogether, textWidth } from "./format.ts";
import type { ChartKind } from "./kind.ts";
import {
  finite,
  heading,
  height,
  lineStyle,
  px,
  seriesName,
  shortened,
  textSize,
  width,
  xAxis,
  yAxis,
  yTickNames,
} from "./layout.ts";
import type { Box } from "./layout.ts";
import { scaleOver, type Scale } from "./scale.ts";
import { ends, seriesCsv, seriesSummary, seriesTables } from "./series.ts";

const longestName = 108; // pixels
const manyPoints = 30; // beyond, not every one has its marker

interface Point {
  x: number;
  y: number;
  low: number;
  high: number;
}

interface Line {
  points: Point[];
  banded: boolean; // from low to high; else a bar at each point
}

function line(series: Series, figure: Figure): Line {
  const banded = (series.low?.length ?? 0) > 0;
  const points = series.x.flatMap((x, index): Point[] => {
    const y = series.y[index];
    if (!finite(x) || !finite(y) || (figure.log_x && x <= 0) || (figure.log_y && y <= 0)) return [];
    const error = 2 * (series.y_se?.[index] ?? 0);
    const [low, high] = banded
      ? [series.low?.[index] ?? y, series.high?.[index] ?? y]
      : [y - error, y + error];
    const least = figure.log_y ? y / 10 : y >= 0 ? 0 : Number.NEGATIVE_INFINITY; // no bar into what cannot be
    return [{ x, y, low: banded && !figure.log_y ? low : Math.max(low, least), high }];
  });
  return { points, banded };
}

export const lines: ChartKind = {
  draw: (figure, context) => ({ width, height, marks: drawAll(figure, context) }),
  summary: (figure, vocabulary) =>
    seriesSummary("summary_lines", figure, figure.series, endWords, vocabulary),
  notes: ({ series }) => [
    ...(series.some(({ y_se }) => y_se?.length) ? (["error_bars"] as const) : []),
    ...(series.some(({ low }) => low?.length) ? (["bands"] as const) : []),
  ],
  table: seriesTables,
  csv: seriesCsv,
};

function endWords(series: Series, figure: Figure, vocabulary: Vocabulary): string {
  const name = seriesName(series, vocabulary);
  const of = 2 * figure.series.indexOf(series);
  const [from = "–", to = "–"] = formatTogether(figure.series.flatMap(endsOf), 3).slice(of, of + 2);
  const words = { series: name, ...ends(series, figure, vocabulary), from, to };
  const item =
    from === to
      ? ui(vocabulary, "summary_item", { series: name, value: from })
      : ui(vocabulary, "summary_lines_item", words);
  const gaps = figure.x === "step" ? [] : series.x.filter((_, index) => series.y[index] === null);
  if (gaps.length === 0) return item;
  const values = gaps.map((x) => formatNumber(x)).join(ui(vocabulary, "list_separator"));
  return ui(vocabulary, "summary_lines_none", { item, x: word(vocabulary, "axes", figure.x), values });
}

/** Few values are their own ticks; steps only where they are even, so that an axis stays as it is while lines grow on it. */
function areTicks(xs: readonly number[], axis: string): boolean {
  const isEven = xs.every((each, i) => i < 2 || each - xs[i - 1]! === xs[i - 1]! - xs[i - 2]!);
  return xs.length <= 8 && (axis !== "step" || (xs.length > 2 && isEven));
}

/** What is measured at a step is not there before the first. */
function endsOf({ y }: Series): [number | undefined, number | undefined] {
  const known = y.filter((value) => value !== null);
  return [known[0], known.at(-1)];
}

function drawAll(figure: Figure, context: ChartContext): SVGTemplateResult {
  const all = figure.series.map((series) => line(series, figure));
  // Of lines with one name only the first says it, and none has markers: they are a crowd.
  const same = figure.series.map(({ name }) => figure.series.filter((other) => other.name === name));
  const names = figure.series.map((series, index) =>
    same[index]![0] === series ? shortened(seriesName(series, context.vocabulary), longestName) : "",
  );
  const margin = Math.min(132, Math.max(24, ...names.map((name) => 1.1 * textWidth(name, textSize) + 12)));
  const [top, bottom] = [42, height - 40];
  const flat = all.flatMap(({ points }) => points);
  const ys = flat.flatMap((point) => [point.low, point.high]);
  const y = scaleOver(ys, [bottom, top], figure.log_y, figure.y_max);
  const widest = Math.max(...yTickNames(yTicks(y)).map((name) => textWidth(name, 1.1 * textSize)));
  const box: Box = { left: Math.max(40, Math.min(widest, 72) + 6), right: width - margin, top, bottom };
  const xs = [...new Set(flat.map((point) => point.x))].sort((a, b) => a - b);
  const x = scaleOver(xs, [box.left + 8, box.right - 8], figure.log_x);
  const saying = all.filter((_, index) => names[index]);
  const ends = spread(
    saying.map(({ points }) => y(points.at(-1)?.y ?? 0)),
    box,
  );
  let others = 0;
  const drawn = figure.series.map((series, index) => {
    const own = lineStyle(series.role, series.role === "other" ? others++ : 0);
    const style = same[index]!.length > 1 ? { ...own, marker: null } : own;
    const end = ends[saying.indexOf(all[index]!)] ?? 0;
    return drawLine(series, all[index]!, names[index] ?? "", end, style, x, y, box);
  });
  const isReference = (_: unknown, index: number): boolean => figure.series[index]?.role === "reference";
  return svg`${heading(figure, context)}
    ${yAxis(yTicks(y), y, box)}
    ${xAxis(areTicks(xs, figure.x) ? xs : x.ticks(5), x, box, word(context.vocabulary, "axes", figure.x))}
    ${cursorLine(figure, context, xs, x, box)}
    ${figure.series.map((series) => brokenLine(series, (at, value) => [x(at), y(value)], box))}
    ${drawn.filter(isReference)}${drawn.filter((_, index) => !isReference(_, index))}`;
}

/** Where the reader looks, of the steps that there are. */
function cursorLine(
  figure: Figure,
  { cursor }: ChartContext,
  xs: readonly number[],
  x: Scale,
  box: Box,
): SVGTemplateResult | null {
  if (cursor === undefined || figure.x !== "step" || !(cursor >= xs[0]! && cursor <= xs.at(-1)!)) return null;
  return svg`<path class="chart-cursor" d="M${px(x(cursor))} ${box.top}V${box.bottom}"></path>`;
}

/** Low and high ends, there and back. */
function band(points: readonly Point[], x: Scale, y: Scale): SVGTemplateResult | null {
  if (points.length < 2) return null;
  const edge = (end: "low" | "high") => (point: Point) => `${px(x(point.x))} ${px(y(point[end]))}`;
  const path = [...points.map(edge("high")), ...[...points].reverse().map(edge("low"))].join("L");
  return svg`<path class="band" d="M${path}Z"></path>`;
}

function drawLine(
  series: Series,
  { points: data, banded }: Line,
  name: string,
  end: number,
  style: { dash: string; marker: string | null },
  x: Scale,
  y: Scale,
  box: Box,
): SVGTemplateResult {
  const path = data.map((point) => `${px(x(point.x))} ${px(y(point.y))}`).join("L");
  const every = data.length > manyPoints ? Math.ceil(data.length / 10) : 1;
  return svg`<g class="role-${series.role}">
    ${banded ? band(data, x, y) : data.map((point) => (point.high > point.low ? errorBar(px(x(point.x)), px(y(point.low)), px(y(point.high))) : null))}
    <path class="line" d=${path && `M${path}`} stroke-dasharray=${style.dash || "none"}></path>
    ${data.map((point, index) =>
      style.marker === null || index % every !== 0
        ? null
        : svg`<path class="marker" d=${style.marker} transform="translate(${px(x(point.x))} ${px(y(point.y))})"></path>`,
    )}
    ${data.length > 0 && name ? svg`<text class="chart-series" x=${box.right + 4} y=${px(end + 4)}>${name}</text>` : null}
  </g>`;
}

function errorBar(x: number, low: number, high: number): SVGTemplateResult {
  return svg`<path class="error-bar" d="M${x} ${low}V${high}M${x - 3} ${low}h6M${x - 3} ${high}h6"></path>`;
}

function yTicks(y: Scale): number[] {
  const ticks = y.ticks(4);
  const every = Math.ceil(ticks.length / 7);
  return ticks.filter((_, index) => index % every === 0);
}

/** Moves labels apart so that none covers another, each as near to its line's end as it can be. */
export function spread(positions: readonly number[], box: Box, room = 14): number[] {
  const order = positions.map((_, index) => index).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  const placed = [...positions];
  let limit = box.top;
  for (const index of order) {
    placed[index] = Math.max(placed[index] ?? 0, limit);
    limit = (placed[index] ?? 0) + room;
  }
  limit = box.bottom;
  for (const index of order.reverse()) {
    placed[index] = Math.min(placed[index] ?? 0, limit);
    limit = (placed[index] ?? 0) - room;
  }
  return placed;
}
