// The reader's own words: computed once the typing rests, so that no half-written Chinese word is.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import type { ControlContext } from "./control_context.ts";
import { hint } from "../words/vocabulary.ts";

export function wordsInput({ param, state, actions, id, text, invalid }: ControlContext): TemplateResult {
  const said = hint(state.vocabulary, param.name);
  const described = [invalid && `${id}-error`, said && `${id}-hint`].filter(Boolean).join(" ");
  return html`<input
      type="text"
      id=${id}
      name=${param.name}
      maxlength=${param.max_count ?? nothing}
      autocomplete="off"
      .value=${live(text)}
      aria-invalid=${invalid ? "true" : nothing}
      aria-describedby=${described || nothing}
      @input=${(event: Event) => actions.type(param.name, (event.target as HTMLInputElement).value)}
    />${said ? html`<p class="control-hint" id="${id}-hint">${said}</p>` : nothing}`;
}
