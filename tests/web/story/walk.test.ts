import { expect, test } from "vitest";
import type { RunResult } from "../../../bindings/api/types.ts";
import { figure, walksOf } from "../../../web/story/figures/walk.ts";

const result = {
  figures: [
    { name: "score_histogram", series: [{ name: "expected" }] },
    { name: "score_walks", series: ["walk", "walk", "95 %", "68 %", "expected"].map((name) => ({ name })) },
  ],
} as unknown as RunResult;

test("walks, the bands around them and what theory expects are told apart", () => {
  const { walks, bands, theory } = walksOf(result);
  expect(walks).toHaveLength(2);
  expect(bands.map(({ name }) => name)).toEqual(["95 %", "68 %"]);
  expect(theory?.name).toBe("expected");
});

test("one walk is watched product by product, many over 512 of them", () => {
  const one = { ...figure.start, walks: "1" };
  expect(figure.params(one, String)).toMatchObject({ d: String(figure.steps?.(one)), walks: "1" });
  expect(figure.params({ ...one, walks: "1000" }, String)).toMatchObject({ d: "512", walks: "1000" });
});
