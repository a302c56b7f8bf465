// A chart in one sentence, from the same arrays: its caption, and what screen readers hear.
import type { Figure, FigureKind, Grid, Series } from "../../bindings/types.ts";
import { ui, word, type UiKey, type Vocabulary } from "../elements/vocabulary.ts";
import { brokenCells } from "./broken.ts";
import { formatNumber, formatTick, formatTogether, formatWeight } from "./format.ts";
import { emptyGrid, nameOf } from "./heat_layout.ts";
import { atText, figureName, finite, seriesName } from "./layout.ts";

export function summary(figure: Figure, vocabulary: Vocabulary): string {
  const text =
    figure.kind === "heatmap" ? heatSummary(figure, vocabulary) : seriesSummary(figure, vocabulary);
  return spaced(text)
    .replace(/ = /g, "\u00a0=\u00a0")
    .replace(/\/(?=\S)/g, "/\u2060"); // no line ends inside d = 32, 1/√d
}

/** Chinese characters stand apart from Latin and Greek letters and from numbers. */
function spaced(text: string): string {
  return text
    .replace(/(\p{sc=Han})(?=[\p{sc=Latin}\p{sc=Greek}\p{N}])/gu, "$1 ")
    .replace(/([\p{sc=Latin}\p{sc=Greek}\p{N})])(?=\p{sc=Han})/gu, "$1 ");
}

function atWords(figure: Figure, vocabulary: Vocabulary): string {
  const at = atText(figure.at, vocabulary);
  return at && ui(vocabulary, "summary_at", { items: at });
}

interface HeatExtent {
  least: number;
  most: number;
  missing: number;
  row: string; // names of the largest one's
  col: string;
}

function heatExtent({ n_rows, n_cols, rows, cols, values }: Grid): HeatExtent {
  let [least, most, count, place] = [Infinity, -Infinity, 0, 0];
  values.forEach((value, index) => {
    if (!finite(value)) return;
    count += 1;
    least = Math.min(least, value);
    if (value > most) [most, place] = [value, index];
  });
  const row = nameOf(rows, Math.floor(place / n_cols));
  return { least, most, missing: n_rows * n_cols - count, row, col: nameOf(cols, place % n_cols) };
}

/** Where keys are, what is missing is masked. */
function isMasked({ x }: Figure): boolean {
  return x.endsWith("key");
}

export function missingText(figure: Figure, vocabulary: Vocabulary): string {
  return ui(vocabulary, isMasked(figure) ? "heat_masked" : "heat_missing");
}

/** The words that the sentences about a heat map are made of. */
function heatWords(figure: Figure, grid: Grid, vocabulary: Vocabulary): Record<string, string> {
  const { least, most, row, col, ...extent } = heatExtent(grid);
  const broken = brokenCells(figure).size;
  const missing = extent.missing - broken;
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

function heatSummary(figure: Figure, vocabulary: Vocabulary, key: UiKey = "summary_heatmap"): string {
  const { grid = emptyGrid } = figure;
  const known = grid.values.some(finite) ? key : "summary_heatmap_empty";
  return ui(vocabulary, known, heatWords(figure, grid, vocabulary));
}

/** Under one of many maps: the largest value and its place. */
export function heatPeak(figure: Figure, vocabulary: Vocabulary): string {
  return heatSummary(figure, vocabulary, "heat_peak");
}

function seriesSummary(figure: Figure, vocabulary: Vocabulary): string {
  const measured = figure.series.filter(
    ({ role, y }) => y.some(finite) && !(role === "reference" && figure.kind === "histogram"),
  );
  const items = measured.map((series) => item(series, figure, vocabulary));
  const kind = figure.kind as Exclude<FigureKind, "heatmap">;
  return ui(vocabulary, `summary_${kind}`, {
    figure: figureName(figure, vocabulary),
    at: atWords(figure, vocabulary),
    y: word(vocabulary, "axes", figure.y),
    items: items.join(ui(vocabulary, "list_separator")),
    ...ends(measured[0], figure, vocabulary),
  });
}

/** Name, first and last value of the x axis. */
function ends(
  series: Series | undefined,
  figure: Figure,
  vocabulary: Vocabulary,
): Record<"x" | "first" | "last", string> {
  const text = (value: number | null | undefined): string =>
    finite(value) ? formatTick(Number(value.toPrecision(3))) : "–";
  const x = word(vocabulary, "symbols", figure.x);
  return { x, first: text(series?.x[0]), last: text(series?.x.at(-1)) };
}

function item(series: Series, figure: Figure, vocabulary: Vocabulary): string {
  const name = seriesName(series, vocabulary);
  const ys = series.y.map((value) => (finite(value) ? value : Number.NEGATIVE_INFINITY));
  const peak = ys.indexOf(Math.max(...ys));
  if (figure.kind === "bars") {
    return ui(vocabulary, "summary_item", { series: name, value: formatWeight(series.y[peak]) });
  }
  const words = { series: name, ...ends(series, figure, vocabulary) };
  if (figure.kind === "histogram") {
    const at = series.x[peak];
    return ui(vocabulary, "summary_histogram_item", {
      ...words,
      peak: finite(at) ? formatTick(Number(at.toPrecision(3))) : "–",
    });
  }
  const at = figure.series.flatMap(endsOf);
  const of = 2 * figure.series.indexOf(series);
  const [from, to] = formatTogether(at, 3).slice(of, of + 2);
  if (from === to) return ui(vocabulary, "summary_item", { series: name, value: from ?? "–" });
  return ui(vocabulary, "summary_lines_item", { ...words, from: from ?? "–", to: to ?? "–" });
}

/** What is measured at a step is not there before the first. */
function endsOf({ y }: Series): [number | undefined, number | undefined] {
  const known = y.filter((value) => value !== null);
  return [known[0], known.at(-1)];
}
