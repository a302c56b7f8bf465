import { describe, expect, test } from "vitest";
import { axisReach, figure, leaders, spread } from "../../../web/story/figures/ratios.ts";

describe("eight scores", () => {
  const { start } = figure;

  test("are spread by a power of ten, and run as keys of one dimension", () => {
    expect(spread(start)).toEqual([1.4, 0.9, 0.5, 0.2, -0.2, -0.5, -0.9, -1.4]);
    expect(spread({ ...start, power: "1" })[0]).toBe(14);
    expect(figure.params(start, String)).toEqual({ q: "1", k: "1.4;0.9;0.5;0.2;-0.2;-0.5;-0.9;-1.4" });
  });

  test("stay within reach, and where they were if an address has none", () => {
    expect(spread({ ...start, scores: "9,-9,x" }).slice(0, 4)).toEqual([2, -2, 0.5, 0.2]);
  });

  test("fit the axis however far they are spread, and are seen to spread", () => {
    const shares = [0.1, 1, 22.6, 10 ** 1.4].map((factor) => (2 * factor) / axisReach(factor));
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeCloseTo(1);
    expect(shares[0]).toBeGreaterThan(0.4);
  });

  test("have a leader and a runner-up, the earlier one where two are equal", () => {
    expect(leaders([1, 4, 2])).toEqual({ first: 1, second: 2, lead: 2 });
    expect(leaders([3, 3])).toEqual({ first: 0, second: 1, lead: 0 });
  });
});
