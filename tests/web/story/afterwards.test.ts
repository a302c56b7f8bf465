import { expect, test } from "vitest";
import type { RunResult } from "../../../bindings/api/types.ts";
import { answerAt, figure } from "../../../web/story/figures/afterwards.ts";

/** The line of its own scale stands first; the answer names the power that belongs to it. */
const lines = [0, -4, -3, -2, -1, 1, 2, 3, 4].map((power) => `scale=${2 ** power}: 3 1 2 -> 1 2 ${power}`);

test("an answer is that of the factor", () => {
  for (const power of [-4, -1, 0, 1, 4])
    expect(answerAt({ lines } as unknown as RunResult, power)).toEqual({
      asked: ["3", "1", "2"],
      answered: ["1", "2", String(power)],
    });
});

test("each model has its own training, and the scales that multiply its own by powers of two", () => {
  const of = (trained: string): Readonly<Record<string, string>> =>
    figure.params({ ...figure.start, trained }, (word) => word);
  expect(of("with")).toMatchObject({ trained_with: "1/sqrt(d)", d_k: "16" });
  expect(of("with")["scale"]!.split(",").map(Number)).toEqual(
    [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((p) => 2 ** p / 4),
  );
  expect(of("without")["scale"]!.split(",").map(Number)[4]).toBe(1);
  expect(of("speaks")).toMatchObject({ trained_with: "1/sqrt(d)", task: "characters" });
  expect(of("nonsense")).toEqual(of("with"));
});
