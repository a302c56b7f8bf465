// Files of the reader: a place to drop one, and the button that asks for one.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { formatBytes } from "../charts/format.ts";
import type { ControlContext } from "./control_context.ts";
import { hint, ui, type Vocabulary } from "../words/vocabulary.ts";

type Take = (files: FileList | null | undefined) => void;

/** `content` as a place onto which a file may be dropped. */
export function dropZone(
  className: string,
  take: Take,
  vocabulary: Vocabulary,
  content: TemplateResult,
): TemplateResult {
  return html`<div
    class="drop-zone ${className}"
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
    ${content}
    <p class="drop-here" aria-hidden="true">${ui(vocabulary, "drop_here")}</p>
  </div>`;
}

export function fileButton(
  context: ControlContext,
  id: string,
  take: Take,
  describedby: string,
): TemplateResult {
  return html`<label class="button file">
    <input
      type="file"
      class="visually-hidden"
      id=${id}
      accept=${context.param.accept ?? nothing}
      aria-invalid=${context.invalid ? "true" : nothing}
      aria-describedby=${describedby}
      @change=${(event: Event) => {
        const input = event.target as HTMLInputElement;
        take(input.files);
        input.value = ""; // the same file may be chosen again after it was changed
      }}
    />${ui(context.state.vocabulary, "choose_file")}
  </label>`;
}

/** A file that stays a file: its name and size, and a button that takes it away again. */
export function fileInput(context: ControlContext): TemplateResult {
  const { param, state, actions, id, text, invalid } = context;
  const { vocabulary } = state;
  const hintId = `${id}-hint`;
  const file = state.files[param.name];
  const size = file?.size ?? Math.floor((text.length * 3) / 4);
  const take: Take = (files) => {
    const chosen = files?.[0];
    if (chosen) actions.file(param.name, chosen);
  };
  const chosen = html`<span class="file-name">${file?.name ?? ""} (${formatBytes(size)})</span>
    <button type="button" class="button" id="${id}-remove" @click=${() => actions.removeFile(param.name)}>
      ${ui(vocabulary, "remove_file")}
    </button>`;
  return dropZone(
    "one-file",
    take,
    vocabulary,
    html`<div class="control-row">
        ${fileButton(context, id, take, invalid ? `${id}-error ${hintId}` : hintId)}
        ${text === "" ? nothing : chosen}
      </div>
      <p class="control-hint" id=${hintId}>${hint(vocabulary, param.name)}${ui(vocabulary, "file_hint")}</p>`,
  );
}
