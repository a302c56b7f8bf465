// On paper: pictures beside each other, (a) and (b), and below them what is to be said of each.
import { html, type SVGTemplateResult, type TemplateResult } from "lit/html.js";

export interface Picture {
  viewBox: string;
  drawing: readonly SVGTemplateResult[];
  said: string;
}

const letter = (index: number): string => `(${String.fromCharCode(97 + index)})`;

export function sideBySide(pictures: readonly Picture[]): TemplateResult {
  return html`<figure class="story-figure">
    <div class="paper-pair">
      ${pictures.map(
        ({ viewBox, drawing }, index) =>
          html`<div>
            <svg class="story-drawing" viewBox=${viewBox} aria-hidden="true">${drawing}</svg>
            <p>${letter(index)}</p>
          </div>`,
      )}
    </div>
    <figcaption class="story-caption">
      ${pictures.map(({ said }, index) => `${letter(index)} ${said}`).join(" ")}
    </figcaption>
  </figure>`;
}
