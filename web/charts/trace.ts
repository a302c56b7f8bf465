// From a number of attention back to what it came from, and on to what comes from it: the query's row and the
// key's row in every map of the figure, and the same cell in every map of queries and keys.
import type { Figure } from "../../bindings/api/types.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";
import type { Cell, Mark } from "./context.ts";
import { nameOf } from "./heat_layout.ts";
import { cellWords } from "./heat_words.ts";
import { atText, figureName } from "./layout.ts";

interface Pair {
  query?: number | undefined;
  key?: number | undefined;
}

/** Whose the rows of a map are; a token is both. */
function sidesOf({ name, y }: Figure): { query: boolean; key: boolean } {
  const key = y === "document" || (y === "token" && ["x", "k", "v"].includes(name));
  return { key, query: y === "query" || (y === "token" && (name === "x" || !key)) };
}

function pairAt(figure: Figure, { row, col }: Cell): Pair {
  const { query, key } = sidesOf(figure);
  return {
    query: query ? row : undefined,
    key: figure.x === "key" ? col : key ? row : undefined,
  };
}

/** In each of the figures; in the one that is pointed at nothing that its own frame does not show. */
export function trace(
  figures: readonly Figure[],
  pointed: { figure: number; cell: Cell },
): readonly (readonly Mark[])[] {
  const from = figures[pointed.figure];
  if (from?.kind !== "heatmap") return [];
  const { query, key } = pairAt(from, pointed.cell);
  return figures.map((figure, index): Mark[] => {
    if (figure.kind !== "heatmap" || index === pointed.figure) return [];
    const { n_rows, n_cols } = figure.grid;
    if (figure.x === "key") {
      if ((query ?? 0) >= n_rows || (key ?? 0) >= n_cols) return [];
      if (from.x === "key") return [{ row: query, col: key }];
      return [{ row: query }, { col: key }].filter(({ row, col }) => row !== undefined || col !== undefined);
    }
    const sides = sidesOf(figure);
    const rows = new Set([sides.query ? query : undefined, sides.key ? key : undefined]);
    return [...rows].flatMap((row) => (row !== undefined && row < n_rows ? [{ row }] : []));
  });
}

/** Marked: Queries Q, token cat; Keys K, token mat; Scores QKᵀ 0.31 … */
export function traceText(
  figures: readonly Figure[],
  pointed: { figure: number; cell: Cell },
  vocabulary: Vocabulary,
): string {
  const marks = trace(figures, pointed);
  const items = figures.flatMap((figure, index) => {
    if (figure.kind !== "heatmap") return [];
    const { rows, cols } = figure.grid;
    const many = figures.filter(({ name }) => name === figure.name).length > 1;
    const at = many ? `, ${atText(figure.at, vocabulary)}` : "";
    const name = figureName(figure, vocabulary) + at;
    return (marks[index] ?? []).map(({ row, col }) => {
      if (row !== undefined && col !== undefined) {
        return `${name} ${cellWords(figure, { row, col }, vocabulary).value}`;
      }
      const place =
        row === undefined
          ? `${word(vocabulary, "axes", figure.x)} ${nameOf(cols, col!)}`
          : `${word(vocabulary, "axes", figure.y)} ${nameOf(rows, row)}`;
      return `${name}, ${place}`;
    });
  });
  return items.length === 0 ? "" : ui(vocabulary, "heat_traced", { items: items.join("; ") });
}
