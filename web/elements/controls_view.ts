// The settings of a figure: presets, what is often changed, groups that fold, and what starts or resets.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Param } from "../../bindings/api/types.ts";
import { control } from "./control_view.ts";
import { presetOf, type FigureActions, type FigureState, type Problem } from "./figure_state.ts";
import { keep } from "./keep.ts";
import { fewParams } from "./look.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";

const more = "more"; // the group of what belongs to no other

/** Where each setting stands: "" at once, others behind the summary of their group. */
function groupsOf(params: readonly Param[]): Map<string, Param[]> {
  const groups = new Map<string, Param[]>([["", []]]);
  for (const param of params) {
    const group = param.group ?? "";
    groups.set(group, [...(groups.get(group) ?? []), param]);
  }
  return groups;
}

/** Settings without an effect beside the others are not shown. */
function isUseful({ shown_when = [] }: Param, { texts }: FigureState): boolean {
  return shown_when.every(({ param, is, is_not }) => {
    const text = texts[param] ?? "";
    return is?.includes(text) ?? !is_not?.includes(text);
  });
}

/** `run` stands where "defaults" and the progress of a run do otherwise. */
export function controlsView(
  state: FigureState,
  actions: FigureActions,
  run?: TemplateResult,
): TemplateResult {
  const { vocabulary, description, look } = state;
  const useful = description.params.filter((param) => isUseful(param, state));
  const isDefault = useful.every((param) => state.texts[param.name] === state.defaults[param.name]);
  const offered = look.controls === "few" ? fewParams(description) : description.params;
  const [[, main = []] = [], ...folded] = groupsOf(offered);
  const isBeside = ({ argument }: Problem): boolean =>
    useful.some((param) => param.name === argument && offered.includes(param));
  return html`<div class="figure-controls" role="group" aria-label=${ui(vocabulary, "controls")}>
    ${presets(state, actions)}
    <div class="control-bar">${drawn(main, state, actions)}</div>
    <div class="control-run">${run ?? progress(state, actions, isDefault)}</div>
    ${folded.length === 0 ? nothing : html`<div class="control-groups">${folded.map(([name, params]) => group(name, params, state, actions))}</div>`}
    ${problemsView(state.problems.filter((problem) => !isBeside(problem)))}
  </div>`;
}

/** What no control is there for. */
export function problemsView(problems: readonly Problem[]): TemplateResult[] {
  return problems.map(({ message }) => html`<p class="control-error" role="alert">${message}</p>`);
}

/** Each in its own place, whether shown or not: what is focused stays what it is. */
function drawn(
  params: readonly Param[],
  state: FigureState,
  actions: FigureActions,
): (TemplateResult | typeof nothing)[] {
  return params.map((param) => (isUseful(param, state) ? control(param, state, actions) : nothing));
}

function group(
  name: string,
  params: readonly Param[],
  state: FigureState,
  actions: FigureActions,
): TemplateResult {
  const { vocabulary, id, texts, defaults, problems } = state;
  const title = name === more ? ui(vocabulary, "more_settings") : word(vocabulary, "groups", name);
  const changed = params.some(
    (param) => isUseful(param, state) && texts[param.name] !== defaults[param.name],
  );
  const wrong = params.some((param) => problems.some(({ argument }) => argument === param.name));
  return html`<details class="more" id="${id}-group-${name}" ${wrong ? keep({ open: true }) : nothing}>
    <summary>${title}${changed ? html`<span class="changed" aria-hidden="true">•</span>` : nothing}</summary>
    <div class="control-bar">${drawn(params, state, actions)}</div>
  </details>`;
}

/** One text for many settings at once. The defaults are one more, unless a preset is the same. */
function presets(state: FigureState, actions: FigureActions): TemplateResult | typeof nothing {
  const { vocabulary, id, description, texts, defaults } = state;
  const { presets = [] } = description;
  if (presets.length === 0) return nothing;
  const same = Object.entries(defaults).every(([name, text]) => texts[name] === text);
  const shown = presetOf(description, texts) ?? (same ? "" : own);
  const names = presets.map(({ name }) => name);
  if (presetOf(description, defaults) === undefined) names.unshift("");
  if (shown === own) names.unshift(own);
  return html`<div class="control control-preset">
    <label for="${id}-preset">${ui(vocabulary, "preset")}</label>
    <select
      id="${id}-preset"
      name="preset"
      autocomplete="off"
      ${keep({ value: shown })}
      @change=${(event: Event) => actions.preset((event.target as HTMLSelectElement).value)}
    >
      ${names.map(
        (name) =>
          html`<option value=${name} ?selected=${name === shown}>${presetWord(name, vocabulary)}</option>`,
      )}
    </select>
  </div>`;
}

/** The choice where the settings are neither a preset's nor the defaults. */
const own = "own";

function presetWord(name: string, vocabulary: Vocabulary): string {
  if (name === own) return ui(vocabulary, "preset_own");
  return name ? word(vocabulary, "presets", name) : ui(vocabulary, "preset_none");
}

export function resetButton(
  { vocabulary, id }: FigureState,
  isDefault: boolean,
  { reset }: Pick<FigureActions, "reset">,
): TemplateResult {
  return html`<button type="button" class="button" id="${id}-reset" ?disabled=${isDefault} @click=${reset}>
    ${ui(vocabulary, "reset")}
  </button>`;
}

/** One place for "defaults" and, while a run takes long, its progress and "cancel". */
function progress(state: FigureState, actions: FigureActions, isDefault: boolean): TemplateResult {
  const { vocabulary, running, id } = state;
  if (running === undefined) {
    return resetButton(state, isDefault, actions);
  }
  const percent = `${Math.round(running * 100)} %`;
  return html`<div class="progress">
    <button type="button" class="button" id="${id}-cancel" @click=${actions.cancel}>
      ${ui(vocabulary, "cancel")}
    </button>
    <progress max="1" value=${running} aria-label=${ui(vocabulary, "running", { percent })}></progress>
  </div>`;
}
