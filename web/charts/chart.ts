// One figure of a result as a whole <figure>: the chart by its kind, or a picture of it, and its generated summary
// as caption.
import { html, nothing, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { Figure, FigureKind } from "../../bindings/types.ts";
import { barsChart, barsHeight } from "./bars.ts";
import { emptyGrid, heatLayout } from "./heat_layout.ts";
import { heatDrawing, heatmap } from "./heatmap.ts";
import { histogramChart } from "./histogram.ts";
import { height, width, worded, type ChartContext, type Picture } from "./layout.ts";
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

export function chart(given: Figure, context: ChartContext): TemplateResult {
  const figure = worded(given, context.vocabulary);
  const caption = `${context.id}-caption`;
  return html`<figure class=${chartClass(context)}>
    ${context.picture === undefined ? drawn(figure, context, caption) : pictured(figure, context, context.picture)}
    <figcaption id=${context.picture === undefined ? caption : nothing}>
      ${context.compact ? heatPeak(figure, context.vocabulary) : summary(figure, context.vocabulary)}
    </figcaption>
  </figure>`;
}

export function chartClass({ columns }: ChartContext): string {
  return columns === 2 ? "chart chart-wide" : "chart";
}

export interface Drawing {
  width: number;
  height: number;
  marks: SVGTemplateResult;
}

/** What stands inside the chart's SVG. */
export function drawing(given: Figure, context: ChartContext): Drawing {
  const figure = worded(given, context.vocabulary);
  if (figure.kind !== "heatmap") {
    const height = plotHeight(figure, context);
    return { width, height, marks: kinds[figure.kind](figure, context) };
  }
  const layout = heatLayout(figure.grid ?? emptyGrid, context.compact, context.columns);
  return { width: layout.width, height: layout.height, marks: heatDrawing(figure, layout, context) };
}

function drawn(figure: Figure, context: ChartContext, caption: string): TemplateResult {
  return figure.kind === "heatmap"
    ? heatmap(figure, context, caption)
    : plot(figure, figure.kind, context, caption);
}

/** As tall as the chart will be, before it is loaded and whether it is or not. Its words are the caption. */
function pictured(figure: Figure, context: ChartContext, { light, dark }: Picture): TemplateResult {
  const { width, height } = drawing(figure, context);
  return html`<picture
    ><source media="screen and (prefers-color-scheme: dark)" srcset=${dark} />
    <img class="chart-svg" src=${light} width=${width} height=${height} alt="" loading="lazy"
  /></picture>`;
}

function plotHeight(figure: Figure, { vocabulary }: ChartContext): number {
  return figure.kind === "bars" ? barsHeight(figure, vocabulary) : height;
}

function plot(
  figure: Figure,
  kind: keyof typeof kinds,
  context: ChartContext,
  caption: string,
): TemplateResult {
  const down = plotHeight(figure, context);
  return html`<svg class="chart-svg" viewBox="0 0 ${width} ${down}" role="img" aria-labelledby=${caption}>
    ${kinds[kind](figure, context)}
  </svg>`;
}
