// The keyboard among several heat maps: the Tab key stops at one of them, the one last used; an arrow key beyond the edge
// of a map leads into its neighbour.
import type { Grid } from "../../bindings/api/types.ts";
import type { Cell } from "./context.ts";

/** The detail of the event "heat-enter", which comes to a map that is entered from beside it. */
export interface Entrance {
  key: string; // ArrowRight …
  from: Cell; // left in the other map
}

function mapsAround(map: Element): HTMLElement[] {
  return [...(map.closest(".charts")?.querySelectorAll<HTMLElement>(".heat") ?? [])];
}

/** From now on the Tab key stops here. */
export function stopHere(map: HTMLElement): void {
  for (const other of mapsAround(map)) other.tabIndex = other === map ? 0 : -1;
}

/** True if there is a map to which `key` leads from the cell at the edge of this one. */
export function leave(map: HTMLElement, key: string, from: Cell): boolean {
  const next = neighbour(map, key);
  next?.focus();
  next?.dispatchEvent(new CustomEvent<Entrance>("heat-enter", { detail: { key, from } }));
  return next !== undefined;
}

/** The one before or after, or the nearest of those wholly above or below. */
function neighbour(map: HTMLElement, key: string): HTMLElement | undefined {
  const maps = mapsAround(map);
  if (key === "ArrowLeft" || key === "ArrowRight")
    return maps[maps.indexOf(map) + (key === "ArrowLeft" ? -1 : 1)];
  const here = map.getBoundingClientRect();
  let [found, least]: [HTMLElement | undefined, number] = [undefined, Infinity];
  for (const other of maps) {
    const there = other.getBoundingClientRect();
    const down = key === "ArrowUp" ? here.top - there.bottom : there.top - here.bottom;
    const far = 4 * down + Math.abs(there.left + there.right - here.left - here.right) / 2;
    if (down >= 0 && far < least) [found, least] = [other, far];
  }
  return found;
}

/** Whether `key` leads out of the map. */
export function leads(key: string, { row, col }: Cell, { n_rows, n_cols }: Grid): boolean {
  if (key === "ArrowLeft") return col === 0;
  if (key === "ArrowRight") return col === n_cols - 1;
  if (key === "ArrowUp") return row === 0;
  return key === "ArrowDown" && row === n_rows - 1;
}

/** The first cell of a map that is entered. */
export function entered({ key, from }: Entrance, { n_rows, n_cols }: Grid): Cell | undefined {
  if (n_rows * n_cols === 0) return undefined;
  const [row, col] = [Math.min(from.row, n_rows - 1), Math.min(from.col, n_cols - 1)];
  if (key === "ArrowLeft") return { row, col: n_cols - 1 };
  if (key === "ArrowRight") return { row, col: 0 };
  return { row: key === "ArrowUp" ? n_rows - 1 : 0, col };
}
