// The numbers behind a chart, from the same arrays: one row per x, one column per series.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Figure } from "../../bindings/types.ts";
import { ui, word, type Vocabulary } from "../elements/vocabulary.ts";
import { brokenCells, isInfinite } from "./broken.ts";
import { formatNumber, formatWithError } from "./format.ts";
import { emptyGrid, nameOf } from "./heat_layout.ts";
import { mostCells } from "./heatmap.ts";
import { atText, figureName, seriesName, worded } from "./layout.ts";

/** Series with the same x share a table; others (a fine reference curve) get their own. */
export function figureColumns(figure: Figure): Figure["series"][] {
  const groups: Figure["series"][number][][] = [];
  for (const series of figure.series) {
    const group = groups.find(
      ([first]) => first?.x.length === series.x.length && first.x.every((x, i) => x === series.x[i]),
    );
    if (group) group.push(series);
    else groups.push([series]);
  }
  return groups;
}

export function figureTables(figure: Figure, vocabulary: Vocabulary): TemplateResult | TemplateResult[] {
  return figure.kind === "heatmap"
    ? gridTable(worded(figure, vocabulary), vocabulary)
    : seriesTables(figure, vocabulary);
}

/** A heat map as the matrix that it is; of a large one the first rows. */
function gridTable(figure: Figure, vocabulary: Vocabulary): TemplateResult {
  const { n_rows, n_cols, rows, cols, values } = figure.grid ?? emptyGrid;
  const broken = brokenCells(figure);
  const shown = Math.min(n_rows, Math.max(1, Math.floor(mostCells / Math.max(n_cols, 1))));
  const caption = [figureName(figure, vocabulary), atText(figure.at, vocabulary)].filter(Boolean).join(" · ");
  const cut = ui(vocabulary, "rows_cut", { rows: String(shown), n_rows: String(n_rows) });
  return numbersTable(
    shown < n_rows ? `${caption} ${cut}` : caption,
    html`<th scope="col">${word(vocabulary, "axes", figure.y)} \\ ${word(vocabulary, "axes", figure.x)}</th>
      ${Array.from({ length: n_cols }, (_, col) => html`<th scope="col">${nameOf(cols, col)}</th>`)}`,
    Array.from(
      { length: shown },
      (_, row) =>
        html`<tr>
          <th scope="row">${nameOf(rows, row)}</th>
          ${values.slice(row * n_cols, (row + 1) * n_cols).map((value, col) => {
            const sign = broken.get(row * n_cols + col);
            return sign === undefined
              ? html`<td>${formatNumber(value)}</td>`
              : html`<td class="broken">${sign}</td>`;
          })}
        </tr>`,
    ),
  );
}

/** In a frame of its own, which scrolls where the table is wide or long. */
export function numbersTable(
  caption: string,
  heads: TemplateResult,
  rows: readonly TemplateResult[] | undefined,
  kind = "numbers",
): TemplateResult {
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${caption}>
    <table class=${kind}>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function seriesTables(figure: Figure, vocabulary: Vocabulary): TemplateResult[] {
  const at = atText(figure.at, vocabulary);
  const caption = [figureName(figure, vocabulary), at].filter(Boolean).join(" · ");
  return figureColumns(figure).map((columns) =>
    numbersTable(
      caption,
      html`<th scope="col">${word(vocabulary, "axes", figure.x)}</th>
        ${columns.map((series) => html`<th scope="col">${seriesName(series, vocabulary)}</th>`)}`,
      columns[0]?.x.map(
        (x, row) =>
          html`<tr>
            <th scope="row">${formatNumber(x)}</th>
            ${columns.map((series) => html`<td class=${isInfinite(series.y[row]) ? "broken" : nothing}>${valueText(series, row)}</td>`)}
          </tr>`,
      ),
    ),
  );
}

/** 0.91 ± 0.02, or 0.91 (0.85 – 0.96) where there is a band. */
function valueText({ y, y_se, low, high }: Figure["series"][number], row: number): string {
  const value = formatWithError(y[row], y_se?.[row]);
  const [from, to] = [low?.[row], high?.[row]];
  if (typeof from !== "number" || typeof to !== "number" || from === to) return value;
  return `${value} (${formatNumber(from)} – ${formatNumber(to)})`;
}

export function countRows(figures: readonly Figure[]): number {
  let rows = 0;
  for (const figure of figures) {
    for (const group of figureColumns(figure)) rows += group[0]?.x.length ?? 0;
  }
  return rows;
}
