// What is said about a heat map: its title, its sentence, and one of its cells.
import type { Grid, HeatMapFigure } from "../../bindings/api/types.ts";
import { ui, word, type UiKey, type Vocabulary } from "../words/vocabulary.ts";
import { brokenCells } from "./heat_broken.ts";
import type { Cell, ChartContext } from "./context.ts";
import { formatNumber } from "./format.ts";
import { nameOf } from "./heat_layout.ts";
import { extentOf } from "./heat_scale.ts";
import { atText, atWords, choice, figureName } from "./layout.ts";

/** The figure with the names of rows and columns in the reader's language, where they are the program's own. */
export function worded(figure: HeatMapFigure, vocabulary: Vocabulary): HeatMapFigure {
  const { grid, x } = figure;
  if (!grid.cols || x !== "pass") return figure;
  return { ...figure, grid: { ...grid, cols: grid.cols.map((name) => choice(name, vocabulary)) } };
}

/** One of many of its name is told by what makes it different, any other by its name too. */
export function title(
  figure: HeatMapFigure,
  { vocabulary, compact, mixed, same = [] }: ChartContext,
): string {
  const labels = Object.entries(figure.at).filter(([name]) => !same.includes(name));
  const at = atText(Object.fromEntries(labels), vocabulary);
  if (compact && !mixed && at) return at;
  return [figureName(figure, vocabulary), at].filter(Boolean).join(" · ");
}

/** Where keys are, what is missing is masked. */
function isMasked({ x }: HeatMapFigure): boolean {
  return x.endsWith("key");
}

export function missingText(figure: HeatMapFigure, vocabulary: Vocabulary): string {
  return ui(vocabulary, isMasked(figure) ? "heat_masked" : "heat_missing");
}

/** The words that the sentences about a heat map are made of. */
function heatWords(figure: HeatMapFigure, grid: Grid, vocabulary: Vocabulary): Record<string, string> {
  const { least, most, count, place } = extentOf(grid);
  const row = nameOf(grid.rows, Math.floor(place / grid.n_cols));
  const col = nameOf(grid.cols, place % grid.n_cols);
  const broken = brokenCells(figure).size;
  const missing = grid.n_rows * grid.n_cols - count - broken;
  return {
    figure: figureName(figure, vocabulary),
    at: atWords(figure, vocabulary),
    n_rows: String(grid.n_rows),
    n_cols: String(grid.n_cols),
    least: formatNumber(least, 3),
    most: formatNumber(most, 3),
    place: ui(vocabulary, "heat_place", {
      row: `${word(vocabulary, "axes", figure.y)} ${row}`,
      col: `${word(vocabulary, "axes", figure.x)} ${col}`,
    }),
    missing: [
      missing > 0
        ? ui(vocabulary, isMasked(figure) ? "summary_missing" : "summary_without", { count: String(missing) })
        : "",
      broken > 0 ? ui(vocabulary, "summary_broken", { count: String(broken) }) : "",
    ].join(""),
  };
}

export function heatSummary(
  figure: HeatMapFigure,
  vocabulary: Vocabulary,
  key: UiKey = "summary_heatmap",
): string {
  const { grid } = figure;
  const known = extentOf(grid).count > 0 ? key : "summary_heatmap_empty";
  return ui(vocabulary, known, heatWords(figure, grid, vocabulary));
}

/** Under one of many maps: the largest value and its place. */
export function heatPeak(figure: HeatMapFigure, vocabulary: Vocabulary): string {
  return heatSummary(figure, vocabulary, "heat_peak");
}

/** Query cat, key sat: 0.25 */
export function cellText(figure: HeatMapFigure, cell: Cell, vocabulary: Vocabulary): string {
  const { row, col, value } = cellWords(figure, cell, vocabulary);
  return ui(vocabulary, "heat_cell", { place: ui(vocabulary, "heat_place", { row, col }), value });
}

/** The value to its last digit. */
export function cellWords(
  shown: HeatMapFigure,
  { row, col }: Cell,
  vocabulary: Vocabulary,
): Record<"row" | "col" | "value", string> {
  const figure = worded(shown, vocabulary);
  const grid = figure.grid;
  const index = row * grid.n_cols + col;
  return {
    row: `${word(vocabulary, "axes", figure.y)} ${nameOf(grid.rows, row)}`,
    col: `${word(vocabulary, "axes", figure.x)} ${nameOf(grid.cols, col)}`,
    value: brokenCells(figure).get(index) ?? exactText(grid.values[index]) ?? missingText(figure, vocabulary),
  };
}

function exactText(value: number | null = null): string | undefined {
  return value === null ? undefined : String(value).replace("-", "−");
}
