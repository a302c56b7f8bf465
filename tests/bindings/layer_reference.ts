// Layers once more, in double and as plainly as possible: rows of numbers, one sequence at a time.
import type { Values } from "../../bindings/entry/full.ts";

export type Rows = readonly (readonly number[])[];
/** Parameters by name. */
export type Weights = Readonly<Record<string, { data: ArrayLike<number>; shape: readonly number[] }>>;

export function rowsOf(data: ArrayLike<number>, columns: number): number[][] {
  return Array.from({ length: data.length / columns }, (_, i) =>
    Array.from({ length: columns }, (_, j) => data[i * columns + j]!),
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, x) => total + x, 0);
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  sum(Array.from(a, (x, i) => x * b[i]!));
export const add = (a: Rows, b: Rows): number[][] => a.map((row, i) => row.map((x, j) => x + b[i]![j]!));

/** Rows first .. first + count of `weight` and of `bias`. */
export function linear(
  x: Rows,
  w: Weights,
  weight: string,
  bias: string,
  first = 0,
  count = Infinity,
): number[][] {
  const { data, shape } = w[weight]!;
  const all = rowsOf(data, shape[1]!).slice(first, first + count);
  const shift = Array.from(w[bias]?.data ?? [], Number).slice(first, first + count);
  return x.map((row) => all.map((weights, j) => dot(row, weights) + (shift[j] ?? 0)));
}

export function norm(x: Rows, w: Weights, name: string): number[][] {
  return x.map((row) => {
    const mean = sum(row) / row.length;
    const variance = sum(row.map((value) => (value - mean) ** 2)) / row.length;
    return row.map((value, j) => {
      const normalized = (value - mean) / Math.sqrt(variance + 1e-5);
      return normalized * w[`${name}.weight`]!.data[j]! + w[`${name}.bias`]!.data[j]!;
    });
  });
}

/** The weights of each head. */
export type Seen = number[][][];

export function attention(
  query: Rows,
  key: Rows,
  w: Weights,
  name: string,
  nHeads: number,
  causal = false,
  seen: Seen = [],
): number[][] {
  const d = query[0]!.length;
  const dHead = d / nHeads;
  const project = (x: Rows, i: number): number[][] =>
    linear(x, w, `${name}in_proj_weight`, `${name}in_proj_bias`, i * d, d);
  const [q, k, v] = [project(query, 0), project(key, 1), project(key, 2)];
  const joined: number[][] = query.map(() => []);
  for (let head = 0; head < nHeads; ++head) {
    const part = (row: readonly number[]): number[] => row.slice(head * dHead, (head + 1) * dHead);
    const weights = q.map((row, i) => {
      const powers = k.map((other, j) =>
        causal && j > i ? 0 : Math.exp(dot(part(row), part(other)) / Math.sqrt(dHead)),
      );
      return powers.map((power) => power / sum(powers));
    });
    seen.push(weights);
    weights.forEach((row, i) => {
      for (let c = 0; c < dHead; ++c) joined[i]!.push(sum(row.map((weight, j) => weight * part(v[j]!)[c]!)));
    });
  }
  return linear(joined, w, `${name}out_proj.weight`, `${name}out_proj.bias`);
}

export function feedForward(x: Rows, w: Weights): number[][] {
  const hidden = linear(x, w, "linear1.weight", "linear1.bias").map((row) => row.map((h) => Math.max(h, 0)));
  return linear(hidden, w, "linear2.weight", "linear2.bias");
}

type Part = (x: Rows) => number[][];

/** Each part in a residual connection with its norm. */
function residual(x: Rows, w: Weights, normFirst: boolean, parts: readonly Part[]): Rows {
  return parts.reduce<Rows>((y, part, i) => {
    const name = `norm${i + 1}`;
    return normFirst ? add(y, part(norm(y, w, name))) : norm(add(y, part(y)), w, name);
  }, x);
}

export function encoderLayer(x: Rows, w: Weights, nHeads: number, normFirst = false, causal = false): Rows {
  const attend: Part = (y) => attention(y, y, w, "self_attn.", nHeads, causal);
  return residual(x, w, normFirst, [attend, (y) => feedForward(y, w)]);
}

export function decoderLayer(x: Rows, memory: Rows, w: Weights, nHeads: number, normFirst = false): Rows {
  return residual(x, w, normFirst, [
    (y) => attention(y, y, w, "self_attn.", nHeads, true),
    (y) => attention(y, memory, w, "multihead_attn.", nHeads),
    (y) => feedForward(y, w),
  ]);
}

/** The parameters of one layer of a model. */
export function inside(w: Weights, prefix: string): Weights {
  const own = Object.entries(w).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, values]) => [name.slice(prefix.length), values]));
}

/** dL/dx of L(x) by central differences, where L is made anew from copies of all `inputs`. */
export function gradients(
  inputs: Readonly<Record<string, Values>>,
  loss: (inputs: Weights) => number,
): Record<string, number[]> {
  const copies = Object.fromEntries(
    Object.entries(inputs).map(([name, { data, shape }]) => [name, { data: Array.from(data), shape }]),
  );
  const step = 1e-5;
  return Object.fromEntries(
    Object.entries(copies).map(([name, { data }]) => [
      name,
      data.map((value, i) => {
        const at = (x: number): number => {
          data[i] = x;
          return loss(copies);
        };
        const slope = (at(value + step) - at(value - step)) / (2 * step);
        data[i] = value;
        return slope;
      }),
    ]),
  );
}
