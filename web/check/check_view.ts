// The reader's check as a pure template of its state: a button, progress, and two tables.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { formatNumber } from "../charts/format.ts";
import { numbersTable } from "../charts/table.ts";
import type { Case, Check, OperatorError } from "./check_run.ts";
import { fill, word, type Vocabulary } from "../words/vocabulary.ts";

export interface CheckState {
  vocabulary: Vocabulary;
  check: Check | undefined;
  /** Why it could not start. */
  problem: string;
  note: string;
}

export interface CheckActions {
  start(): void;
  cancel(): void;
  copyReport(): void;
}

const nothingToDo = (): void => undefined;
export const noCheckActions: CheckActions = {
  start: nothingToDo,
  cancel: nothingToDo,
  copyReport: nothingToDo,
};

function checkWord(vocabulary: Vocabulary, key: string, values: Record<string, string> = {}): string {
  return fill(word(vocabulary, "check", key), values);
}

export function checkView(state: CheckState, actions: CheckActions): TemplateResult {
  const { vocabulary, check, problem, note } = state;
  const running = check?.status === "running";
  const title = checkWord(vocabulary, "check");
  return html`<div class="figure-root reader-check" role="group" aria-label=${title}>
    <div class="check-bar">
      ${button("check-run", checkWord(vocabulary, running ? "cancel" : "start"), running ? actions.cancel : actions.start)}
      ${check ? html`<progress max=${check.cases.length} value=${check.done} aria-label=${title}></progress>` : nothing}
      <span class="check-count">${countText(state)}</span>
      ${check && !running ? button("check-report", checkWord(vocabulary, "copy_report"), actions.copyReport) : nothing}
    </div>
    ${problem === "" ? nothing : html`<p class="control-error" role="alert">${problem}</p>`}
    ${check ? casesTable(check, vocabulary) : nothing}
    ${check && check.errors.length > 0 ? errorsTable(check.errors, vocabulary) : nothing}
    <p class="visually-hidden" role="status">${note}</p>
  </div>`;
}

function button(id: string, text: string, click: () => void): TemplateResult {
  return html`<button type="button" class="button" id=${id} @click=${click}>${text}</button>`;
}

/** What has come of it so far. */
export function countText({ check, vocabulary }: Pick<CheckState, "check" | "vocabulary">): string {
  if (!check) return checkWord(vocabulary, "ready");
  const same = check.count("same");
  const wrong = check.count("differs") + check.count("failed");
  const values = { same: String(same), all: String(check.cases.length), wrong: String(wrong) };
  if (check.status === "done") return checkWord(vocabulary, wrong === 0 ? "all_same" : "some_differ", values);
  return checkWord(vocabulary, check.status === "cancelled" ? "cancelled" : "under_way", values);
}

function table(title: string, heads: readonly string[], rows: readonly TemplateResult[]): TemplateResult {
  return numbersTable(
    title,
    html`${heads.map((head) => html`<th scope="col">${head}</th>`)}`,
    rows,
    "numbers scalars",
  );
}

const marks: Record<Case["status"], string> = {
  waiting: "",
  running: "…",
  same: "✓",
  differs: "✗",
  failed: "✗",
};

function casesTable({ cases }: Check, vocabulary: Vocabulary): TemplateResult {
  const heads = ["case", "here", "native", "result"].map((key) => checkWord(vocabulary, key));
  const rows = cases.map(
    ({ line, hash, got, status }) =>
      html`<tr class="check-${status}">
        <th scope="row"><code class="check-line">${line}</code></th>
        <td><code>${got}</code></td>
        <td><code>${hash}</code></td>
        <td>${marks[status]} ${checkWord(vocabulary, status)}</td>
      </tr>`,
  );
  return table(checkWord(vocabulary, "cases"), heads, rows);
}

function errorsTable(errors: readonly OperatorError[], vocabulary: Vocabulary): TemplateResult {
  const heads = ["operator", "error", "bound"].map((key) => checkWord(vocabulary, key));
  const rows = errors.map(({ operator, pass, error, bound, inLastPlaces }) => {
    const unit = inLastPlaces ? ` ${checkWord(vocabulary, "last_places")}` : "";
    return html`<tr>
      <th scope="row"><code>${operator}</code>, ${word(vocabulary, "choices", pass)}</th>
      <td>${formatNumber(error, 3)}${unit}</td>
      <td>${formatNumber(bound, 3)}${unit}</td>
    </tr>`;
  });
  return table(checkWord(vocabulary, "errors"), heads, rows);
}
