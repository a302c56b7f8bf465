// Files from a figure: CSV and JSON from the result, SVG and PNG from the charts as they are drawn.
import type { Labels, RunResult } from "../../bindings/api/types.ts";
import { kindOf } from "../charts/kinds.ts";
import type { ExportKind } from "./figure_state.ts";

const columns = [
  "figure",
  "at",
  "series",
  "x",
  "value",
  "se",
  "low",
  "high",
  "expected",
  "std",
  "p10",
  "p50",
  "p90",
] as const;
type Row = Partial<Record<(typeof columns)[number], string | number | null | undefined>>;

/**
 * One tidy table: a row per point of a figure (of a heat map: its row in `series`, its column in `x`), then a row
 * per scalar (its name in `series`).
 */
export function resultCsv(result: RunResult): string {
  const rows: Row[] = [];
  for (const figure of result.figures) {
    const place = { figure: figure.name, at: labels(figure.at) };
    rows.push(
      ...kindOf(figure)
        .csv(figure)
        .map((point) => ({ ...place, ...point })),
    );
  }
  for (const { name, at, value, se, expected, std, p10, p50, p90 } of result.scalars) {
    rows.push({ figure: "scalars", at: labels(at), series: name, value, se, expected, std, p10, p50, p90 });
  }
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(","));
  return [columns.join(","), ...lines, ""].join("\n");
}

function labels(at: Labels): string {
  return Object.entries(at)
    .map(([name, value]) => `${name}=${value}`)
    .join(";");
}

function cell(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function resultJson(result: RunResult): string {
  return `${JSON.stringify(result, null, 1)}\n`;
}

const inherited = [
  "fill",
  "fill-opacity",
  "stop-color",
  "stop-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
] as const;
const margin = 24;

export interface Picture {
  text: string; // an SVG document
  width: number;
  height: number;
}

/** All charts side by side, their style written into attributes: the file needs no style sheet. */
export function chartsSvg(charts: readonly SVGSVGElement[], title: string): Picture {
  const sizes = charts.map(({ viewBox }) => viewBox.baseVal);
  const across = charts.length === 3 ? 3 : charts.length > 5 ? 4 : Math.min(charts.length, 2);
  const lines = Math.ceil(charts.length / across);
  const wide = Math.max(...sizes.map(({ width }) => width));
  const tops = [margin]; // of the lines, and the end of the last
  for (let line = 0; line < lines; ++line) {
    const heights = sizes.slice(line * across, (line + 1) * across).map(({ height }) => height);
    tops.push(tops[line]! + Math.max(...heights) + margin);
  }
  const size = { width: across * (wide + margin) + margin, height: tops[lines]! };
  const root = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  root.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  root.setAttribute("width", String(size.width));
  root.setAttribute("height", String(size.height));
  const name = document.createElementNS(root.namespaceURI, "title");
  name.textContent = title;
  const paper = document.createElementNS(root.namespaceURI, "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  root.append(name, paper);
  charts.forEach((chart, index) => {
    const copy = withStyle(chart);
    copy.setAttribute("x", String(margin + (index % across) * (wide + margin)));
    copy.setAttribute("y", String(tops[Math.floor(index / across)]));
    copy.setAttribute("width", String(sizes[index]?.width));
    copy.setAttribute("height", String(sizes[index]?.height));
    root.append(copy);
  });
  const background = charts[0] && getComputedStyle(charts[0]).getPropertyValue("--paper").trim();
  paper.setAttribute("fill", background || "#fff");
  return { text: new XMLSerializer().serializeToString(root), ...size };
}

function withStyle(chart: SVGSVGElement): SVGSVGElement {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const from = [chart, ...chart.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    const target = to[index];
    target?.removeAttribute("class");
    for (const property of inherited) {
      const value = style.getPropertyValue(property);
      if (value) target?.setAttribute(property, value);
    }
  });
  for (const attribute of ["role", "aria-labelledby"]) copy.removeAttribute(attribute);
  const comments = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT); // of the templates
  const found: Node[] = [];
  while (comments.nextNode()) found.push(comments.currentNode);
  for (const comment of found) (comment as Comment).remove();
  return copy;
}

/** `picture` with twice its pixels. Rejects where the browser cannot draw it. */
export async function pngOf(picture: Picture, scale = 2): Promise<Blob> {
  const image = new Image(picture.width * scale, picture.height * scale);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture.text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * scale;
  canvas.height = picture.height * scale;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("PNG");
  return blob;
}

/** Offers `result` as a file named after its experiment and hash. */
export async function saveAs(
  kind: ExportKind,
  result: RunResult,
  charts: readonly SVGSVGElement[],
): Promise<void> {
  const name = `${result.experiment}-${result.hash}.${kind}`;
  if (kind === "csv") download(resultCsv(result), name, "text/csv");
  else if (kind === "json") download(resultJson(result), name, "application/json");
  else {
    const picture = chartsSvg(charts, `sqrtdk ${result.experiment} ${labels(result.params)}`);
    if (kind === "svg") download(picture.text, name, "image/svg+xml");
    else download(await pngOf(picture), name, "image/png");
  }
}

export function download(content: Blob | string, name: string, type: string): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
