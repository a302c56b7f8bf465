// A heat map's marks: few cells as paths, many as a picture; names beside and below, a colour bar, numbers in the cells
// where there is room, and the exact one of the cell that is pointed at.
import { nothing, svg, type SVGTemplateResult } from "lit/html.js";
import type { Grid, HeatMapFigure, Series } from "../../bindings/api/types.ts";
import { ui, word, type Vocabulary } from "../words/vocabulary.ts";
import { brokenMarks, notANumber } from "./heat_broken.ts";
import type { Cell, ChartContext, HeatDomain, Mark } from "./context.ts";
import { formatTick, textWidth } from "./format.ts";
import { heatImages } from "./heat_image.ts";
import { hasNumbers, narrow, type HeatLayout } from "./heat_layout.ts";
import { heatDomain, heatLevel, least, sameDomain, steps } from "./heat_scale.ts";
import { cellWords, title } from "./heat_words.ts";
import { finite, px, shortened, textSize, within } from "./layout.ts";

/** Above, a picture takes the place of paths. */
export const maxCells = 2000;

const larger = { size: 12, room: 3 }; // a number of a small map on a phone, where its cells have the room

export function heatDrawing(
  figure: HeatMapFigure,
  layout: HeatLayout,
  context: ChartContext,
): SVGTemplateResult {
  const grid = figure.grid;
  const domain = context.domain ?? heatDomain(figure);
  const { box } = layout;
  const few = grid.n_rows * grid.n_cols <= maxCells;
  const curves = figure.series.filter(({ name }) => name !== notANumber);
  return svg`${patterns(context.id)}
    <text class="chart-title" x="0" y="13">${shownTitle(figure, layout, context)}</text>
    ${colourBar(word(context.vocabulary, "axes", figure.z), domain, layout, context)}
    ${few ? paths(grid, domain, layout, context.id) : picture(grid, domain, layout, context.id)}
    ${brokenMarks(figure, layout)}
    ${curves.length > 0 ? around(grid, domain, layout, context.id) : null}
    ${curves.map((line) => curve(line, layout, context))}
    <rect class="heat-frame" x=${px(box.left)} y=${px(box.top)} width=${px(box.right - box.left)} height=${px(box.bottom - box.top)}></rect>
    ${names(figure, layout, context.vocabulary)}
    ${context.marks?.map((mark) => frame(mark, grid, layout, "heat-trace"))}
    ${context.cell ? pointer(figure, context.cell, layout, context.vocabulary) : null}`;
}

/** A line over the cells, its points in columns and rows, whose middles are whole numbers; its name above the map. */
function curve(
  { name, x, y }: Series,
  { box, cell, width }: HeatLayout,
  { id, vocabulary }: ChartContext,
): SVGTemplateResult {
  const across = (col: unknown): number => box.left + (Number(col) + 0.5) * cell.width;
  const down = (row: unknown): number => box.top + (Number(row) + 0.5) * cell.height;
  const path = `M${x.map((col, i) => `${px(across(col))} ${px(down(y[i]))}`).join("L")}`;
  const text = word(vocabulary, "series", name);
  const at = px(within(across(x[0]), text, width));
  return svg`<g clip-path="url(#${id}-around)"><path class="heat-halo" d=${path}></path><path class="heat-curve" d=${path}></path></g>
    <text class="heat-curve-name" x=${at} y=${px(box.top - 5)} text-anchor="middle">${text}</text>`;
}

/** Where a curve is drawn: all but the numbers of the cells. */
function around(grid: Grid, domain: HeatDomain, layout: HeatLayout, id: string): SVGTemplateResult {
  const { box } = layout;
  const whole = `M${px(box.left)} ${px(box.top)}H${px(box.right)}V${px(box.bottom)}H${px(box.left)}z`;
  const holes = numbersOf(grid, domain, layout).map(({ x, y, text }) => {
    const wide = textWidth(text, 9.5) + 3;
    return `M${px(x - wide / 2)} ${px(y - 9)}h${px(wide)}v11h${px(-wide)}z`;
  });
  return svg`<clipPath id="${id}-around"><path clip-rule="evenodd" d=${whole + holes.join("")}></path></clipPath>`;
}

/** As much of the title as there is room for: where the map is from counts more than its name. */
function shownTitle(figure: HeatMapFigure, { width }: HeatLayout, context: ChartContext): string {
  const room = width / 1.4; // it is larger than other text, and bold
  const whole = title(figure, context);
  const [name = "", at] = whole.split(" · ");
  if (at === undefined || textWidth(whole, textSize) <= room) return shortened(whole, room);
  const rest = room - textWidth(` · ${at}`, textSize);
  return shortened(rest > 40 ? `${shortened(name, rest)} · ${at}` : at, room);
}

function patterns(id: string): SVGTemplateResult {
  return svg`<defs><pattern id="${id}-missing" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect class="heat-missing" width="1.2" height="5"></rect></pattern></defs>`;
}

/** The scale's ends; between those of two signs zero, or the smallest size where the scale is logarithmic. */
function colourBar(
  name: string,
  { low, high, floor }: HeatDomain,
  { width }: HeatLayout,
  { id, vocabulary }: ChartContext,
): SVGTemplateResult {
  const logarithmic = floor !== undefined;
  const label = logarithmic ? ui(vocabulary, "heat_logarithmic", { name }) : name;
  const tick = (value: number): string => formatTick(Number(value.toPrecision(floor === value ? 1 : 3)));
  const [first, last] = [
    low === 0 && logarithmic ? floor : low,
    high === 0 && logarithmic ? -floor : high,
  ].map(tick) as [string, string];
  const widthOf = (text: string): number => 1.25 * textWidth(text, textSize); // on phones text is larger
  const right = width - 2 - widthOf(last) - 4;
  const room = right - widthOf(first) - widthOf(label) - 12;
  const long = Math.max(20, Math.min(width > narrow ? 72 : 56, room));
  const left = right - long;
  const zero = (-low / (high - low)) * 100;
  const faint = logarithmic ? least : 0;
  const stop = (offset: number, sign: string, opacity: number): SVGTemplateResult =>
    svg`<stop offset="${px(offset)}%" class="heat-stop-${sign}" stop-opacity=${opacity}></stop>`;
  return svg`<defs><linearGradient id="${id}-bar">
      ${low < 0 ? [stop(0, "negative", 1), stop(zero, "negative", faint)] : null}
      ${high > 0 ? [stop(zero, "positive", faint), stop(100, "positive", 1)] : null}
    </linearGradient></defs>
    <text class="chart-label" x="0" y="35">${label}</text>
    <g class="chart-axis">
      <text x=${px(left - 4)} y="35" text-anchor="end">${first}</text>
      <rect class="heat-bar" x=${px(left)} y="26" width=${px(long)} height="10" fill="url(#${id}-bar)"></rect>
      <path class="chart-base" d=${[0, 0.5, 1].map((share) => `M${px(left + share * long)} 36v3`).join("")}></path>
      ${logarithmic && low < 0 && high > 0 ? svg`<text x=${px(left + long / 2)} y="49" text-anchor="middle">±${tick(floor)}</text>` : null}
      <text x=${px(width - 2)} y="35" text-anchor="end">${last}</text>
    </g>`;
}

function names(figure: HeatMapFigure, layout: HeatLayout, vocabulary: Vocabulary): SVGTemplateResult {
  const { box, cell, rows, cols, slanted } = layout;
  const middle = (box.top + box.bottom) / 2;
  return svg`<g class="chart-axis">
    ${rows.map(({ index, text }) => svg`<text x=${px(box.left - 5)} y=${px(box.top + (index + 0.5) * cell.height + 4)} text-anchor="end">${text}</text>`)}
    ${cols.map(({ index, text }) => {
      const x = px(box.left + (index + 0.5) * cell.width);
      return slanted
        ? svg`<text transform="translate(${px(x + 4)} ${px(box.bottom + 11)})rotate(-45)" text-anchor="end">${text}</text>`
        : svg`<text x=${px(within(x, text, layout.width))} y=${px(box.bottom + 14)} text-anchor="middle">${text}</text>`;
    })}
    <text class="chart-label" x=${px((box.left + box.right) / 2)} y=${px(layout.height - 5)} text-anchor="middle">${word(vocabulary, "axes", figure.x)}</text>
    <text class="chart-label" transform="translate(13 ${px(middle)})rotate(-90)" text-anchor="middle">${word(vocabulary, "axes", figure.y)}</text>
  </g>`;
}

interface Drawn {
  domain: HeatDomain;
  width: number;
  cells: [sign: string, opacity: number, path: string][];
  missing: string;
}
const drawn = new WeakMap<Grid, Drawn>();

/** One path per colour; kept, because pointing at a cell draws the figure anew. */
function cellPaths(grid: Grid, domain: HeatDomain, { width, box, cell }: HeatLayout): Drawn {
  const known = drawn.get(grid);
  if (known && sameDomain(known.domain, domain) && known.width === width) return known;
  const found = new Map<string, string>();
  for (let row = 0; row < grid.n_rows; ++row) {
    const [top, bottom] = [row, row + 1].map((edge) => px(box.top + edge * cell.height)) as [number, number];
    for (let col = 0; col < grid.n_cols; ++col) {
      const value = grid.values[row * grid.n_cols + col];
      const level = finite(value) ? Math.round(heatLevel(value, domain) * steps) : 0;
      if (finite(value) && level === 0) continue;
      const key = !finite(value) ? "missing" : `${value < 0 ? "negative" : "positive"} ${level}`;
      const [left, right] = [col, col + 1].map((edge) => px(box.left + edge * cell.width)) as [
        number,
        number,
      ];
      const [across, down] = [px(right - left - cell.gap), px(bottom - top - cell.gap)];
      found.set(key, `${found.get(key) ?? ""}M${left} ${top}h${across}v${down}h${-across}z`);
    }
  }
  const missing = found.get("missing") ?? "";
  found.delete("missing");
  const cells = [...found].map(([key, path]): Drawn["cells"][number] => {
    const [sign = "", level] = key.split(" ");
    return [sign, Math.round((100 * Number(level)) / steps) / 100, path];
  });
  const result = { domain, width, cells, missing };
  drawn.set(grid, result);
  return result;
}

function paths(grid: Grid, domain: HeatDomain, layout: HeatLayout, id: string): SVGTemplateResult {
  const { cells, missing } = cellPaths(grid, domain, layout);
  return svg`${cells.map(([sign, opacity, path]) => svg`<path class="heat-${sign}" fill-opacity=${opacity} d=${path}></path>`)}
    ${missing ? svg`<path fill="url(#${id}-missing)" d=${missing}></path>` : null}
    ${hasNumbers(grid, layout) ? numbers(grid, domain, layout) : null}`;
}

interface Printed {
  x: number;
  y: number;
  text: string;
  value: number;
}

/** The numbers that stand in the cells, those that have room. */
function numbersOf(grid: Grid, domain: HeatDomain, layout: HeatLayout): Printed[] {
  const { box, cell } = layout;
  if (!hasNumbers(grid, layout)) return [];
  return grid.values.flatMap((value, index) => {
    if (!finite(value)) return [];
    const x = box.left + ((index % grid.n_cols) + 0.5) * cell.width;
    const y = box.top + (Math.floor(index / grid.n_cols) + 0.5) * cell.height + 3.5;
    const whole = formatShort(value, domain);
    const text = layout.compact ? whole.replace(/^(−?)0\./, "$1.") : whole;
    return textWidth(text, 9) > cell.width ? [] : [{ x, y, text, value }];
  });
}

function numbers(grid: Grid, domain: HeatDomain, layout: HeatLayout): SVGTemplateResult {
  const printed = numbersOf(grid, domain, layout);
  const roomy = printed.every(({ text }) => textWidth(text, larger.size) + larger.room <= layout.cell.width);
  return svg`<g class=${roomy ? "heat-values heat-roomy" : "heat-values"} text-anchor="middle" aria-hidden="true">${printed.map(
    ({ x, y, text, value }) => {
      const dark = Math.round(heatLevel(value, domain) * steps) / steps > 0.7; // both inks are readable about there
      return svg`<text class=${dark ? "heat-on" : nothing} x=${px(x)} y=${px(y)}>${text}</text>`;
    },
  )}</g>`;
}

/** Two decimals for a map of small numbers, none for one of large numbers; 2e−21 on a logarithmic scale. */
export function formatShort(value: number, { low, high, floor }: HeatDomain): string {
  const size = Math.max(high, -low);
  if (floor !== undefined) {
    const plain = value === 0 || (Math.abs(value) >= 0.095 && Math.abs(value) < 99.5);
    return (
      plain ? String(Number(value.toPrecision(2))) : value.toExponential(0).replace("e+", "e")
    ).replaceAll("-", "−");
  }
  if (size >= 99999) return formatTick(Number(value.toPrecision(2)));
  if (Math.abs(value) >= 999 && size < 999) return formatTick(Number(value.toPrecision(1)));
  const text = value.toFixed(size < 9.95 ? 2 : size < 99.5 ? 1 : 0);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

function picture(grid: Grid, domain: HeatDomain, { box, cell }: HeatLayout, id: string): SVGTemplateResult {
  const images = heatImages(grid, domain);
  const [width, height] = [px(box.right - box.left), px(box.bottom - box.top)];
  const rendering = cell.width >= 1 ? "pixelated" : "auto";
  const layer = (name: keyof typeof images, fill: string): SVGTemplateResult | null => {
    const address = images[name];
    if (address === undefined) return null;
    return svg`<mask id="${id}-${name}" maskUnits="userSpaceOnUse" x=${px(box.left)} y=${px(box.top)} width=${width} height=${height}>
        <image href=${address} x=${px(box.left)} y=${px(box.top)} width=${width} height=${height} preserveAspectRatio="none" image-rendering=${rendering}></image>
      </mask>
      <rect class="heat-${name === "missing" ? "none" : name}" fill=${fill} mask="url(#${id}-${name})" x=${px(box.left)} y=${px(box.top)} width=${width} height=${height}></rect>`;
  };
  return svg`${layer("positive", "currentColor")}${layer("negative", "currentColor")}${layer("missing", `url(#${id}-missing)`)}`;
}

/** Around a cell, or a whole row or column. */
function frame({ row, col }: Mark, grid: Grid, { box, cell }: HeatLayout, name: string): SVGTemplateResult {
  const [x, y] = [px(box.left + (col ?? 0) * cell.width), px(box.top + (row ?? 0) * cell.height)];
  const across = px((col === undefined ? grid.n_cols : 1) * cell.width);
  const down = px((row === undefined ? grid.n_rows : 1) * cell.height);
  const path = `M${x} ${y}h${across}v${down}h${-across}z`;
  return svg`<path class="heat-halo" d=${path}></path><path class=${name} d=${path}></path>`;
}

/** A frame around the cell, and its words in a box that stays inside the chart. */
function pointer(
  figure: HeatMapFigure,
  cell: Cell,
  layout: HeatLayout,
  vocabulary: Vocabulary,
): SVGTemplateResult {
  const { row, col, value } = cellWords(figure, cell, vocabulary);
  const lines = [row, col, value];
  const widths = lines.map((line, i) => textWidth(line, i === 2 ? 1.15 * textSize : textSize)); // the last is bold
  const across = Math.max(...widths) + 14;
  const down = 50;
  const left = layout.box.left + cell.col * layout.cell.width;
  const top = layout.box.top + cell.row * layout.cell.height;
  const x = Math.max(0, Math.min(left + layout.cell.width / 2 - across / 2, layout.width - across));
  const above = top - down - 4 >= 0;
  const y = above ? top - down - 4 : top + layout.cell.height + 4;
  return svg`<g class="heat-pointer" aria-hidden="true">
    ${frame(cell, figure.grid, layout, "heat-cell")}
    <rect class="heat-tip" x=${px(x)} y=${px(y)} width=${px(across)} height=${down} rx="3"></rect>
    ${lines.map((line, i) => svg`<text class=${i === 2 ? "heat-exact" : nothing} x=${px(x + 7)} y=${px(y + 15 + i * 14)}>${line}</text>`)}
  </g>`;
}
