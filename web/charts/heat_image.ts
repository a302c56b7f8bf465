// Many cells as three pictures of one pixel per cell: what is above zero, below zero and missing, each as the
// opacity of white. They serve as masks over the theme's colours.
import type { Grid } from "../../bindings/api/types.ts";
import type { HeatDomain } from "./context.ts";
import { heatLevel, sameDomain } from "./heat_scale.ts";

export interface HeatImages {
  positive?: string | undefined; // addresses (data:)
  negative?: string | undefined;
  missing?: string | undefined;
}

/** A picture's address; undefined where it cannot be painted. */
export type Paint = (n_rows: number, n_cols: number, opacity: Uint8Array) => string | undefined;

let paint: Paint | undefined = "document" in globalThis ? onCanvas : undefined;

/** Where there is no canvas; nothing is painted there otherwise. */
export function paintBy(other: Paint): void {
  paint = other;
}

const painted = new WeakMap<Grid, { domain: HeatDomain; images: HeatImages }>();

export function heatImages(grid: Grid, domain: HeatDomain): HeatImages {
  if (!paint) return {};
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
  // Undefined where there is nothing to see.
  const [shown, below, absent] = [positive, negative, missing].map((opacity) =>
    opacity.some(Boolean) ? paint?.(grid.n_rows, grid.n_cols, opacity) : undefined,
  );
  const images: HeatImages = { positive: shown, negative: below, missing: absent };
  painted.set(grid, { domain, images });
  return images;
}

let canvas: HTMLCanvasElement | undefined;

function onCanvas(n_rows: number, n_cols: number, opacity: Uint8Array): string | undefined {
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
