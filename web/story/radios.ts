// One of a few, as a reader sets it: native radio buttons in a row.
import { html, type TemplateResult } from "lit/html.js";
import { keep } from "../elements/keep.ts";
import type { Scene, StoryFigure } from "./figure.ts";
import { subscripts } from "./subscripts.ts";

/** `name` is that of the setting, and on the page no other's; the words are the chapter's, by value, `name` the legend. */
export function radios(
  { set, say, change }: Scene,
  { start }: StoryFigure,
  name: string,
  values: readonly string[],
): TemplateResult {
  const radio = (value: string): TemplateResult =>
    html`<label class="story-radio">
      <input
        type="radio"
        name=${name}
        value=${value}
        ?checked=${start[name] === value}
        ${keep({ checked: set[name] === value })}
        @change=${() => change({ [name]: value })}
      />
      <span>${subscripts(say(value))}</span>
    </label>`;
  return html`<fieldset class="story-radios">
    <legend>${say(name)}</legend>
    <div class="story-choices">${values.map(radio)}</div>
  </fieldset>`;
}
