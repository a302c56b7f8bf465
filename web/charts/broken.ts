// Where inf or NaN is born: numbers that were computed and are none, in red and with their sign. What is masked or
// was not measured is something else.
import { svg, type SVGTemplateResult } from "lit/html.js";
import type { Series } from "../../bindings/api/types.ts";
import { formatNumber } from "./format.ts";
import { px, type Box } from "./layout.ts";

export function isInfinite(value: number | null | undefined): value is number {
  return value === Infinity || value === -Infinity;
}

export function signAt(sign: string, x: number, y: number): SVGTemplateResult {
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
