// A table of numbers.
import { html, type TemplateResult } from "lit/html.js";

/** In a frame of its own, which scrolls where the table is wide or long. */
export function numbersTable(
  caption: string,
  heads: TemplateResult,
  rows: readonly TemplateResult[] | undefined,
  kind = "numbers",
): TemplateResult {
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${caption}>
    <table class=${kind}>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
