// A chart in one sentence, from the same arrays: its caption, and what screen readers hear.
import type { Figure, Series } from "../../bindings/types.ts";
import { ui, word, type Vocabulary } from "../elements/vocabulary.ts";
import { formatNumber, formatTick, formatWeight } from "./format.ts";
import { atText, figureName, finite, seriesName } from "./layout.ts";

export function summary(figure: Figure, vocabulary: Vocabulary): string {
  const at = atText(figure.at, vocabulary);
  const measured = figure.series.filter(
    ({ role, y }) => y.some(finite) && !(role === "reference" && figure.kind === "histogram"),
  );
  const items = measured.map((series) => item(series, figure, vocabulary));
  const text = ui(vocabulary, `summary_${figure.kind}`, {
    figure: figureName(figure, vocabulary),
    at: at && ui(vocabulary, "summary_at", { items: at }),
    y: word(vocabulary, "axes", figure.y),
    items: items.join(ui(vocabulary, "list_separator")),
    ...ends(measured[0], figure, vocabulary),
  });
  return text.replace(/ = /g, "\u00a0=\u00a0").replace(/\/(?=\S)/g, "/\u2060"); // no line ends inside d = 32, 1/√d
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
  const [from = "–", to = "–"] = [series.y[0], series.y.at(-1)].map((value) => formatNumber(value, 3));
  return ui(vocabulary, "summary_lines_item", { ...words, from, to });
}
