// One figure of a result as a whole <figure>: the chart by its kind, and its generated summary as caption.
import { html, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { Figure, FigureKind } from "../../bindings/types.ts";
import { barsChart } from "./bars.ts";
import { heatmap } from "./heatmap.ts";
import { histogramChart } from "./histogram.ts";
import { height, width, type ChartContext } from "./layout.ts";
import { linesChart } from "./lines.ts";
import { heatPeak, summary } from "./summary.ts";

const kinds: Record<
  Exclude<FigureKind, "heatmap">,
  (figure: Figure, context: ChartContext) => SVGTemplateResult
> = {
  bars: barsChart,
  lines: linesChart,
  histogram: histogramChart,
};

export function chart(figure: Figure, context: ChartContext): TemplateResult {
  const caption = `${context.id}-caption`;
  return html`<figure class=${context.columns === 2 ? "chart chart-wide" : "chart"}>
    ${figure.kind === "heatmap" ? heatmap(figure, context, caption) : plot(figure, figure.kind, context, caption)}
    <figcaption id=${caption}>
      ${context.compact ? heatPeak(figure, context.vocabulary) : summary(figure, context.vocabulary)}
    </figcaption>
  </figure>`;
}

function plot(
  figure: Figure,
  kind: keyof typeof kinds,
  context: ChartContext,
  caption: string,
): TemplateResult {
  return html`<svg class="chart-svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby=${caption}>
    ${kinds[kind](figure, context)}
  </svg>`;
}
