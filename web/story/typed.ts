// A field for text within a figure of the story. As long as the figure is printed it is the text alone: a browser that
// offers to fill fields in lays out all of a page's together after its first paint, chapters that are far away included.
import { html, type TemplateResult } from "lit/html.js";
import type { Scene } from "./figure.ts";

/** `text`, or what stands in the empty `field`; `look` is the class of both. */
export function typed(
  { printed }: Scene,
  text: string | undefined,
  look: string,
  field: TemplateResult,
): TemplateResult {
  return printed
    ? html`<span class=${look}>${text}</span>`
    : html`<span class="print-only">${text}</span>${field}`;
}
