// A histogram: densities at the centres of equal bins, drawn as steps, with reference curves over them.
import { svg, type SVGTemplateResult } from "lit/html.js";
import { extent, max } from "d3-array";
import type { Figure, Series } from "../../bindings/api/types.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";
import type { ChartContext } from "./context.ts";
import {
  finite,
  areaFill,
  hatch,
  heading,
  height,
  lineStyle,
  px,
  seriesName,
  width,
  xAxis,
} from "./layout.ts";
import type { Box } from "./layout.ts";
import type { ChartKind } from "./kind.ts";
import { linear } from "./scale.ts";
import { ends, peakOf, seriesCsv, seriesSummary, seriesTables, shortTick } from "./series.ts";

const isCurve = ({ role }: Series): boolean => role === "reference";

export const histogram: ChartKind = {
  draw: (figure, context) => ({ width, height, marks: drawAll(figure, context) }),
  summary(figure, vocabulary) {
    const measured = figure.series.filter((series) => !isCurve(series));
    return seriesSummary("summary_histogram", figure, measured, spanWords, vocabulary);
  },
  table: seriesTables,
  csv: seriesCsv,
};

function spanWords(series: Series, figure: Figure, vocabulary: Vocabulary): string {
  return ui(vocabulary, "summary_histogram_item", {
    series: seriesName(series, vocabulary),
    ...ends(series, figure, vocabulary),
    peak: shortTick(series.x[peakOf(series)]),
  });
}

function drawAll(figure: Figure, context: ChartContext): SVGTemplateResult {
  const box: Box = { left: 2, right: width - 2, top: 50, bottom: height - 40 };
  const xs = figure.series.flatMap((series) => series.x.filter(finite));
  const [low = -1, high = 1] = extent(xs) as [number | undefined, number | undefined];
  const x = linear(low === high ? [low - 1, high + 1] : [low, high], [box.left + 12, box.right - 12]);
  const top = figure.y_max ?? max(figure.series, (series) => max(series.y.filter(finite)));
  const y = linear([0, top || 1], [box.bottom, box.top]);
  return svg`${hatch(context.id)}${heading(figure, context)}
    ${figure.series.map((series) =>
      isCurve(series) ? curve(series, x, y) : steps(series, x, y, box, context.id),
    )}
    ${key(figure.series, context)}
    ${xAxis(x.ticks(5), x, box, word(context.vocabulary, "axes", figure.x))}`;
}

type Position = (value: number) => number;

function steps(series: Series, x: Position, y: Position, box: Box, id: string): SVGTemplateResult {
  const centres = series.x.map((value) => value ?? 0);
  const half = ((centres[1] ?? 0) - (centres[0] ?? 0)) / 2;
  let path = `M${px(x((centres[0] ?? 0) - half))} ${box.bottom}`;
  centres.forEach((centre, index) => {
    path += `V${px(y(series.y[index] ?? 0))}H${px(x(centre + half))}`;
  });
  const fill = areaFill(series.role, id) ?? "currentColor";
  return svg`<path class="role-${series.role} mark" fill=${fill} d="${path}V${box.bottom}Z"></path>`;
}

function curve(series: Series, x: Position, y: Position): SVGTemplateResult {
  const points = series.x.flatMap((value, index) => {
    const density = series.y[index];
    return finite(value) && finite(density) ? [`${px(x(value))} ${px(y(density))}`] : [];
  });
  const { dash } = lineStyle(series.role, 0);
  return svg`<path class="role-${series.role} line" stroke-dasharray=${dash || "none"} d="M${points.join("L")}"></path>`;
}

/** What is what, at the top right: a swatch or a dash before each name. */
function key(series: readonly Series[], { vocabulary, id }: ChartContext): SVGTemplateResult[] {
  return series.map((one, index) => {
    const baseline = 13 + index * 16;
    const { dash } = lineStyle(one.role, 0);
    const mark = isCurve(one)
      ? svg`<line class="line" x1=${width - 18} x2=${width - 2} y1=${baseline - 4} y2=${baseline - 4} stroke-dasharray=${dash || "none"}></line>`
      : svg`<rect class="mark" x=${width - 18} y=${baseline - 9} width="16" height="9" fill=${areaFill(one.role, id) ?? "currentColor"}></rect>`;
    return svg`<g class="role-${one.role}">${mark}
      <text class="chart-series" x=${width - 24} y=${baseline} text-anchor="end">${seriesName(one, vocabulary)}</text></g>`;
  });
}
