// One control per parameter, by its type: native inputs with labels, the error beside the control.
// Numbers are text inputs: what the reader typed stays, also where it is no number.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import type { Param } from "../../bindings/api/types.ts";
import type { ControlContext } from "./control_context.ts";
import type { FigureActions, FigureState } from "./figure_state.ts";
import { fileInput } from "./file_view.ts";
import { keep } from "./keep.ts";
import { matrixInput } from "./matrix_view.ts";
import { formatScales, parseScales } from "./scale_list.ts";
import { sliderOf } from "./slider_scale.ts";
import { wordsInput } from "./text_view.ts";
import { hint, ui, word } from "../words/vocabulary.ts";

export function control(param: Param, state: FigureState, actions: FigureActions): TemplateResult {
  const id = `${state.id}-${param.name}`;
  const problem = state.problems.find(({ argument }) => argument === param.name);
  const text = state.texts[param.name] ?? param.default;
  const context: ControlContext = { param, state, actions, id, text, invalid: problem !== undefined };
  const zero = param.min === 0 ? hint(state.vocabulary, `${param.name}=0`) : "";
  const label = word(state.vocabulary, "params", param.name) + zero;
  const body =
    param.type === "scale_list"
      ? scaleList(context, label)
      : html`<label for=${id}>${label}</label>${single(context, label)}`;
  const error =
    problem && html`<p class="control-error" id="${id}-error" role="alert">${problem.message}</p>`;
  return html`<div class="control control-${param.type}">${body}</div>
    ${error}`;
}

function single(context: ControlContext, label: string): TemplateResult {
  const { param, state } = context;
  if (param.type === "choice") return choiceInput(context);
  if (param.type === "matrix") return matrixInput(context);
  if (param.type === "text") return wordsInput(context);
  if (param.type === "file") return fileInput(context);
  if (param.type === "seed") return seedInput(context);
  const slider = sliderOf(param);
  return html`<div class="control-row">
    ${textInput(context, param.type === "int_list" ? "text" : "decimal")}
    ${
      slider === undefined
        ? nothing
        : html`<input
            type="range"
            id="${context.id}-slider"
            min="0"
            max=${slider.positions}
            step="1"
            autocomplete="off"
            .value=${live(String(slider.positionOf(context.text)))}
            aria-label=${label}
            aria-valuetext=${ui(state.vocabulary, "at_item", { name: word(state.vocabulary, "params", param.name), value: context.text })}
            @input=${(event: Event) => context.actions.input(param.name, slider.textAt(Number(valueOf(event))))}
          />`
    }
  </div>`;
}

function valueOf(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}

function textInput({ param, actions, id, text, invalid }: ControlContext, inputmode: string): TemplateResult {
  return html`<input
    type="text"
    id=${id}
    name=${param.name}
    inputmode=${inputmode}
    autocomplete="off"
    spellcheck="false"
    .value=${live(text)}
    aria-invalid=${invalid ? "true" : nothing}
    aria-describedby=${invalid ? `${id}-error` : nothing}
    @input=${(event: Event) => actions.input(param.name, valueOf(event))}
  />`;
}

function seedInput(context: ControlContext): TemplateResult {
  const { param, actions, state } = context;
  return html`<div class="control-row">
    ${textInput(context, "numeric")}
    <button type="button" class="button" id="${context.id}-new" @click=${() => actions.newSeed(param.name)}>
      ${ui(state.vocabulary, "new_seed")}
    </button>
  </div>`;
}

/** A text that is no choice (from a link) is shown as one, until another is chosen. */
function choiceInput({ param, state, actions, id, text, invalid }: ControlContext): TemplateResult {
  const known = param.choices ?? [];
  const choices = known.includes(text) ? known : [text, ...known];
  return html`<select
    id=${id}
    name=${param.name}
    autocomplete="off"
    ${keep({ value: text })}
    aria-invalid=${invalid ? "true" : nothing}
    aria-describedby=${invalid ? `${id}-error` : nothing}
    @change=${(event: Event) => actions.input(param.name, valueOf(event))}
  >
    ${choices.map(
      (choice) =>
        html`<option value=${choice} ?selected=${choice === text}>
          ${word(state.vocabulary, "choices", choice).slice(0, 60)}
        </option>`,
    )}
  </select>`;
}

function scaleList(
  { param, state, actions, id, text, invalid }: ControlContext,
  label: string,
): TemplateResult {
  const scales = parseScales(text, param.choices);
  const single = (param.max_count ?? 1) === 1; // one is chosen in place of another
  const choose = (name: string, chosen: boolean): void =>
    actions.input(param.name, single ? name : formatScales(scales, name, chosen));
  const type = (custom: string): void => {
    const others = single ? parseScales("", param.choices) : scales;
    actions.input(param.name, formatScales({ ...others, custom }));
  };
  const describedby = invalid ? `${id}-error` : nothing;
  return html`<fieldset class="scales" aria-describedby=${describedby}>
    <legend>${label}</legend>
    <div class="control-row">
      ${scales.named.map(
        ({ name, chosen }, index) =>
          html`<label class="check">
            <input
              type=${single ? "radio" : "checkbox"}
              id="${id}-${index}"
              name=${single ? `${id}-choice` : `${param.name}-choice`}
              value=${name}
              autocomplete="off"
              ?checked=${chosen}
              ${keep({ checked: chosen })}
              @change=${(event: Event) => choose(name, (event.target as HTMLInputElement).checked)}
            />${word(state.vocabulary, "choices", name)}
          </label>`,
      )}
      <label class="check">
        ${ui(state.vocabulary, "custom_scale")}
        <input
          type="text"
          class="custom-scale"
          id=${id}
          name=${param.name}
          inputmode="decimal"
          autocomplete="off"
          spellcheck="false"
          .value=${live(scales.custom)}
          aria-invalid=${invalid ? "true" : nothing}
          aria-describedby=${describedby}
          @input=${(event: Event) => type(valueOf(event))}
        />
      </label>
    </div>
  </fieldset>`;
}
