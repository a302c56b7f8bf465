// W_Q and d_k in a chapter's words for a figure, which are plain text: what follows the line stands lower.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";

/** What stands on the line and below it, by turns. */
export function split(text: string): string[] {
  return text.split(/(?<=[a-zA-Z])_([a-zA-Z])(?![a-zA-Z])/);
}

export function subscripts(text: string): (string | TemplateResult)[] {
  return split(text).map((part, index) => (index % 2 === 1 ? html`<sub>${part}</sub>` : part));
}

/** For a drawing's text, which has no <sub>. The line goes on at its height. */
export function svgSubscripts(text: string): (string | SVGTemplateResult)[] {
  return split(text).map((part, index) => {
    if (index % 2 === 1) return svg`<tspan class="story-sub" dy="3">${part}</tspan>`;
    return index > 0 && part ? svg`<tspan dy="-3">${part}</tspan>` : part;
  });
}
