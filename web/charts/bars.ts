// Bars: one panel per series, side by side on one scale, so that what differs is seen at a glance and
// bars of different draws are never paired. Above `manyBars` the bars become one sorted outline.
import { nothing, svg, type SVGTemplateResult } from "lit/html.js";
import { max } from "d3-array";
import type { Figure, Series } from "../../bindings/api/types.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";
import { brokenBar } from "./broken.ts";
import type { ChartContext } from "./context.ts";
import { formatWeight, textWidth } from "./format.ts";
import {
  areaFill,
  finite,
  hatch,
  heading,
  height,
  px,
  seriesName,
  shortened,
  textSize,
  width,
  xAxis,
  yAxis,
} from "./layout.ts";
import type { Box } from "./layout.ts";
import type { ChartKind } from "./kind.ts";
import { linear } from "./scale.ts";
import { peakOf, seriesCsv, seriesSummary, seriesTables } from "./series.ts";

const manyBars = 48;
const gap = 24; // between panels
const maxBeside = 3; // where their words are long
const nextRow = height - 34;

interface Words {
  name: string;
  most: string; // the largest value
}

interface Panel extends Box, Words {
  series: Series;
  crowded: boolean; // the largest value takes a line of its own
}

function wordsOf(series: Series, vocabulary: Vocabulary): Words {
  const most = formatWeight(max(series.y.filter(finite)) ?? 0);
  return { name: seriesName(series, vocabulary), most: `${ui(vocabulary, "max")} ${most}` };
}

function panelWidth(columns: number, right = width - 2): number {
  return (right - 32 - gap * (columns - 1)) / columns;
}

/** Panels side by side: all, or half of them where their words would be cut. */
function columnsOf(words: readonly Words[]): number {
  const count = words.length;
  const widest = Math.max(0, ...words.flatMap(({ name, most }) => [wide(name), wide(most)]));
  return count > maxBeside && widest > panelWidth(count) ? Math.ceil(count / 2) : count;
}

function wide(text: string): number {
  return 1.2 * textWidth(text, textSize); // bold
}

export const bars: ChartKind = {
  draw(figure, context) {
    const words = figure.series.map((series) => wordsOf(series, context.vocabulary));
    const columns = columnsOf(words);
    const down = columns < words.length ? height + nextRow : height;
    return { width, height: down, marks: drawPanels(figure, words, columns, context) };
  },
  summary: (figure, vocabulary) =>
    seriesSummary("summary_bars", figure, figure.series, peakWords, vocabulary),
  table: seriesTables,
  csv: seriesCsv,
};

function peakWords(series: Series, _: Figure, vocabulary: Vocabulary): string {
  const value = formatWeight(series.y[peakOf(series)]);
  return ui(vocabulary, "summary_item", { series: seriesName(series, vocabulary), value });
}

function drawPanels(
  figure: Figure,
  words: readonly Words[],
  columns: number,
  context: ChartContext,
): SVGTemplateResult {
  const top = figure.y_max ?? max(figure.series, (series) => max(series.y.filter(finite))) ?? 1;
  const crowded = words.some(({ name, most }) => wide(name) + wide(most) + 8 > panelWidth(columns));
  const cut = words.some(({ name }) => wide(name) > panelWidth(columns)); // names use the gaps, too
  const right = width - (cut ? gap : 2);
  const across = panelWidth(columns, right);
  const box: Box = { left: 32, right, top: crowded ? 72 : 58, bottom: height - 40 };
  const y = linear([0, top || 1], [box.bottom, box.top]);
  const panels = figure.series.map((series, index): Panel => {
    const left = box.left + (index % columns) * (across + gap);
    return { ...box, ...words[index]!, left, right: left + across, series, crowded };
  });
  const row = (first: number): SVGTemplateResult => {
    const shown = panels.slice(first, first + columns);
    return svg`${yAxis(y.ticks(2), y, { ...box, right: shown.at(-1)?.right ?? box.right })}
      ${shown.map((panel) => drawPanel(panel, figure, y, context))}`;
  };
  return svg`${hatch(context.id)}${heading(figure, context)}${row(0)}
    ${columns < panels.length ? svg`<g transform="translate(0 ${nextRow})">${row(columns)}</g>` : null}`;
}

function drawPanel(
  panel: Panel,
  figure: Figure,
  y: (value: number) => number,
  context: ChartContext,
): SVGTemplateResult {
  const { vocabulary } = context;
  const { series, name, most, crowded } = panel;
  const values = series.y.map((value) => (finite(value) ? value : 0));
  const many = values.length > manyBars;
  const label = word(vocabulary, "axes", many ? `${figure.x}_sorted` : figure.x);
  const slot = (panel.right - panel.left) / values.length;
  const x = (index: number): number => panel.left + (index + 0.5) * slot;
  const ticks = many ? [1, values.length] : series.x.filter(finite);
  const room = panel.right - panel.left + (crowded ? gap - 4 : 0); // for the name, a little narrower if need be
  return svg`<g class="role-${series.role}">
    <text class="chart-series" x=${px(panel.left)} y="48" textLength=${wide(name) > room ? px(room) : nothing} lengthAdjust="spacingAndGlyphs">${shortened(name, room)}</text>
    <text class="chart-series chart-number" x=${px(crowded ? panel.left : panel.right)} y=${crowded ? 63 : 48} text-anchor=${crowded ? "start" : "end"}>${most}</text>
    ${many ? outline(values, panel, y, context.id) : rects(x, slot, y, panel, context.id)}
  </g>${xAxis(ticks, (tick) => x(many ? tick - 1 : series.x.indexOf(tick)), panel, label)}`;
}

function rects(
  x: (index: number) => number,
  slot: number,
  y: (value: number) => number,
  panel: Panel,
  id: string,
): SVGTemplateResult[] {
  const thick = Math.max(slot * 0.74, 1);
  const fill = areaFill(panel.series.role, id);
  return panel.series.y.map((value, index) => {
    if (!finite(value)) return brokenBar(value, x(index), thick, panel);
    const top = px(y(value));
    return svg`<rect class="mark" fill=${fill ?? "currentColor"} x=${px(x(index) - thick / 2)} y=${top}
      width=${px(thick)} height=${px(Math.max(panel.bottom - top, 0))}></rect>`;
  });
}

/** The weights from the largest to the smallest as one stepped area. */
function outline(
  values: readonly number[],
  panel: Panel,
  y: (value: number) => number,
  id: string,
): SVGTemplateResult {
  const sorted = [...values].sort((a, b) => b - a);
  const columns = Math.min(sorted.length, Math.round((panel.right - panel.left) * 2));
  const step = (panel.right - panel.left) / columns;
  let path = `M${px(panel.left)} ${panel.bottom}`;
  for (let column = 0; column < columns; ++column) {
    const value = sorted[Math.floor((column * sorted.length) / columns)] ?? 0; // the largest of the column
    path += `V${px(y(value))}H${(panel.left + (column + 1) * step).toFixed(2)}`;
  }
  const fill = areaFill(panel.series.role, id) ?? "currentColor";
  return svg`<path class="mark" fill=${fill} d="${path}V${panel.bottom}Z"></path>`;
}
