// A chart of an experiment as an SVG file of its own, with its styles, in two views: "file.svg#l0", and "file.svg#d0"
// in the dark theme.
import type { TemplateResult } from "lit/html.js";
import type { Figure } from "../../bindings/api/types.ts";
import { chartClass } from "../charts/chart.ts";
import { kindOf } from "../charts/kinds.ts";
import { maxCells } from "../charts/heat_draw.ts";
import { chartContext, chartGroups, type ChartsState } from "../charts/groups.ts";
import { escape, languageTags, type Language } from "./document.ts";

export interface ThumbnailFile {
  text: string;
  width: number;
  height: number;
}

/** A chart as SVG's elements, as deep as on the page: a grid, a figure, the chart. */
export interface ChartMarkup {
  markup: string;
  width: number;
  height: number;
  /** One of many maps. */
  compact: boolean;
}

/** The first chart of a result that is no canvas. `print`: the text of a template. */
export function chartMarkup(
  figures: readonly Figure[],
  state: ChartsState,
  print: (view: TemplateResult) => string,
): ChartMarkup {
  const index = figures.findIndex(({ grid }) => !grid || grid.n_rows * grid.n_cols <= maxCells);
  const group = chartGroups(figures).find(({ indices }) => indices.includes(index));
  const figure = figures[index];
  if (!group || !figure) throw new Error("a result without figures");
  const { compact } = group;
  const context = chartContext(index, group, figures, state);
  const { width, height, marks } = kindOf(figure).draw(figure, context);
  const chart = `<svg class="chart-svg" width="${width}" height="${height}">${print(marks)}</svg>`;
  const markup = `<g class="${compact ? "charts-maps" : "charts"}"><g class="${chartClass(context)}">${chart}</g></g>`;
  return { markup, width, height, compact };
}

export function thumbnailSvg(
  { markup, width, height }: ChartMarkup,
  language: Language,
  styles: string,
): ThumbnailFile {
  const box = `viewBox="0 0 ${width} ${height}"`;
  const views = `<view id="l0" ${box}/><view id="d0" class="dark" ${box}/>`;
  const tag = languageTags[language];
  const open = `<svg xmlns="http://www.w3.org/2000/svg" ${box} lang="${tag}" xml:lang="${tag}">`;
  return { text: `${open}<style>${escape(styles)}</style>${views}${markup}</svg>\n`, width, height };
}

/** For programs that know neither variables nor themes, on paper. `styles`: without either. */
export function stillSvg({ markup, width, height }: ChartMarkup, language: Language, styles: string): string {
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const tag = languageTags[language];
  const open = `<svg xmlns="http://www.w3.org/2000/svg" ${size} lang="${tag}" xml:lang="${tag}">`;
  return `${open}<style>${escape(styles)}</style>${markup}</svg>\n`;
}
