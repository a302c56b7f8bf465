// What a reader takes away from a figure, folded: the printed lines, the charts in words, the numbers as tables, files
// and links.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Figure, RunResult, Scalar } from "../../bindings/api/types.ts";
import { formatNumber, formatWithError } from "../charts/format.ts";
import { atText } from "../charts/layout.ts";
import { kindOf } from "../charts/kinds.ts";
import { countRows } from "../charts/series.ts";
import { summary } from "../charts/summary.ts";
import { numbersTable } from "../charts/table.ts";
import type { CodeKind } from "./code_export.ts";
import type { CopyKind, ExportKind, FigureActions, FigureState } from "./figure_state.ts";
import { ui, word, type UiKey, type Vocabulary } from "../words/vocabulary.ts";

/** Tables beyond this many rows, and those of heat maps, are only drawn while they are open. */
const fewRows = 400;

/** Closed until the reader asks for it. `more` stands last. */
export function apparatusView(
  state: FigureState,
  result: RunResult,
  actions: FigureActions,
  more: TemplateResult | typeof nothing,
): TemplateResult {
  return html`<details
      class="apparatus"
      id="${state.id}-apparatus"
      @toggle=${(event: Event) => {
        if (event.target === event.currentTarget)
          actions.showApparatus((event.target as HTMLDetailsElement).open);
      }}
    >
      <summary>${ui(state.vocabulary, "apparatus")}</summary>
      ${state.look.lines ? nothing : linesView(state, result, actions)} ${captions(state, result.figures)}
      ${dataView(state, result, actions)} ${exportBar(state, result, actions)} ${more}
    </details>
    <p class="figure-said" aria-hidden="true">${state.note}</p>`;
}

/** What the charts show in words, which screen readers hear of each chart. */
function captions(
  { apparatusShown, vocabulary }: FigureState,
  figures: readonly Figure[],
): TemplateResult | typeof nothing {
  if (!apparatusShown) return nothing;
  return html`<ul class="captions">
    ${figures.map((figure) => html`<li>${summary(figure, vocabulary)}</li>`)}
  </ul>`;
}

export function linesView(
  state: FigureState,
  result: RunResult,
  actions: FigureActions,
): TemplateResult | typeof nothing {
  if (result.lines.length === 0) return nothing;
  return html`<div class="printed">
    <pre tabindex="0" role="group" aria-label=${ui(state.vocabulary, "printed_lines")}>
${marked(result.lines.join("\n"))}</pre>
    ${copyButton(state, actions, "lines", "copy_lines")}
  </div>`;
}

/** What is infinite or no number stands out. */
function marked(text: string): (string | TemplateResult)[] {
  const parts = text.split(/(-?\b(?:inf|nan)\b)/);
  return parts.map((part, index) => (index % 2 === 1 ? html`<b class="broken">${part}</b>` : part));
}

function dataView(state: FigureState, result: RunResult, actions: FigureActions): TemplateResult {
  const { vocabulary, id } = state;
  const few = !state.changing && countRows(result.figures) + result.scalars.length <= fewRows;
  const drawn = state.dataShown || few;
  return html`<details
    class="figure-data"
    id="${id}-data"
    @toggle=${(event: Event) => actions.showData((event.target as HTMLDetailsElement).open)}
  >
    <summary>${ui(vocabulary, "show_data")}</summary>
    ${
      drawn
        ? html`<div class="tables">
            ${scalarTable(result.scalars, vocabulary)}
            ${result.figures.map((figure) => tableOf(figure, state))}
          </div>`
        : nothing
    }
  </details>`;
}

function tableOf(figure: Figure, { dataShown, vocabulary }: FigureState): unknown {
  const { longTable, table } = kindOf(figure);
  return longTable && !dataShown ? nothing : table(figure, vocabulary);
}

function scalarTable(scalars: readonly Scalar[], vocabulary: Vocabulary): TemplateResult | typeof nothing {
  if (scalars.length === 0) return nothing;
  const expected = scalars.some((scalar) => scalar.expected !== undefined);
  const spread = scalars.some((scalar) => scalar.p50 !== undefined);
  const heads: UiKey[] = ["name", "at", "value"];
  if (expected) heads.push("expected");
  if (spread) heads.push("spread");
  return numbersTable(
    ui(vocabulary, "scalars"),
    html`${heads.map((key) => html`<th scope="col">${ui(vocabulary, key)}</th>`)}`,
    scalars.map(
      (scalar) =>
        html`<tr>
          <th scope="row">${word(vocabulary, "scalars", scalar.name)}</th>
          <td class="words">${atText(scalar.at, vocabulary)}</td>
          <td>${formatWithError(scalar.value, scalar.se)}</td>
          ${expected ? html`<td>${scalar.expected === undefined ? "" : formatNumber(scalar.expected)}</td>` : nothing}
          ${spread ? html`<td>${percentiles(scalar)}</td>` : nothing}
        </tr>`,
    ),
    "numbers scalars",
  );
}

function percentiles({ p10, p50, p90 }: Scalar): string {
  if (p50 === undefined) return "";
  return [p10, p50, p90].map((value) => formatNumber(value, 3)).join(" · ");
}

function copyButton(state: FigureState, actions: FigureActions, kind: CopyKind, key: UiKey): TemplateResult {
  return html`<button
    type="button"
    class="button"
    id="${state.id}-copy-${kind}"
    @click=${() => actions.copy(kind)}
  >
    ${ui(state.vocabulary, key)}
  </button>`;
}

const exportKinds: readonly ExportKind[] = ["csv", "json", "svg", "png"];
const codeNames: Readonly<Record<CodeKind, string>> = { numpy: "NumPy", torch: "PyTorch", cpp: "C++" };

/** Programs stand last, since they come late: what is pointed at does not move away. */
function exportButtons(state: FigureState, actions: FigureActions): TemplateResult {
  const { vocabulary } = state;
  return html`<div class="exports" role="group" aria-label=${ui(vocabulary, "export")}>
    <span class="exports-label" aria-hidden="true">${ui(vocabulary, "export")}</span>
    ${exportKinds.map((kind) => exportButton(state, actions, kind, kind.toUpperCase()))}
    ${state.linkable ? copyButton(state, actions, "link", "copy_link") : nothing}
    ${copyButton(state, actions, "tag", "copy_tag")}
    ${(state.programs ?? []).map((kind) => exportButton(state, actions, kind, codeNames[kind]))}
  </div>`;
}

function exportButton(
  { id }: FigureState,
  actions: FigureActions,
  kind: ExportKind | CodeKind,
  name: string,
): TemplateResult {
  return html`<button
    type="button"
    class="button"
    id="${id}-export-${kind}"
    @click=${() => actions.export(kind)}
  >
    ${name}
  </button>`;
}

function exportBar(state: FigureState, result: RunResult, actions: FigureActions): TemplateResult {
  const { vocabulary } = state;
  return html`<div class="figure-foot">
    ${exportButtons(state, actions)}
    ${
      result.timed
        ? nothing
        : html`<p class="figure-hash" title=${ui(vocabulary, "hash_hint")}>
            <span>${ui(vocabulary, "hash")}</span> <code>${result.hash}</code>
          </p>`
    }
  </div>`;
}
