// The first chart of an experiment as an SVG file of its own, with its styles, in two views: "file.svg#l0", and "file.svg#d0"
// in the dark theme.
import type { TemplateResult } from "lit/html.js";
import type { Figure } from "../../bindings/api/types.ts";
import { chartClass } from "../charts/chart.ts";
import { kindOf } from "../charts/kinds.ts";
import { chartContext, chartGroups, type ChartsState } from "../charts/groups.ts";
import { escape, languageTags, type Language } from "./document.ts";

export interface ThumbnailFile {
  text: string;
  width: number;
  height: number;
}

/** `print`: the text of a template. */
export function thumbnailSvg(
  figures: readonly Figure[],
  state: ChartsState,
  language: Language,
  styles: string,
  print: (view: TemplateResult) => string,
): ThumbnailFile {
  const group = chartGroups(figures)[0];
  const figure = figures[0];
  if (!group || !figure) throw new Error("a result without figures");
  const context = chartContext(0, group, figures, state);
  const { width, height, marks } = kindOf(figure).draw(figure, context);
  const box = `viewBox="0 0 ${width} ${height}"`;
  const views = `<view id="l0" ${box}/><view id="d0" class="dark" ${box}/>`;
  // As deep as on the page: a grid, a figure, the chart.
  const chart = `<svg class="chart-svg" width="${width}" height="${height}">${print(marks)}</svg>`;
  const marked = `<g class="${group.compact ? "charts-maps" : "charts"}"><g class="${chartClass(context)}">${chart}</g></g>`;
  const tag = languageTags[language];
  const open = `<svg xmlns="http://www.w3.org/2000/svg" ${box} lang="${tag}" xml:lang="${tag}">`;
  return { text: `${open}<style>${escape(styles)}</style>${views}${marked}</svg>\n`, width, height };
}
