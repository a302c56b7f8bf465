// Where a number stands in a result, as text:
//   softmax_max[d=512,scale=none]         a scalar, by labels that name it alone; `:p50`, `:se`, `:std`, `:expected` …: a field of it
//   max_over_d[n_keys=8] > none > 512     of a chart, the series and the x; or its `first`, `last`, `least`, `most` or `mean`
//   weights[step=4] > cat > mat           of a map, row and column, by name or counted from 0
import type { Figure, Labels, RunResult, Scalar } from "../../bindings/api/types.ts";

/** The number, or undefined where the result has none there, or several. */
export function valueAt(result: RunResult, path: string): number | undefined {
  const [place = "", first, second] = path.split(" > ");
  const [, name = "", labels = "", field = "value"] = /^([^[:]+)(?:\[(.*)\])?(?::(\w+))?$/.exec(place) ?? [];
  const at = Object.fromEntries(
    labels
      .split(/,(?=\w+=)/)
      .filter(Boolean)
      .map((label) => [label.slice(0, label.indexOf("=")), label.slice(label.indexOf("=") + 1)]),
  );
  if (first === undefined || second === undefined) {
    const scalar = only(result.scalars, name, at);
    const found = scalar?.[field as keyof Scalar];
    return typeof found === "number" ? found : undefined;
  }
  const figure = only(result.figures, name, at);
  return figure && (figure.grid ? inMap(figure.grid, first, second) : inSeries(figure, first, second));
}

/** The one of this name with these labels and no others, or else with these among them. */
function only<Named extends { name: string; at: Labels }>(
  all: readonly Named[],
  name: string,
  labels: Labels,
): Named | undefined {
  const wanted = Object.entries(labels);
  const found = all.filter(
    (each) => each.name === name && wanted.every(([key, value]) => each.at[key] === value),
  );
  const exact = found.filter(({ at }) => Object.keys(at).length === wanted.length);
  return exact.length === 1 ? exact[0] : found.length === 1 ? found[0] : undefined;
}

function inMap(grid: NonNullable<Figure["grid"]>, row: string, col: string): number | undefined {
  const index = (names: readonly string[] | undefined, count: number, wanted: string): number => {
    const found = names?.indexOf(wanted) ?? -1;
    if (found >= 0) return names!.lastIndexOf(wanted) === found ? found : NaN;
    return Number(wanted) < count ? Number(wanted) : NaN;
  };
  const place = index(grid.rows, grid.n_rows, row) * grid.n_cols + index(grid.cols, grid.n_cols, col);
  return grid.values[place] ?? undefined;
}

function inSeries(figure: Figure, name: string, at: string): number | undefined {
  const series = figure.series.find((each) => each.name === name);
  if (!series) return undefined;
  const numbers = series.y.filter((y) => y !== null);
  const of: Record<string, () => number | null | undefined> = {
    first: () => series.y[0],
    last: () => series.y.at(-1),
    least: () => Math.min(...numbers),
    most: () => Math.max(...numbers),
    mean: () => numbers.reduce((sum, y) => sum + y, 0) / numbers.length,
  };
  const found = of[at] ? of[at]() : series.y[series.x.indexOf(Number(at))];
  return found !== null && Number.isFinite(found) ? found : undefined;
}
