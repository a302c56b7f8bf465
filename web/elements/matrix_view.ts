// The reader's own numbers: a field to paste into, a file to choose or to drop.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import type { ControlContext } from "./control_view.ts";
import { ui } from "./vocabulary.ts";

export function matrixInput({ param, state, actions, id, text, invalid }: ControlContext): TemplateResult {
  const hint = `${state.id}-${param.name}-hint`;
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file) actions.file(param.name, file);
  };
  return html`<div
    class="matrix"
    @dragover=${(event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      (event.currentTarget as Element).classList.add("drop-target");
    }}
    @dragleave=${(event: DragEvent) => (event.currentTarget as Element).classList.remove("drop-target")}
    @drop=${(event: DragEvent) => {
      (event.currentTarget as Element).classList.remove("drop-target");
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      take(event.dataTransfer.files);
    }}
  >
    <textarea
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
    <label class="button file">
      <input
        type="file"
        class="visually-hidden"
        id="${id}-file"
        accept=".csv,.txt,.tsv,.npy,text/csv,text/plain"
        @change=${(event: Event) => {
          const input = event.target as HTMLInputElement;
          take(input.files);
          input.value = ""; // the same file may be chosen again after it was changed
        }}
      />${ui(state.vocabulary, "choose_file")}
    </label>
    <p class="drop-here" aria-hidden="true">${ui(state.vocabulary, "drop_here")}</p>
  </div>`;
}
