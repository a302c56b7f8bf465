import { expect, test } from "vitest";
import { tokenIn } from "../../../web/story/figures/weights.ts";

test("the factor lies in one box, or its root in two", () => {
  const boxes = ["in_queries", "in_both", "in_formula"];
  const lying = (place: string): string[] => boxes.map((box) => tokenIn(box, place));
  expect(lying("in_formula")).toEqual(["", "", "÷ √d"]);
  expect(lying("in_queries")).toEqual(["÷ √d", "", ""]);
  expect(lying("in_both")).toEqual(["÷ ∜d", "÷ ∜d", ""]);
});
