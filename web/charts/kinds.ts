// The kinds of charts.
import type { Figure, HeatMapFigure, SeriesFigure } from "../../bindings/api/types.ts";
import { bars } from "./bars.ts";
import { histogram } from "./histogram.ts";
import type { ChartKind } from "./kind.ts";
import { lines } from "./lines.ts";

interface Kinds extends Partial<Record<SeriesFigure["kind"], ChartKind<SeriesFigure>>> {
  heatmap?: ChartKind<HeatMapFigure>;
}

/** What a page's first figures draw with. */
const known: Kinds = { bars, lines, histogram };

/** Those that are loaded with the experiments that draw them. */
export function addKinds(kinds: Kinds): void {
  Object.assign(known, kinds);
}

export function kindOf({ kind }: Figure): ChartKind {
  const found = known[kind];
  if (!found) throw new Error(`charts of kind ${kind} are not loaded`);
  return found;
}
