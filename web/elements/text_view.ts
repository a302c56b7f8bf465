// The reader's own words: computed once the typing rests, so that no half-written Chinese word is. A text that may be long
// has an area with lines.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import type { ControlContext } from "./control_context.ts";
import { hint } from "../words/vocabulary.ts";

const longest = 1000; // characters of one line

export function wordsInput({ param, state, actions, id, text, invalid }: ControlContext): TemplateResult {
  const said = hint(state.vocabulary, param.name);
  const described = [invalid && `${id}-error`, said && `${id}-hint`].filter(Boolean).join(" ");
  const type = (event: Event): void =>
    actions.type(param.name, (event.target as HTMLInputElement | HTMLTextAreaElement).value);
  const field =
    (param.max_count ?? 0) > longest
      ? html`<textarea
          id=${id}
          name=${param.name}
          rows="6"
          cols="40"
          maxlength=${param.max_count ?? nothing}
          autocomplete="off"
          .value=${live(text)}
          aria-invalid=${invalid ? "true" : nothing}
          aria-describedby=${described || nothing}
          @input=${type}
        ></textarea>`
      : html`<input
          type="text"
          id=${id}
          name=${param.name}
          maxlength=${param.max_count ?? nothing}
          autocomplete="off"
          .value=${live(text)}
          aria-invalid=${invalid ? "true" : nothing}
          aria-describedby=${described || nothing}
          @input=${type}
        />`;
  return html`${field}${said ? html`<p class="control-hint" id="${id}-hint">${said}</p>` : nothing}`;
}
