// A matrix as a map of colours that can be pointed at.
import { html, nothing, type TemplateResult } from "lit/html.js";
import { live } from "lit/directives/live.js";
import type { Figure, HeatMapFigure } from "../../bindings/api/types.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";
import { brokenCells } from "./heat_broken.ts";
import type { Cell, ChartContext } from "./context.ts";
import { formatNumber, typeset } from "./format.ts";
import { heatDrawing, maxCells } from "./heat_draw.ts";
import { cellAfter, cellAt, columnsOf, heatLayout, nameOf } from "./heat_layout.ts";
import { entered, leads, leave, stopHere, type Entrance } from "./heat_rove.ts";
import { heatDomain } from "./heat_scale.ts";
import { cellText, heatPeak, heatSummary, title, worded } from "./heat_words.ts";
import type { ChartKind, CsvPoint } from "./kind.ts";
import { atText, figureName } from "./layout.ts";
import { seriesCsv } from "./series.ts";
import { numbersTable } from "./table.ts";

export const heatmap: ChartKind<HeatMapFigure> = {
  draw(given, context) {
    const figure = worded(given, context.vocabulary);
    const layout = heatLayout(figure.grid, context.compact, context.columns);
    return { width: layout.width, height: layout.height, marks: heatDrawing(figure, layout, context) };
  },
  view: (figure, context, caption) => view(worded(figure, context.vocabulary), context, caption),
  summary: (figure, vocabulary) => heatSummary(worded(figure, vocabulary), vocabulary),
  shortSummary: (figure, vocabulary) => heatPeak(worded(figure, vocabulary), vocabulary),
  cellText,
  table: (figure, vocabulary) => gridTable(worded(figure, vocabulary), vocabulary),
  longTable: true,
  csv: (figure) => [...gridCsv(figure), ...seriesCsv(figure)],
  ofMany(figure, all, mixed) {
    const same = sameLabels(all.filter(({ name }) => name === figure.name));
    const columns = mixed ? columnsOf(figure.grid) : 1;
    return { columns, same, domain: heatDomain(figure, all) };
  },
};

function view(figure: HeatMapFigure, context: ChartContext, caption: string): TemplateResult {
  const grid = figure.grid;
  const layout = heatLayout(grid, context.compact, context.columns);
  const { vocabulary, among } = context;
  let now = context.cell; // keys may come faster than drawings
  const point = (cell: Cell | undefined): void => {
    now = cell;
    context.point?.(cell);
  };
  const at = (event: PointerEvent): Cell | undefined => {
    const area = (event.currentTarget as Element).querySelector("svg")?.getBoundingClientRect();
    if (!area?.width) return undefined;
    const unit = layout.width / area.width;
    return cellAt(layout, grid, (event.clientX - area.left) * unit, (event.clientY - area.top) * unit);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, currentTarget } = event;
    const next = key === "Escape" ? undefined : cellAfter(key, now, grid);
    if (now && leads(key, now, grid) && leave(currentTarget as HTMLElement, key, now)) {
      event.preventDefault();
      return;
    }
    if (!next && !(key === "Escape" && now)) return;
    event.preventDefault();
    point(next);
  };
  const use = (event: FocusEvent): void => {
    among?.take();
    stopHere(event.currentTarget as HTMLElement);
  };
  const label = `${title(figure, context)}. ${ui(vocabulary, among ? "heat_keys_among" : "heat_keys")}`;
  return html`<div
    class="heat"
    tabindex=${live(among?.stop === false ? -1 : 0)}
    role="application"
    aria-label=${label}
    @pointermove=${(event: PointerEvent) => point(at(event))}
    @pointerdown=${(event: PointerEvent) => point(at(event))}
    @pointerleave=${() => point(undefined)}
    @keydown=${press}
    @focus=${use}
    @heat-enter=${(event: CustomEvent<Entrance>) => point(entered(event.detail, grid))}
    @blur=${() => point(undefined)}
  >
    <svg
      class="chart-svg"
      viewBox="0 0 ${layout.width} ${layout.height}"
      role="img"
      aria-label=${context.compact ? typeset(heatSummary(figure, vocabulary)) : nothing}
      aria-labelledby=${context.compact ? nothing : caption}
    >
      ${heatDrawing(figure, layout, context)}
    </svg>
  </div>`;
}

/** A heat map as the matrix that it is; of a large one the first rows. */
function gridTable(figure: HeatMapFigure, vocabulary: Vocabulary): TemplateResult {
  const { n_rows, n_cols, rows, cols, values } = figure.grid;
  const broken = brokenCells(figure);
  const shown = Math.min(n_rows, Math.max(1, Math.floor(maxCells / Math.max(n_cols, 1))));
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

function gridCsv({ grid }: HeatMapFigure): CsvPoint[] {
  const { n_cols, rows, cols, values } = grid;
  return values.map((value, index) => ({
    series: nameOf(rows, Math.floor(index / n_cols)),
    x: nameOf(cols, index % n_cols),
    value,
  }));
}

/** Labels that tell none of these from another. */
function sameLabels(figures: readonly Figure[]): string[] {
  const [first, ...rest] = figures;
  if (!first || rest.length === 0) return [];
  return Object.keys(first.at).filter((label) => rest.every(({ at }) => at[label] === first.at[label]));
}
