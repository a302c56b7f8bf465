// One figure of a result as a whole <figure>: the chart by its kind, and its generated summary as caption.
import { html, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { Figure, FigureKind } from "../../bindings/types.ts";
import { barsChart } from "./bars.ts";
import { histogramChart } from "./histogram.ts";
import { height, width, type ChartContext } from "./layout.ts";
import { linesChart } from "./lines.ts";
import { summary } from "./summary.ts";

const kinds: Record<FigureKind, (figure: Figure, context: ChartContext) => SVGTemplateResult> = {
  bars: barsChart,
  lines: linesChart,
  histogram: histogramChart,
};

export function chart(figure: Figure, context: ChartContext): TemplateResult {
  const caption = `${context.id}-caption`;
  return html`<figure class="chart">
    <svg class="chart-svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby=${caption}>
      ${kinds[figure.kind](figure, context)}
    </svg>
    <figcaption id=${caption}>${summary(figure, context.vocabulary)}</figcaption>
  </figure>`;
}
