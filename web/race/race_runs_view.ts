// The table of this session's runs: what set them apart and how they ended.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { choice, shortened } from "../charts/layout.ts";
import { formatNumber, formatWeight } from "../charts/format.ts";
import { numbersTable } from "../charts/table.ts";
import { ownSettings, type RunEntry } from "./race_runs.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { raceWord, racerRole } from "./race_words.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";

const longestText = 160; // pixels of a setting
const heads = ["racer", "settings", "steps", "steps_to_90", "accuracy", "hash"] as const;

export function runsView(state: RaceState, actions: RaceActions): TemplateResult | typeof nothing {
  const { runs, figure } = state;
  const { vocabulary } = figure;
  if (runs.length === 0) return nothing;
  const title = raceWord(vocabulary, "runs");
  const columns = html`${heads.map((key) => html`<th scope="col">${raceWord(vocabulary, `runs_${key}`)}</th>`)}
    <td></td>`;
  const rows = runs.map((entry) => row(entry, state, actions));
  return numbersTable(title, columns, rows, "numbers scalars race-runs");
}

function row(entry: RunEntry, { figure }: RaceState, actions: RaceActions): TemplateResult {
  const { vocabulary, defaults } = figure;
  const { scale, n_heads, steps, steps_to_90, accuracy, hash, id } = entry;
  const name = `${word(vocabulary, "choices", scale)}, ${word(vocabulary, "symbols", "n_heads")} = ${n_heads}`;
  const own = ownSettings(entry, defaults).map(([name, text]) =>
    ui(vocabulary, "at_item", {
      name: settingName(name, vocabulary),
      value: shortened(choice(text, vocabulary), longestText),
    }),
  );
  const button = (key: string, click: () => void): TemplateResult =>
    html`<button
      type="button"
      class="button"
      aria-label="${raceWord(vocabulary, key)}: ${name}"
      @click=${click}
    >
      ${raceWord(vocabulary, key)}
    </button>`;
  return html`<tr>
    <th scope="row" class="role-${racerRole(entry)}">${name}</th>
    <td class="words">${own.join("; ") || raceWord(vocabulary, "default_settings")}</td>
    <td>${steps}</td>
    <td>${steps_to_90 === null ? raceWord(vocabulary, "never") : formatNumber(steps_to_90)}</td>
    <td>${formatWeight(accuracy)}</td>
    <td><code>${hash}</code></td>
    <td>
      ${button("restore", () => actions.restoreRun(id))} ${button("remove", () => actions.removeRun(id))}
    </td>
  </tr>`;
}

/** Its symbol, or else what its control is called. */
function settingName(name: string, vocabulary: Vocabulary): string {
  const symbol = word(vocabulary, "symbols", name);
  return symbol === name ? word(vocabulary, "params", name) : symbol;
}
