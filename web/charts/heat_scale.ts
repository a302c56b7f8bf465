// From a value to the depth of its colour. Colours mix paper with blue, or with vermilion below zero, so that
// one number, the opacity, tells them in every theme: numbers of one sign are a sequential scale that starts at
// zero, numbers of both signs a diverging one that is as wide on either side. Where that would leave a whole map as
// paper although its numbers are not zero, the scale is logarithmic: from the smallest size to the largest.
import type { Figure, Grid } from "../../bindings/api/types.ts";
import type { HeatDomain } from "./context.ts";

/** Of the values that are finite; without any, `least` is larger than `most`. */
export interface Extent {
  count: number;
  least: number;
  most: number;
  place: number; // the index of the largest
  smallest: number; // size but zero
}

const extents = new WeakMap<Grid, Extent>();

/** Kept, because pointing at a cell draws the figure anew. */
export function extentOf(grid: Grid): Extent {
  const known = extents.get(grid);
  if (known) return known;
  const { values } = grid;
  let [count, least, most, place, smallest] = [0, Infinity, -Infinity, 0, Infinity];
  for (let i = 0; i < values.length; ++i) {
    const value = values[i] ?? NaN;
    if (!(value - value === 0)) continue;
    count += 1;
    if (value < least) least = value;
    if (value > most) {
      most = value;
      place = i;
    }
    const size = value < 0 ? -value : value;
    if (size < smallest && size > 0) smallest = size;
  }
  const extent = { count, least, most, place, smallest };
  extents.set(grid, extent);
  return extent;
}

/** Maps with the same name and the same fixed top share their colours, so that they can be compared. */
export function heatDomain(figure: Figure, all: readonly Figure[] = [figure]): HeatDomain {
  const maps = all.filter(
    ({ kind, name, y_max }) => kind === "heatmap" && name === figure.name && y_max === figure.y_max,
  );
  const shown = maps.flatMap(({ grid }) => (grid ? [extentOf(grid)] : [])).filter(({ count }) => count > 0);
  const lowest = Math.min(0, ...shown.map(({ least }) => least));
  const highest = Math.max(0, ...shown.map(({ most }) => most));
  const size = figure.y_max ?? (Math.max(highest, -lowest) || 1);
  const low = lowest >= 0 ? 0 : -size;
  const high = low === 0 || highest > 0 || figure.y_max !== undefined ? size : 0;
  const hidden = shown.some(
    ({ least, most, smallest }) => smallest < Infinity && Math.max(most, -least) < size / (2 * steps),
  );
  return hidden ? { low, high, floor: Math.min(...shown.map(({ smallest }) => smallest)) } : { low, high };
}

export function sameDomain(a: HeatDomain, b: HeatDomain): boolean {
  return a.low === b.low && a.high === b.high && a.floor === b.floor;
}

/** Colours that are told apart: a level is one of so many. */
export const steps = 25;
/** That of the smallest size on a logarithmic scale, where only zero is paper. */
export const least = 0.12;

/** 0 (paper) .. 1 (deepest). */
export function heatLevel(value: number, { low, high, floor }: HeatDomain): number {
  const [size, top] = [Math.abs(value), Math.max(high, -low)];
  if (floor === undefined || value === 0) return Math.min(1, size / top);
  const share = Math.log(size / floor) / Math.log(top / floor);
  return least + (1 - least) * Math.min(1, Math.max(0, share));
}
