// From a value to the depth of its colour. Colours mix paper with blue, or with vermilion below zero, so that
// one number, the opacity, tells them in every theme: numbers of one sign are a sequential scale that starts at
// zero, numbers of both signs a diverging one that is as wide on either side.
import type { Figure } from "../../bindings/api/types.ts";
import type { HeatDomain } from "./context.ts";
import { finite } from "./layout.ts";

/** Maps with the same name and the same fixed top share their colours, so that they can be compared. */
export function heatDomain(figure: Figure, all: readonly Figure[] = [figure]): HeatDomain {
  let [least, most] = [0, 0];
  for (const { kind, name, y_max, grid } of all) {
    if (kind !== "heatmap" || name !== figure.name || y_max !== figure.y_max) continue;
    for (const value of grid?.values ?? []) {
      if (!finite(value)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  const size = figure.y_max ?? (Math.max(most, -least) || 1);
  if (least >= 0) return { low: 0, high: size };
  return { low: -size, high: most > 0 || figure.y_max !== undefined ? size : 0 };
}

/** 0 (paper) .. 1 (deepest). */
export function heatLevel(value: number, { low, high }: HeatDomain): number {
  return Math.min(1, Math.abs(value) / Math.max(high, -low));
}
