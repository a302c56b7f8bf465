// Where the cells, names and colour bar of a heat map are, in the chart's pixels.
import type { Grid } from "../../bindings/api/types.ts";
import type { Cell } from "./context.ts";
import { textWidth } from "./format.ts";
import { shortened, textSize, width as wide, type Box } from "./layout.ts";

export interface HeatLayout {
  width: number;
  height: number;
  box: Box; // of the cells
  cell: { width: number; height: number; gap: number };
  rows: Name[];
  cols: Name[];
  slanted: boolean; // the names of the columns
  compact: boolean; // one of many
}

export interface Name {
  index: number;
  text: string;
}

/** The width of a map beside others of its kind. */
export const narrow = 226;
const between = 22; // two maps

const longest = { row: 76, col: 64 }; // pixels of a name, where cells need the room
const tallest = 320;
const largest = 44; // a cell
const largestOfMany = 32; // so that their sizes compare
const maxPrinted = 64; // cells with their numbers
const line = 14; // a row whose name can be read

/** The whole name of a row or column. */
export function nameOf(names: readonly string[] | undefined, index: number): string {
  const name = names?.[index];
  if (name === undefined) return String(index);
  return /^\s*$/.test(name) ? "␣" : name;
}

export function heatLayout(grid: Grid, compact = false, columns: 1 | 2 = 1): HeatLayout {
  const { n_rows, n_cols } = grid;
  const width = compact ? columns * (narrow + between) - between : wide;
  const spare = width - 26 - n_cols * (compact ? largestOfMany : largest);
  const longestRow = Math.max(longest.row, Math.min(spare, 2 * longest.row));
  const rowWidth = widest(grid.rows, n_rows, longestRow);
  const larger = !grid.rows ? 1.05 : compact ? 1.25 : 1.12; // than its estimate is a name on a phone
  const left = 18 + larger * rowWidth + 6;
  const room = width - left - 2;
  const crowded = n_rows > 48 || n_cols > 48;
  let cellWidth = Math.min(room / Math.max(n_cols, 1), crowded ? room : compact ? largestOfMany : largest);
  let cellHeight = Math.min(Math.max(cellWidth, line), tallest / Math.max(n_rows, 1));
  if (crowded) cellHeight = Math.min(tallest, Math.max(n_rows * cellWidth, 200)) / Math.max(n_rows, 1);
  else cellWidth = Math.min(cellWidth, Math.max(cellHeight, 12));
  const colWidth = widest(grid.cols, n_cols, longest.col);
  const level = larger * colWidth + 6; // a column whose name lies
  if (grid.cols && !compact && n_cols * level <= room) cellWidth = Math.max(cellWidth, level);
  const slanted = grid.cols !== undefined && colWidth + 4 > cellWidth;
  const top = 52;
  const box = { left, top, right: left + cellWidth * n_cols, bottom: top + cellHeight * n_rows };
  const below = (slanted ? 8 + larger * colWidth * 0.72 : 16) + 20;
  const gap = Math.min(cellWidth, cellHeight) >= 8 ? 1 : 0;
  return {
    width,
    height: Math.ceil(box.bottom + below),
    box,
    cell: { width: cellWidth, height: cellHeight, gap },
    rows: shown(grid.rows, n_rows, (line - 1) / cellHeight, longestRow),
    cols: shown(grid.cols, n_cols, (slanted ? 13 : colWidth + 6) / cellWidth, longest.col),
    slanted,
    compact,
  };
}

export function hasNumbers({ n_rows, n_cols }: Grid, { cell }: HeatLayout): boolean {
  return n_rows * n_cols <= maxPrinted && cell.width >= 26 && cell.height >= 14;
}

/** Among many maps: two columns for long rows, and for numbers that would be lost in one. */
export function columnsOf(grid: Grid): 1 | 2 {
  const [one, two] = ([1, 2] as const).map((columns) => hasNumbers(grid, heatLayout(grid, true, columns)));
  const long = grid.n_cols > 8 && grid.n_cols > 2 * grid.n_rows;
  return long || (two && !one) ? 2 : 1;
}

function widest(names: readonly string[] | undefined, count: number, limit: number): number {
  if (!names) return textWidth(String(Math.max(count - 1, 0)), textSize);
  return Math.max(0, ...names.map((name) => textWidth(shortened(name, limit), textSize)));
}

/** Every name where there is room; every second, fifth, tenth … where there is not. */
function shown(names: readonly string[] | undefined, count: number, needed: number, limit: number): Name[] {
  let every = 1;
  for (let power = 1; every < needed && every < count; power *= 10) {
    every = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= needed) ?? 10 * power;
  }
  const found: Name[] = [];
  for (let index = 0; index < count; index += every) {
    found.push({ index, text: shortened(nameOf(names, index), limit) });
  }
  return found;
}

/** The cell at a point of the chart. */
export function cellAt(
  { box, cell }: HeatLayout,
  { n_rows, n_cols }: Grid,
  x: number,
  y: number,
): Cell | undefined {
  const [col, row] = [Math.floor((x - box.left) / cell.width), Math.floor((y - box.top) / cell.height)];
  return row >= 0 && row < n_rows && col >= 0 && col < n_cols ? { row, col } : undefined;
}

/** Where a key leads from `from`; undefined for a key that leads nowhere. */
export function cellAfter(key: string, from: Cell | undefined, { n_rows, n_cols }: Grid): Cell | undefined {
  const steps: Record<string, [number, number]> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageUp: [-10, 0],
    PageDown: [10, 0],
    Home: [0, -n_cols],
    End: [0, n_cols],
  };
  const step = steps[key];
  if (!step || n_rows * n_cols === 0) return undefined;
  if (!from) return { row: 0, col: 0 };
  const within = (value: number, count: number): number => Math.min(Math.max(value, 0), count - 1);
  return { row: within(from.row + step[0], n_rows), col: within(from.col + step[1], n_cols) };
}
