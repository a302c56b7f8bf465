import { expect, test } from "vitest";
import type { RunResult } from "../../../bindings/api/types.ts";
import { figure, printed } from "../../../web/story/figures/code.ts";

const result = {
  lines: ["d=32 scaled max=0.491 min=0.034 | unscaled max=0.653 min=0.000"],
  figures: [
    {
      name: "weights",
      series: [
        { name: "scaled", y: [0.491, 0.034] },
        { name: "unscaled", y: [0.653, null] },
      ],
    },
  ],
} as unknown as RunResult;

test("a line of the experiment is two of the program, each with its weights", () => {
  expect(printed(result)).toEqual([
    { d: "32", role: "scaled", text: "d=32 scaled   max=0.491 min=0.034", weights: [0.491, 0.034] },
    { d: "32", role: "unscaled", text: "d=32 unscaled max=0.653 min=0.000", weights: [0.653, 0] },
  ]);
});

test("what a reader types is what runs, with PyTorch's generator", () => {
  const say = (word: string): string => word;
  expect(figure.params({ d: " 8, 16 ", seed: "7 " }, say)).toEqual({ d: "8,16", seed: "7", rng: "torch" });
});
