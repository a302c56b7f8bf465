// What the kinds of charts that show series share: the sentence, the tables, the lines of a CSV file.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Figure, Series } from "../../bindings/api/types.ts";
import { ui, word, type UiKey, type Vocabulary } from "../words/vocabulary.ts";
import { isInfinite } from "./broken.ts";
import { formatNumber, formatTick, formatWithError } from "./format.ts";
import type { CsvPoint } from "./kind.ts";
import { atText, atWords, figureName, finite, seriesName } from "./layout.ts";
import { numbersTable } from "./table.ts";

type Item = (series: Series, figure: Figure, vocabulary: Vocabulary) => string;

/** `key`: the sentence around the items, one for each of the series with a number. */
export function seriesSummary(
  key: UiKey,
  figure: Figure,
  series: readonly Series[],
  item: Item,
  vocabulary: Vocabulary,
): string {
  const measured = series.filter(({ y }) => y.some(finite));
  const about = { figure: figureName(figure, vocabulary), at: atWords(figure, vocabulary) };
  if (measured.length === 0) return ui(vocabulary, "summary_empty", about);
  return ui(vocabulary, key, {
    ...about,
    y: word(vocabulary, "axes", figure.y),
    items: measured.map((one) => item(one, figure, vocabulary)).join(ui(vocabulary, "list_separator")),
    ...ends(measured[0], figure, vocabulary),
  });
}

/** Name, first and last value of the x axis. */
export function ends(
  series: Series | undefined,
  figure: Figure,
  vocabulary: Vocabulary,
): Record<"x" | "first" | "last", string> {
  const x = word(vocabulary, "symbols", figure.x);
  return { x, first: shortTick(series?.x[0]), last: shortTick(series?.x.at(-1)) };
}

export function shortTick(value: number | null | undefined): string {
  return finite(value) ? formatTick(Number(value.toPrecision(3))) : "–";
}

/** The index of the largest value. */
export function peakOf({ y }: Series): number {
  const ys = y.map((value) => (finite(value) ? value : Number.NEGATIVE_INFINITY));
  return ys.indexOf(Math.max(...ys));
}

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

/** One row per x, one column per series. */
export function seriesTables(figure: Figure, vocabulary: Vocabulary): TemplateResult[] {
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

/** The number of rows of the tables. */
export function countRows(figures: readonly Figure[]): number {
  let rows = 0;
  for (const figure of figures) {
    for (const group of figureColumns(figure)) rows += group[0]?.x.length ?? 0;
  }
  return rows;
}

export function seriesCsv({ series }: Figure): CsvPoint[] {
  return series.flatMap(({ name, x, y, y_se, low, high }) =>
    x.map((at, i) => ({
      series: name,
      x: at,
      value: y[i],
      se: y_se?.[i],
      low: low?.[i],
      high: high?.[i],
    })),
  );
}
