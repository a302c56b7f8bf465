// Many cells as three pictures of one pixel per cell: what is above zero, below zero and missing, each as the
// opacity of white. They serve as masks over the theme's colours. In Node there are none.
import type { Grid } from "../../bindings/api/types.ts";
import type { HeatDomain } from "./context.ts";
import { heatLevel } from "./heat_scale.ts";

export interface HeatImages {
  positive?: string | undefined; // addresses (data:)
  negative?: string | undefined;
  missing?: string | undefined;
}

const painted = new WeakMap<Grid, { domain: HeatDomain; images: HeatImages }>();

export function heatImages(grid: Grid, domain: HeatDomain): HeatImages {
  if (!("document" in globalThis)) return {};
  const known = painted.get(grid);
  if (known?.domain.low === domain.low && known.domain.high === domain.high) return known.images;
  const images: HeatImages = {
    positive: paint(grid, (value) => (value !== null && value > 0 ? heatLevel(value, domain) : 0)),
    negative: paint(grid, (value) => (value !== null && value < 0 ? heatLevel(value, domain) : 0)),
    missing: paint(grid, (value) => (value === null ? 1 : 0)),
  };
  painted.set(grid, { domain, images });
  return images;
}

/** Undefined where there is nothing to see. */
function paint(
  { n_rows, n_cols, values }: Grid,
  opacity: (value: number | null) => number,
): string | undefined {
  const canvas = document.createElement("canvas");
  canvas.width = n_cols;
  canvas.height = n_rows;
  const pen = canvas.getContext("2d");
  const image = pen?.createImageData(n_cols, n_rows);
  if (!pen || !image) return undefined;
  image.data.fill(255);
  let any = false;
  for (let i = 0; i < n_rows * n_cols; ++i) {
    const alpha = Math.round(255 * opacity(values[i] ?? null));
    image.data[4 * i + 3] = alpha;
    any ||= alpha > 0;
  }
  if (!any) return undefined;
  pen.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
