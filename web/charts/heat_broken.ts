// The cells of a heat map that are infinite or NaN.
import { svg, type SVGTemplateResult } from "lit/html.js";
import type { HeatMapFigure } from "../../bindings/api/types.ts";
import { isInfinite, signAt } from "./broken.ts";
import { formatNumber } from "./format.ts";
import type { HeatLayout } from "./heat_layout.ts";
import { extentOf } from "./heat_scale.ts";
import { px } from "./layout.ts";

/** The series that names cells; others are lines over them. */
export const notANumber = "not_a_number";

/** ∞, −∞ or NaN, by the index of its cell; a NaN is named by a series: its column and row. */
export function brokenCells({ grid, series }: HeatMapFigure): Map<number, string> {
  const { values, n_cols } = grid;
  const found = new Map<number, string>();
  if (extentOf(grid).count < values.length) {
    values.forEach((value, index) => {
      if (isInfinite(value)) found.set(index, formatNumber(value));
    });
  }
  for (const { name, x, y } of series) {
    if (name === notANumber) x.forEach((col, i) => found.set(Number(y[i]) * n_cols + Number(col), "NaN"));
  }
  return found;
}

/** The cells of a heat map; where there is no room for a sign, a cross. */
export function brokenMarks(figure: HeatMapFigure, { box, cell }: HeatLayout): SVGTemplateResult | null {
  const broken = brokenCells(figure);
  if (broken.size === 0) return null;
  const n_cols = figure.grid.n_cols;
  const [across, down] = [px(cell.width - cell.gap), px(cell.height - cell.gap)];
  const signed = cell.width >= 24 && cell.height >= 12;
  let [cells, crosses] = ["", ""];
  const signs = [...broken].map(([index, sign]) => {
    const [x, y] = [
      box.left + (index % n_cols) * cell.width,
      box.top + Math.floor(index / n_cols) * cell.height,
    ];
    cells += `M${px(x)} ${px(y)}h${across}v${down}h${-across}z`;
    crosses += `M${px(x)} ${px(y)}l${across} ${down}m0 ${-down}l${-across} ${down}`;
    return signed ? signAt(sign, x + across / 2, y + cell.height / 2) : null;
  });
  return svg`<path class="broken-cell" d=${cells}></path>${signed ? signs : svg`<path class="broken-cross" d=${crosses}></path>`}`;
}
