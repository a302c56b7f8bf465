// Where inf or NaN is born: numbers that were computed and are none, in red and with their sign. What is masked or
// was not measured is something else.
import { svg, type SVGTemplateResult } from "lit/html.js";
import type { Figure, Series } from "../../bindings/types.ts";
import { formatNumber } from "./format.ts";
import { emptyGrid, type HeatLayout } from "./heat_layout.ts";
import { px, type Box } from "./layout.ts";

export function isInfinite(value: number | null | undefined): value is number {
  return value === Infinity || value === -Infinity;
}

/** ∞, −∞ or NaN, by the index of its cell; a NaN is named by the series "not_a_number": its column and row. */
export function brokenCells({ grid, series }: Figure): Map<number, string> {
  const { values, n_cols } = grid ?? emptyGrid;
  const found = new Map<number, string>();
  values.forEach((value, index) => {
    if (isInfinite(value)) found.set(index, formatNumber(value));
  });
  for (const { name, x, y } of series) {
    if (name === "not_a_number") x.forEach((col, i) => found.set(Number(y[i]) * n_cols + Number(col), "NaN"));
  }
  return found;
}

/** The cells of a heat map; where there is no room for a sign, a cross. */
export function brokenMarks(figure: Figure, { box, cell }: HeatLayout): SVGTemplateResult | null {
  const broken = brokenCells(figure);
  if (broken.size === 0) return null;
  const n_cols = figure.grid?.n_cols ?? 1;
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

function signAt(sign: string, x: number, y: number): SVGTemplateResult {
  return svg`<text class="broken-sign" x=${px(x)} y=${px(y + 3.5)} text-anchor="middle">${sign}</text>`;
}

/** A bar without a number, as high as the chart. */
export function brokenBar(
  value: number | null,
  x: number,
  thick: number,
  { top, bottom }: Box,
): SVGTemplateResult {
  return svg`<rect class="broken-cell" x=${px(x - thick / 2)} y=${top} width=${px(thick)} height=${bottom - top}></rect>
    ${signAt(isInfinite(value) ? formatNumber(value) : "NaN", x, (top + bottom) / 2)}`;
}

/** Where a line leaves the numbers: from its last point to the chart's edge. */
export function brokenLine(
  { x, y }: Series,
  at: (x: number, y: number) => readonly [number, number],
  { top, bottom, right }: Box,
): SVGTemplateResult | null {
  const first = y.findIndex(isInfinite);
  const value = y[first];
  if (!isInfinite(value)) return null;
  const [left, edge] = [at(x[first] ?? 0, 0)[0], value > 0 ? top : bottom];
  const before = y[first - 1];
  const from = before === null || before === undefined ? [left, edge] : at(x[first - 1] ?? 0, before);
  const end = left > right - 40; // the sign on the side with room
  return svg`<g class="broken-line"><path d="M${px(from[0])} ${px(from[1])}L${px(left)} ${edge}m-4-4l8 8m0-8l-8 8"></path>
    <text x=${px(left + (end ? -8 : 8))} y=${edge + (value > 0 ? 12 : -4)} text-anchor=${end ? "end" : "start"}>${formatNumber(value)}</text></g>`;
}
