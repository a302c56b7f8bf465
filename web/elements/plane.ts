// Vectors of two components in a plane: where they are, and what the three ways to compare them look like.
export type Vector = readonly [x: number, y: number];

export const width = 340;
export const height = 250;
export const unit = 25; // pixels, of the grid
/** How far from 0 the plane goes, to either side and up or down. */
const ends: Vector = [6.4, 4.6];
/** Pixels around a head: of a finger, and of the ring around the one in focus. */
export const reach = 30;
export const ring = 9;
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
  const needed = Math.max(...vectors.flatMap(([x, y]) => [Math.abs(x) / ends[0], Math.abs(y) / ends[1]]));
  return 2 ** Math.max(0, Math.ceil(Math.log2(needed)));
}

/** The largest x. */
export function endOf(scale: number): number {
  return ends[0] * scale;
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
  return [to(x, ends[0]), to(y, ends[1])];
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
  return least <= reach ? far.indexOf(least) : undefined;
}

/** Half of a name's box. */
const nameBox: Vector = [9, 7];

/**
 * The middle of each vector's name: beyond its head if there is room, else on another side of it; inside the plane,
 * outside the rings of all heads and the names before it, and off the arrows, as far as may be.
 */
export function namePlaces(vectors: readonly Vector[], scale: number): Vector[] {
  const heads = vectors.map((vector) => pixelsOf(vector, scale));
  const found: Vector[] = [];
  const shafts = heads.flatMap(([x, y]) =>
    [0.2, 0.4, 0.6, 0.8].map((share): Vector => [
      width / 2 + share * (x - width / 2),
      height / 2 + share * (y - height / 2),
    ]),
  );
  heads.forEach(([x, y], index) => {
    const [dx, dy] = vectors[index]!;
    const along = dx || dy ? Math.atan2(-dy, dx) : -Math.PI / 2;
    const far: Vector = [ring + 2 + nameBox[0], ring + 2 + nameBox[1]];
    const places = [0, 1, -1, 2, -2, 3, -3, 4].map((eighth): Vector => {
      const angle = along + (eighth * Math.PI) / 4;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const most = Math.max(Math.abs(cos), Math.abs(sin)); // on a square: names are boxes
      return [x + (far[0] * cos) / most, y + (far[1] * sin) / most];
    });
    const cost = (place: Vector): number =>
      (isInside(place) ? 0 : 100) +
      heads.filter((head) => !apart(place, head, [ring, ring])).length +
      found.filter((name) => !apart(place, name, nameBox)).length +
      (shafts.every((point) => apart(place, point, [0, 0])) ? 0 : 0.5);
    const costs = places.map(cost);
    found.push(places[costs.indexOf(Math.min(...costs))]!);
  });
  return found;
}

function isInside([x, y]: Vector): boolean {
  return x >= nameBox[0] && x <= width - nameBox[0] && y >= nameBox[1] && y <= height - nameBox[1];
}

/** Whether a name is clear of a box with this middle and these halves. */
function apart(name: Vector, other: Vector, half: Vector): boolean {
  return [0, 1].some((i) => Math.abs(name[i]! - other[i]!) >= nameBox[i]! + half[i]! - 0.1);
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
