import { describe, expect, test } from "vitest";
import type { RunResult } from "../../../bindings/api/types.ts";
import { valueAt } from "../../../web/elements/value_path.ts";
import { valueText } from "../../../web/elements/value_text.ts";

const chart = { x: "d", y: "weight", log_x: false, log_y: false };
const result: RunResult = {
  ...{ experiment: "x", params: {}, lines: [], holds: true, verdict: "", hash: "" },
  scalars: [
    { name: "frac_max_gt_0.99", at: { d: "512", scale: "1/sqrt(d)" }, value: 0.25, p50: 0.2 },
    { name: "frac_max_gt_0.99", at: { d: "512", scale: "none" }, value: 0.75 },
    { name: "example", at: { example: "50,1,1,1", d: "64" }, value: 0.9935 },
    { name: "steps", at: { scale: "none" }, value: 80 },
    { name: "steps", at: { scale: "none", seed: "1" }, value: 60 },
    { name: "broken", at: {}, value: null },
  ],
  figures: [
    {
      ...{ name: "curve", at: {}, kind: "lines", ...chart },
      series: [{ name: "1/d", role: "other", x: [8, 32, 128], y: [4, null, -2] }],
    },
    {
      ...{ name: "map", at: { step: "4" }, kind: "heatmap", ...chart, z: "weight", series: [] },
      grid: {
        n_rows: 2,
        n_cols: 3,
        rows: ["The", "the"],
        cols: ["a", "b", "a"],
        values: [1, 2, 3, 4, 5, null],
      },
    },
  ],
};

describe("a path into a result", () => {
  test.each([
    ["frac_max_gt_0.99[d=512,scale=1/sqrt(d)]", 0.25],
    ["frac_max_gt_0.99[scale=1/sqrt(d)]:p50", 0.2],
    ["example[example=50,1,1,1,d=64]", 0.9935],
    ["steps[scale=none]", 80],
    ["steps[seed=1]", 60],
    ["curve > 1/d > 128", -2],
    ["curve > 1/d > first", 4],
    ["curve > 1/d > last", -2],
    ["curve > 1/d > least", -2],
    ["curve > 1/d > most", 4],
    ["curve > 1/d > mean", 1],
    ["map[step=4] > the > b", 5],
    ["map > The > 2", 3],
  ])("%s leads to a number", (path, value) => {
    expect(valueAt(result, path)).toBe(value);
  });

  test.each([
    ["frac_max_gt_0.99[d=512]", "two"],
    ["frac_max_gt_0.99[d=32,scale=none]", "none"],
    ["frac_max_gt_0.99[scale=none]:p50", "a field that is not there"],
    ["broken", "NaN"],
    ["unknown", "an unknown name"],
    ["curve > 1/d > 32", "NaN in a series"],
    ["curve > 1/d > 64", "an x that is not there"],
    ["curve > none > last", "an unknown series"],
    ["map > the > a", "two columns of this name"],
    ["map > the > 2", "a masked cell"],
    ["map > 2 > 0", "a row beyond the last"],
  ])("%s leads to nothing: %s", (path) => {
    expect(valueAt(result, path)).toBeUndefined();
  });
});

test.each([
  [0.28291, ".3", "0.283"],
  [-0.0602, ".2", "−0.06"],
  [0.3164, ".1%", "31.6%"],
  [3.0825e-8, "g1", "3\u00a0×\u00a010⁻⁸"],
  [0.02349, "g2", "0.023"],
  [134217728, ",", "134,217,728"],
  [512, ",", "512"],
  [undefined, ".3", "–"],
])("%s in the format %s is %s", (value, format, text) => {
  expect(valueText(value, format)).toBe(text);
});
