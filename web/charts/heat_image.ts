// Many cells as three pictures of one pixel per cell: what is above zero, below zero and missing, each as the
// opacity of white. They serve as masks over the theme's colours. In Node there are none.
import type { Grid } from "../../bindings/api/types.ts";
import type { HeatDomain } from "./context.ts";
import { heatLevel, sameDomain } from "./heat_scale.ts";

export interface HeatImages {
  positive?: string | undefined; // addresses (data:)
  negative?: string | undefined;
  missing?: string | undefined;
}

const painted = new WeakMap<Grid, { domain: HeatDomain; images: HeatImages }>();

export function heatImages(grid: Grid, domain: HeatDomain): HeatImages {
  if (!("document" in globalThis)) return {};
  const known = painted.get(grid);
  if (known && sameDomain(known.domain, domain)) return known.images;
  const { values } = grid;
  const count = grid.n_rows * grid.n_cols;
  const [positive, negative, missing] = [0, 1, 2].map(() => new Uint8Array(count)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  for (let i = 0; i < count; ++i) {
    const value = values[i] ?? null;
    if (value === null) missing[i] = 255;
    else (value < 0 ? negative : positive)[i] = 255 * heatLevel(value, domain) + 0.5;
  }
  const images: HeatImages = {
    positive: paint(grid, positive),
    negative: paint(grid, negative),
    missing: paint(grid, missing),
  };
  painted.set(grid, { domain, images });
  return images;
}

let canvas: HTMLCanvasElement | undefined;

/** Undefined where there is nothing to see. */
function paint({ n_rows, n_cols }: Grid, opacity: Uint8Array): string | undefined {
  if (!opacity.some(Boolean)) return undefined;
  canvas ??= document.createElement("canvas");
  canvas.width = n_cols; // also empties it
  canvas.height = n_rows;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const image = pen?.createImageData(n_cols, n_rows);
  if (!pen || !image) return undefined;
  image.data.fill(255);
  for (let i = 0; i < opacity.length; ++i) image.data[4 * i + 3] = opacity[i]!;
  pen.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
