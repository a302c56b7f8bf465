// A kind of chart is one record in one file, listed in kinds.ts. What a figure looks like, says and holds is asked of
// its record, so that a new kind is a file and a line.
import type { SVGTemplateResult, TemplateResult } from "lit/html.js";
import type { Figure } from "../../bindings/api/types.ts";
import type { UiKey, Vocabulary } from "../words/vocabulary.ts";
import type { Cell, ChartContext } from "./context.ts";

/** What stands inside the chart's SVG. */
export interface Drawing {
  width: number;
  height: number;
  marks: SVGTemplateResult;
}

/** A line of a CSV file. */
export interface CsvPoint {
  series: string;
  x: string | number | null;
  value: number | null | undefined;
  se?: number | null | undefined;
  low?: number | null | undefined;
  high?: number | null | undefined;
}

/** How figures of one type are drawn, those that have what it draws. */
export interface ChartKind<F extends Figure = Figure> {
  draw(figure: F, context: ChartContext): Drawing;
  /** In place of the drawing alone: one that can be pointed at. `caption`: the id of its summary. */
  view?(figure: F, context: ChartContext, caption: string): TemplateResult;
  /** The figure in one sentence: its caption, and what screen readers hear. */
  summary(figure: F, vocabulary: Vocabulary): string;
  /** Its caption where it is one of many. */
  shortSummary?(figure: F, vocabulary: Vocabulary): string;
  /** One of its cells in words. */
  cellText?(figure: F, cell: Cell, vocabulary: Vocabulary): string;
  /** What explains the marks of a figure. */
  notes?(figure: F): UiKey[];
  table(figure: F, vocabulary: Vocabulary): TemplateResult | TemplateResult[];
  /** Its tables are so long that they are only drawn while they are open. */
  longTable?: boolean;
  csv(figure: F): CsvPoint[];
  /** Many stand in a grid of their own: what each has to know of `all` the result's figures. */
  ofMany?(figure: F, all: readonly Figure[], mixed: boolean): Partial<ChartContext>;
}
