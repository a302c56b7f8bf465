import { expect, test } from "vitest";
import { split, svgSubscripts } from "../../../web/story/subscripts.ts";

test("what is below the line is a single letter after a symbol", () => {
  expect(split("W_Q")).toEqual(["W", "Q", ""]);
  expect(split("scores, divided by √d_k")).toEqual(["scores, divided by √d", "k", ""]);
  expect(split("W_Q 相对自身大小")).toEqual(["W", "Q", " 相对自身大小"]);
  expect(split("softmax_jacobian, q · k, _a")).toEqual(["softmax_jacobian, q · k, _a"]);
});

test("a drawing's text goes on at its height", () => {
  expect(svgSubscripts("q · k")).toEqual(["q · k"]);
  expect(svgSubscripts("W_Q, moved")[2]).toMatchObject({ values: [", moved"] });
});
