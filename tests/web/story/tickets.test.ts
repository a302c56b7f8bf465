import { expect, test } from "vitest";
import { drawnFrom } from "../../../web/story/tickets.ts";

const series = { name: "none", role: "unscaled", x: [-1.75, -1.25, -0.75], y: [0.4, 0, 1.6] } as const;

test("all draws together are what the histogram has counted", () => {
  const drawn = drawnFrom(series, 10, 10);
  expect(drawn.toSorted((a, b) => a - b)).toEqual([-1.75, -1.75, ...Array<number>(8).fill(-0.75)]);
});

test("draws stand in no order of their size, always the same, and are never more than were counted", () => {
  const drawn = drawnFrom(series, 1000, 1000);
  expect(drawn).toHaveLength(1000);
  expect(drawn).toEqual(drawnFrom(series, 1000, 1000));
  const early = drawn.slice(0, 200).filter((power) => power === -1.75).length;
  expect(early).toBeGreaterThan(20);
  expect(early).toBeLessThan(60);
  expect(drawnFrom(series, 10, 40)).toHaveLength(10);
});
