import { expect, test } from "vitest";
import { pointedAt } from "../../../web/story/figures/keys.ts";

test("what is pointed at is a cell of the plane, many keys above few", () => {
  expect(pointedAt(0.5, 0.5)).toEqual({ d_power: "0", n_power: "6" });
  expect(pointedAt(6.99, 5.2)).toEqual({ d_power: "6", n_power: "1" });
});

test("beside the plane the nearest cell is meant", () => {
  expect(pointedAt(-3, 99)).toEqual({ d_power: "0", n_power: "1" });
  expect(pointedAt(99, -3)).toEqual({ d_power: "8", n_power: "6" });
});
