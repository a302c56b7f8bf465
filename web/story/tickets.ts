// Draws one by one from what a histogram has counted.
import type { Series } from "../../bindings/api/types.ts";

/** The centres of the bins that `count` of its `n` values lie in, in the order in which they are drawn: always the same. */
export function drawnFrom({ x, y }: Series, n: number, count: number): number[] {
  const centres = x.map(Number);
  const width = (centres[1] ?? 0) - (centres[0] ?? 0);
  const urn = centres.flatMap((centre, i) =>
    Array.from({ length: Math.round((y[i] ?? 0) * width * n) }, () => centre),
  );
  let state = 1;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: Math.min(count, urn.length) }, () => urn.splice(below(urn.length), 1)[0]!);
}
