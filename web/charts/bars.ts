// Bars: one panel per series, side by side on one scale, so that what differs is seen at a glance and
// bars of different draws are never paired. Above `manyBars` the bars become one sorted outline.
import { svg, type SVGTemplateResult } from "lit/html.js";
import { max } from "d3-array";
import type { Figure, Series } from "../../bindings/types.ts";
import { ui, word } from "../elements/vocabulary.ts";
import { formatWeight, textWidth } from "./format.ts";
import { shortened } from "./heat_layout.ts";
import {
  areaFill,
  finite,
  hatch,
  heading,
  height,
  px,
  seriesName,
  textSize,
  width,
  xAxis,
  yAxis,
} from "./layout.ts";
import type { Box, ChartContext } from "./layout.ts";
import { linear } from "./scale.ts";

const manyBars = 48;
const gap = 24; // between panels

interface Panel extends Box {
  series: Series;
  index: number;
}

export function barsChart(figure: Figure, context: ChartContext): SVGTemplateResult {
  const top = figure.y_max ?? max(figure.series, (series) => max(series.y.filter(finite))) ?? 1;
  const box: Box = { left: 32, right: width - 2, top: 58, bottom: height - 40 };
  const y = linear([0, top || 1], [box.bottom, box.top]);
  const panelWidth = (box.right - box.left - gap * (figure.series.length - 1)) / figure.series.length;
  const panels = figure.series.map((series, index): Panel => {
    const left = box.left + index * (panelWidth + gap);
    return { ...box, left, right: left + panelWidth, series, index };
  });
  return svg`${hatch(context.id)}${heading(figure, context)}
    ${yAxis(y.ticks(2), y, box)}
    ${panels.map((panel) => drawPanel(panel, figure, y, context))}`;
}

function drawPanel(
  panel: Panel,
  figure: Figure,
  y: (value: number) => number,
  context: ChartContext,
): SVGTemplateResult {
  const { vocabulary } = context;
  const { series } = panel;
  const values = series.y.map((value) => (finite(value) ? value : 0));
  const many = values.length > manyBars;
  const best = values.indexOf(Math.max(...values));
  const label = word(vocabulary, "axes", many ? `${figure.x}_sorted` : figure.x);
  const slot = (panel.right - panel.left) / values.length;
  const x = (index: number): number => panel.left + (index + 0.5) * slot;
  const ticks = many ? [1, values.length] : series.x.filter(finite);
  const most = `${ui(vocabulary, "max")} ${formatWeight(values[best])}`;
  const room = panel.right - panel.left - 1.1 * textWidth(most, textSize) - 8;
  return svg`<g class="role-${series.role}">
    <text class="chart-series" x=${px(panel.left)} y="48">${shortened(seriesName(series, vocabulary), room / 1.1)}</text>
    <text class="chart-series chart-number" x=${px(panel.right)} y="48" text-anchor="end">${most}</text>
    ${many ? outline(values, panel, y, context.id) : bars(values, x, slot, y, panel, context.id)}
  </g>${xAxis(ticks, (tick) => x(many ? tick - 1 : series.x.indexOf(tick)), panel, label)}`;
}

function bars(
  values: readonly number[],
  x: (index: number) => number,
  slot: number,
  y: (value: number) => number,
  panel: Panel,
  id: string,
): SVGTemplateResult[] {
  const thick = Math.max(slot * 0.74, 1);
  const fill = areaFill(panel.series.role, id);
  return values.map((value, index) => {
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
