import { describe, expect, test } from "vitest";
import type { Figure, RunResult } from "../../../bindings/api/types.ts";
import { rowOf, trace } from "../../../web/story/figures/threads.ts";

const map = (name: string, n_cols: number, values: number[]): Figure =>
  ({ name, kind: "heat_map", grid: { n_rows: values.length / n_cols, n_cols, values } }) as unknown as Figure;

const result = {
  figures: [
    map("q", 2, [1, 2, 3, 4]),
    map("k", 2, [5, 6, 7, 8]),
    map("scores", 2, [17, 23, 39, 53]),
    map("scaled_scores", 2, [12, 16, 28, 37]),
    map("weights", 2, [0.1, 0.9, 0.2, 0.8]),
  ],
} as unknown as RunResult;

describe("a weight and what it comes from", () => {
  test("the row of the word that asks, of the word that is asked, and their products", () => {
    expect(trace(result, 1, 0)).toEqual({
      ...{ q: [3, 4], k: [5, 6], products: [15, 24] },
      ...{ score: 39, scaled: 28, weight: 0.2 },
    });
  });

  test("a row beyond the last is empty", () => {
    expect(rowOf({ n_rows: 1, n_cols: 2, values: [1, null] }, 0)).toEqual([1, 0]);
    expect(rowOf({ n_rows: 1, n_cols: 2, values: [1, null] }, 1)).toEqual([]);
  });
});
