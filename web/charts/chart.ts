// One figure of a result as a whole <figure>: the chart by its kind, and its generated summary as caption.
import { html, type TemplateResult } from "lit/html.js";
import type { Figure } from "../../bindings/api/types.ts";
import type { ChartContext } from "./context.ts";
import { kindOf } from "./kinds.ts";
import { summary } from "./summary.ts";

export function chart(figure: Figure, context: ChartContext): TemplateResult {
  const { vocabulary, compact } = context;
  const caption = `${context.id}-caption`;
  const short = compact ? kindOf(figure).shortSummary : undefined;
  return html`<figure class=${chartClass(context)}>
    ${drawn(figure, context, caption)}${context.note}
    <figcaption id=${caption}>${short?.(figure, vocabulary) ?? summary(figure, vocabulary)}</figcaption>
  </figure>`;
}

export function chartClass({ columns }: ChartContext): string {
  return columns === 2 ? "chart chart-wide" : "chart";
}

function drawn(figure: Figure, context: ChartContext, caption: string): TemplateResult {
  const { view, draw } = kindOf(figure);
  if (view) return view(figure, context, caption);
  const { width, height, marks } = draw(figure, context);
  return html`<svg class="chart-svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby=${caption}>
    ${marks}
  </svg>`;
}
