// The reader's own numbers: a field to paste into, a file to choose or to drop.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import type { ControlContext } from "./control_context.ts";
import { dropZone, fileButton } from "./file_view.ts";
import { ui } from "../words/vocabulary.ts";

export function matrixInput(context: ControlContext): TemplateResult {
  const { param, state, actions, id, text, invalid } = context;
  const hint = `${state.id}-${param.name}-hint`;
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file) actions.file(param.name, file);
  };
  return dropZone(
    "matrix",
    take,
    state.vocabulary,
    html`<textarea
        id=${id}
        name=${param.name}
        rows="3"
        autocomplete="off"
        spellcheck="false"
        .value=${live(text)}
        aria-invalid=${invalid ? "true" : nothing}
        aria-describedby=${invalid ? `${id}-error ${hint}` : hint}
        @input=${(event: Event) => actions.input(param.name, (event.target as HTMLTextAreaElement).value)}
      ></textarea>
      <p class="control-hint" id=${hint}>${ui(state.vocabulary, "matrix_hint")}</p>
      ${fileButton(context, `${id}-file`, take, hint)}`,
  );
}
