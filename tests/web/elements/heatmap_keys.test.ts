import { describe, expect, it } from "vitest";
import { entered, leads } from "../../../web/charts/heat_rove.ts";
import { heatDomain, heatLevel } from "../../../web/charts/heat_scale.ts";
import { chartContext, chartGroups } from "../../../web/charts/groups.ts";
import { formatShort } from "../../../web/charts/heat_draw.ts";
import { summary } from "../../../web/charts/summary.ts";
import { figureTables } from "./fixtures/kinds.ts";
import { vocabularyOf } from "./fixtures/load.ts";
import { draw, grid, map, text, vocabulary } from "./fixtures/heat.ts";

describe("a logarithmic scale", () => {
  const tiny = grid(2, 2, (row, col) => (row + col === 2 ? 0 : row + col === 0 ? 2e-21 : -3e-43));
  const floor = 3e-43;

  it("is that of maps whose numbers would all be paper, of none else", () => {
    expect(heatDomain(map({ grid: tiny, y_max: 0.25 }))).toEqual({ low: -0.25, high: 0.25, floor });
    expect(heatDomain(map({ grid: tiny }))).toEqual({ low: -2e-21, high: 2e-21 }); // the largest is seen
    expect(heatDomain(map({ grid: grid(8, 8, () => 1 / 64), y_max: 0.25 }))).not.toHaveProperty("floor");
    expect(heatDomain(map({ grid: grid(2, 2, () => 0), y_max: 1 }))).toEqual({ low: 0, high: 1 });
    const seen = map({ grid: grid(1, 1, () => 1e-3) });
    const all = [seen, map({ grid: grid(1, 2, (_, col) => (col ? 1e-9 : 1e-8)) })];
    for (const each of all) expect(heatDomain(each, all)).toEqual({ low: 0, high: 1e-3, floor: 1e-9 });
  });

  it("keeps zero apart from the smallest, and sizes in their order", () => {
    const domain = { low: -0.25, high: 0.25, floor };
    const levels = [0, floor, -1e-30, 2e-21, -0.01, 0.25, 1].map((value) => heatLevel(value, domain));
    expect(levels[0]).toBe(0);
    expect(levels[1]).toBeGreaterThan(0.1);
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
    expect(levels.slice(-2)).toEqual([1, 1]);
    expect([2e-21, -3e-43, 0, 0.25, -12.34, 4e30].map((value) => formatShort(value, domain))).toEqual([
      ...["2e−21", "−3e−43", "0", "0.25"],
      ...["−12", "4e30"],
    ]);
  });

  it.each(["en", "zh"] as const)(
    "is said on the colour bar in %s, and prints numbers that say something",
    (language) => {
      const markup = draw(map({ grid: tiny, y_max: 0.25 }), { vocabulary: vocabularyOf(language) });
      expect(markup).toMatch(language === "en" ? />weight \(log\)</ : />[^<]*（对数）</);
      expect(markup.replace(/\s/g, "")).toContain(">±3×10⁻⁴³<");
      for (const number of ["2e−21", "−3e−43", "0"]) expect(markup).toContain(`>${number}</text>`);
      expect(markup).not.toContain("0.00");
      expect(draw(map(), { vocabulary: vocabularyOf(language) })).not.toMatch(/\(log\)|对数/);
    },
  );

  it("changes neither the sentence nor the table nor the CSV file", () => {
    const figure = map({ grid: tiny, y_max: 0.25 });
    const linear = map({ grid: tiny });
    expect(summary(figure, vocabulary)).toBe(summary(linear, vocabulary));
    expect(text(figureTables(figure, vocabulary))).toBe(text(figureTables(linear, vocabulary)));
    expect(text(figureTables(figure, vocabulary))).toContain("2.000 × 10⁻²¹");
  });
});

describe("several maps", () => {
  const figures = [map(), map({ name: "other" }), map({ name: "third", grid: grid(2, 5, () => 1) })];
  const state = { id: "several", vocabulary };
  const stops = (): boolean[] => {
    const [group] = chartGroups(figures);
    return figures.map((_, index) => chartContext(index, group!, figures, state).among!.stop);
  };

  it("are one stop of the Tab key: the one last used, at first the first", () => {
    const [group] = chartGroups(figures);
    expect(stops()).toEqual([true, false, false]);
    chartContext(2, group!, figures, state).among!.take();
    expect(stops()).toEqual([false, false, true]);
    const fewer = figures.slice(0, 2); // that one is gone
    const context = chartContext(0, chartGroups(fewer)[0]!, fewer, state);
    expect(context.among!.stop).toBe(true);
    expect(draw(figures[1]!, chartContext(1, group!, figures, state))).toMatch(
      /tabindex="-1"\s+role="application"\s+aria-label="[^"]*Arrow keys[^"]*into the next map/,
    );
  });

  it("one alone is a stop of its own", () => {
    const [group] = chartGroups([map()]);
    expect(chartContext(0, group!, [map()], state).among).toBeUndefined();
  });

  it("are entered from the side at which the other is left", () => {
    const { grid: cells } = map();
    expect(leads("ArrowRight", { row: 0, col: 2 }, cells)).toBe(true);
    expect(leads("ArrowRight", { row: 0, col: 1 }, cells)).toBe(false);
    expect(leads("ArrowDown", { row: 2, col: 0 }, cells)).toBe(true);
    expect(leads("End", { row: 2, col: 2 }, cells)).toBe(false);
    const from = { row: 2, col: 2 };
    expect(entered({ key: "ArrowRight", from }, figures[2]!.grid)).toEqual({ row: 1, col: 0 });
    expect(entered({ key: "ArrowLeft", from }, figures[2]!.grid)).toEqual({ row: 1, col: 4 });
    expect(entered({ key: "ArrowDown", from }, figures[2]!.grid)).toEqual({ row: 0, col: 2 });
    expect(entered({ key: "ArrowUp", from }, figures[2]!.grid)).toEqual({ row: 1, col: 2 });
    expect(
      entered(
        { key: "ArrowUp", from },
        grid(0, 0, () => 0),
      ),
    ).toBeUndefined();
  });
});
