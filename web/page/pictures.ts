// The charts of one section as one SVG file: each has its place in it, named by a <view>, so that an <img> shows
// it alone: "file.svg#l3", or "file.svg#d3" in the dark theme. The file brings its own styles.
import { html, type TemplateResult } from "lit/html.js";
import type { Figure } from "../../bindings/api/types.ts";
import { chartClass } from "../charts/chart.ts";
import { kindOf } from "../charts/kinds.ts";
import { chartContext, chartGroups, type ChartsState } from "../charts/groups.ts";
import type { Picture } from "../charts/context.ts";
import { escape } from "./document.ts";

const apart = 64; // charts may reach a little over their edges

/** As tall as the chart will be, before it is loaded and whether it is or not. Its words are the caption. */
export function pictureAt(file: string, index: number): Picture {
  return (width, height) =>
    html`<picture
      ><source media="screen and (prefers-color-scheme: dark)" srcset="${file}#d${index}" />
      <img class="chart-svg" src="${file}#l${index}" width=${width} height=${height} alt="" loading="lazy"
    /></picture>`;
}

/** `print`: the text of a template. */
export function picturesSvg(
  figures: readonly Figure[],
  state: ChartsState,
  language: string,
  styles: string,
  print: (view: TemplateResult) => string,
): string {
  let top = 0;
  const views: string[] = [];
  const charts: string[] = [];
  for (const group of chartGroups(figures)) {
    for (const index of group.indices) {
      const context = chartContext(index, group, figures, state);
      const { width, height, marks } = kindOf(figures[index]!).draw(figures[index]!, context);
      const box = `viewBox="0 ${top} ${width} ${height}"`;
      views.push(`<view id="l${index}" ${box}/><view id="d${index}" class="dark" ${box}/>`);
      // As deep as on the page: a grid, a figure, the chart.
      const chart = `<svg class="chart-svg" y="${top}" width="${width}" height="${height}">${print(marks)}</svg>`;
      const grid = group.compact ? "charts-maps" : "charts";
      charts.push(`<g class="${grid}"><g class="${chartClass(context)}">${chart}</g></g>`);
      top += height + apart;
    }
  }
  const open = `<svg xmlns="http://www.w3.org/2000/svg" lang="${language}" xml:lang="${language}">`;
  return `${open}<style>${escape(styles)}</style>${views.join("")}${charts.join("\n")}</svg>\n`;
}
