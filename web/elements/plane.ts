// Vectors of two components in a plane: where they are, and what the three ways to compare them look like.
export type Vector = readonly [x: number, y: number];

export const width = 340;
export const height = 250;
export const unit = 25; // pixels, of the grid
const maxKeys = 8;

/** The first row is q; undefined where there is nothing to draw in a plane. */
export function vectorsOf(texts: Readonly<Record<string, string>>): Vector[] | undefined {
  const rows = [texts.q, texts.k].map((text = "") =>
    text
      .trim()
      .split(/[;\n]/)
      .map((row) => row.split(",").map((number) => (number.trim() ? Number(number) : NaN))),
  );
  const vectors = rows.flat();
  const isDrawn = vectors.every((vector) => vector.length === 2 && vector.every(Number.isFinite));
  if (!isDrawn || rows[0]!.length !== 1 || vectors.length > 1 + maxKeys) return undefined;
  return vectors as unknown as Vector[];
}

/** The parameter that holds the vector with this index, and its text with `vector` in that place. */
export function withVector(
  vectors: readonly Vector[],
  index: number,
  vector: Vector,
): [param: "q" | "k", text: string] {
  const all = vectors.map((old, i) => (i === index ? vector : old).join(","));
  return index === 0 ? ["q", all[0]!] : ["k", all.slice(1).join(";")];
}

/** What one square of the grid is: 1, or a power of two where the vectors are long. */
export function scaleOf(vectors: readonly Vector[]): number {
  const needed = Math.max(...vectors.flatMap(([x, y]) => [Math.abs(x) / 6.4, Math.abs(y) / 4.6]));
  return 2 ** Math.max(0, Math.ceil(Math.log2(needed)));
}

export function pixelsOf([x, y]: Vector, scale: number): Vector {
  return [width / 2 + (x * unit) / scale, height / 2 - (y * unit) / scale];
}

/** The vector at these pixels, in tenths of a square, inside the plane. */
export function vectorAt([x, y]: Vector, scale: number): Vector {
  return inside([((x - width / 2) / unit) * scale, ((height / 2 - y) / unit) * scale], scale);
}

export function inside([x, y]: Vector, scale: number): Vector {
  const to = (value: number, most: number): number =>
    Number((Math.round(Math.min(Math.max(value / scale, -most), most) * 10) * 0.1 * scale).toFixed(1)) || 0;
  return [to(x, 6.4), to(y, 4.6)];
}

/** Where a key leads from `vector`; larger steps with Shift. */
export function vectorAfter(key: string, shift: boolean, [x, y]: Vector, scale: number): Vector | undefined {
  const step = (shift ? 1 : 0.1) * scale;
  const steps: Record<string, Vector> = {
    ArrowLeft: [-step, 0],
    ArrowRight: [step, 0],
    ArrowUp: [0, step],
    ArrowDown: [0, -step],
  };
  const by = steps[key];
  return by && inside([x + by[0], y + by[1]], scale);
}

/** The vector whose head is nearest to these pixels, of those within reach of a finger. */
export function nearest(at: Vector, vectors: readonly Vector[], scale: number): number | undefined {
  const far = vectors.map((vector) => {
    const [x, y] = pixelsOf(vector, scale);
    return Math.hypot(x - at[0], y - at[1]);
  });
  const least = Math.min(...far);
  return least <= 30 ? far.indexOf(least) : undefined;
}

export interface Comparison {
  /** k's shadow on q, from 0 to its end: times the length of q, the dot product. */
  shadow: string;
  perpendicular: string;
  /** Between the two directions: its cosine. */
  angle: string;
  /** From head to head. */
  distance: string;
}

/** The comparison of q and k, as paths. */
export function comparison(q: Vector, k: Vector, scale: number): Comparison {
  const at = (vector: Vector): string =>
    pixelsOf(vector, scale)
      .map((pixels) => pixels.toFixed(1))
      .join(" ");
  const length = q[0] * q[0] + q[1] * q[1];
  const share = length > 0 ? (q[0] * k[0] + q[1] * k[1]) / length : 0;
  const foot: Vector = [share * q[0], share * q[1]];
  const on = (vector: Vector): Vector => {
    const size = Math.hypot(...vector) || 1;
    return [(1.2 * scale * vector[0]) / size, (1.2 * scale * vector[1]) / size];
  };
  const radius = 1.2 * unit;
  const turn = q[0] * k[1] - q[1] * k[0] > 0 ? 0 : 1; // pixels go down
  return {
    shadow: `M${at([0, 0])}L${at(foot)}`,
    perpendicular: `M${at(k)}L${at(foot)}`,
    angle: `M${at(on(q))}A${radius} ${radius} 0 0 ${turn} ${at(on(k))}`,
    distance: `M${at(q)}L${at(k)}`,
  };
}
