// What a chart is told beside its figure.
import type { Vocabulary } from "../words/vocabulary.ts";

export interface ChartContext {
  id: string; // unique in the document
  vocabulary: Vocabulary;
  named?: boolean | undefined; // its labels alone do not tell it from the others
  cursor?: number | undefined; // of line charts: the x to point out
  note?: unknown; // the page's sentence about it, ready to be rendered
  // For heat maps:
  domain?: HeatDomain | undefined; // shared with others
  compact?: boolean | undefined; // one of many
  among?: Among | undefined; // several maps
  mixed?: boolean | undefined; // beside maps of other names
  columns?: 1 | 2 | undefined; // of the grid of many
  same?: readonly string[] | undefined; // labels that all of its name have the same
  cell?: Cell | undefined; // pointed at
  marks?: readonly Mark[] | undefined; // what belongs to a cell of another map
  point?: ((cell: Cell | undefined) => void) | undefined;
}

/** Several maps are one stop of the Tab key: the one last used. */
export interface Among {
  stop: boolean; // this one
  take(): void; // is called when this one is used
}

/** A cell of a heat map, or a whole row or column. */
export interface Mark {
  row?: number | undefined;
  col?: number | undefined;
}

export interface Cell {
  row: number;
  col: number;
}

/** The values that a heat map's colours span. */
export interface HeatDomain {
  low: number;
  high: number;
  /** Of a logarithmic scale: the smallest size that is not zero. */
  floor?: number | undefined;
}
