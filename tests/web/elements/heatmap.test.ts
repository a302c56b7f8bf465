import { describe, expect, it } from "vitest";
import type { Figure, Grid, HeatMapFigure, RunResult } from "../../../bindings/api/types.ts";
import { cellAfter, cellAt, columnsOf, heatLayout, nameOf } from "../../../web/charts/heat_layout.ts";
import { heatDomain, heatLevel } from "../../../web/charts/heat_scale.ts";
import { chartContext, chartGroups } from "../../../web/charts/groups.ts";
import { formatShort } from "../../../web/charts/heat_draw.ts";
import { cellText } from "../../../web/charts/heat_words.ts";
import { px, shortened } from "../../../web/charts/layout.ts";
import { summary } from "../../../web/charts/summary.ts";
import { figureTables } from "./fixtures/kinds.ts";
import { resultCsv } from "../../../web/elements/exports.ts";
import { draw, grid, map, text, vocabulary, words } from "./fixtures/heat.ts";

describe("colours", () => {
  it("start at zero for one sign, and are as deep on both sides of it for two", () => {
    expect(heatDomain(map())).toEqual({ low: 0, high: 0.75 });
    expect(heatDomain(map({ y_max: 1 }))).toEqual({ low: 0, high: 1 });
    const signed = map({ grid: grid(2, 2, (row, col) => (row ? -3 : 1) * (col + 1)) });
    expect(heatDomain(signed)).toEqual({ low: -6, high: 6 });
    expect(heatDomain(map({ grid: grid(2, 2, () => -2) }))).toEqual({ low: -2, high: 0 });
    expect(heatDomain(map({ grid: grid(2, 2, () => 0) }))).toEqual({ low: 0, high: 1 });
    expect(heatLevel(-3, { low: -6, high: 6 })).toBe(0.5);
    expect(heatLevel(9, { low: 0, high: 6 })).toBe(1);
  });

  it("are shared by maps of one name and one top", () => {
    const larger = map({ grid: grid(1, 1, () => 5) });
    const all = [map(), larger, map({ name: "other", grid: grid(1, 1, () => 9) }), map({ y_max: 7 })];
    expect(heatDomain(map(), all)).toEqual({ low: 0, high: 5 });
  });
});

describe("a heat map", () => {
  it("draws the cells that are there, hatches those that are not, and prints their numbers", () => {
    const markup = draw(map());
    const [missing = ""] = /<path fill="url\(#c-missing\)" d="[^"]*"/.exec(markup) ?? [];
    expect(missing.split("z").length - 1).toBe(3);
    const printed = /<g class="heat-values.*?<\/g>/s.exec(markup)?.[0] ?? "";
    expect([...printed.matchAll(/<text[^>]*>(0\.\d\d)<\/text>/g)].map(([, number]) => number)).toEqual([
      "0.25",
      "0.50",
      "0.40",
      "0.75",
      "0.60",
      "0.50",
    ]);
    for (const word of words) expect(markup.split(`>${word}</text>`)).toHaveLength(3); // row and column
    expect(markup).toContain('viewBox="0 0 340 ');
    expect(draw(map(), { compact: true })).toContain('viewBox="0 0 226 ');
  });

  it("of many prints numbers without their zero, and larger on a phone where its cells have the room", () => {
    const numbers = (value: number): string[] => {
      const markup = draw(map({ grid: grid(4, 4, () => value) }), { compact: true });
      return /class="(heat-values[^"]*)".*?<text[^>]*>([^<]*)</s.exec(markup)?.slice(1) ?? [];
    };
    expect(numbers(0.25)).toEqual(["heat-values heat-roomy", ".25"]);
    expect(numbers(-0.25)).toEqual(["heat-values heat-roomy", "−.25"]);
    expect(numbers(-1.25)).toEqual(["heat-values", "−1.25"]);
  });

  it("is summed up by its extremes and the place of the largest", () => {
    expect(summary(map(), vocabulary)).toBe(
      "Weights: 3 × 3 cells from 0.250 to 0.750, the largest at query sat, key The; 3 masked.",
    );
  });

  it("draws a line through cells and between them, with its name; the cells that hold NaN are none", () => {
    const line = {
      name: "critical",
      role: "reference",
      x: [0, 1.5],
      y: [2, 0],
      y_se: [],
      low: [],
      high: [],
    } as const;
    const markup = draw(map({ series: [line, { ...line, name: "not_a_number", x: [1], y: [1] }] }));
    const { box, cell } = heatLayout(map().grid);
    const at = (col: number, row: number): string =>
      `${px(box.left + (col + 0.5) * cell.width)} ${px(box.top + (row + 0.5) * cell.height)}`;
    const [, path] = /class="heat-curve" d="([^"]*)"/.exec(markup) ?? [];
    expect(path).toBe(`M${at(0, 2)}L${at(1.5, 0)}`);
    expect(markup.split('class="heat-curve"')).toHaveLength(2);
    expect(markup).toMatch(/class="heat-curve-name"[^>]*>d = 2 ln n</);
  });

  it("gives the two signs two colours", () => {
    const markup = draw(map({ grid: grid(1, 2, (_, col) => (col ? 2 : -2)) }));
    expect(markup).toMatch(/<path class="heat-negative" fill-opacity="1"/);
    expect(markup).toMatch(/<path class="heat-positive" fill-opacity="1"/);
  });

  it("is reached by the keyboard and named, with its summary as the picture's text", () => {
    const markup = draw(map());
    expect(markup).toMatch(/tabindex="0"\s+role="application"\s+aria-label="Weights\. Arrow keys/);
    expect(markup).toMatch(/role="img"\s+aria-labelledby="c-caption"/);
    expect(markup).toContain(summary(map(), vocabulary));
    expect(draw(map(), { compact: true })).toContain(`aria-label="${summary(map(), vocabulary)}"`);
  });

  it("shows the exact number of the cell that is pointed at", () => {
    const exact = 0.3127412796020508;
    const figure = map({ grid: { ...grid(2, 2, () => exact), rows: ["a", "b"], cols: ["c", "d"] } });
    const markup = draw(figure, { cell: { row: 1, col: 0 } });
    expect(markup).toContain(String(exact));
    expect(cellText(figure, { row: 1, col: 0 }, vocabulary)).toBe("query b, key c: 0.3127412796020508");
    expect(cellText(map(), { row: 0, col: 2 }, vocabulary)).toBe("query The, key sat: masked");
  });

  it("of many cells stays small in a printed page", () => {
    const markup = draw(map({ grid: grid(100, 512, (row, col) => Math.sin(row + col)) }));
    expect(markup.length).toBeLessThan(8000);
    expect(markup).not.toContain("heat-values");
  });

  it.each([
    ["nothing", grid(0, 0, () => 0)],
    ["one cell", grid(1, 1, () => 0)],
    ["only missing ones", grid(2, 3, () => null)],
    ["an infinity", grid(2, 2, (row) => (row ? Infinity : 1))],
    ["a long row", grid(1, 300, (_, col) => col)],
    ["a long column", grid(300, 1, (row) => -row)],
  ])("of %s has no number that is none", (_, cells) => {
    for (const compact of [false, true]) {
      const markup = draw(map({ grid: cells }), { compact, cell: { row: 0, col: 0 } });
      expect(markup.replace(/∞/g, "")).not.toMatch(/NaN|undefined|="-?Infinity/);
      for (const [, path = ""] of markup.matchAll(/\s(?:d|x|y|width|height)="([^"]*)"/g)) {
        for (const number of path.match(/-?\d+(\.\d+)?/g) ?? [])
          expect(Math.abs(Number(number))).toBeLessThan(600);
      }
    }
  });

  it("of no cells is empty", () => {
    const bare = map({ grid: { n_rows: 0, n_cols: 0, values: [] } });
    expect(draw(bare)).toContain("0 × 0");
    expect(text(figureTables(bare, vocabulary))).toContain("<table");
  });
});

describe("the layout of a heat map", () => {
  it("finds the cell under a point and the one that a key leads to", () => {
    const cells = grid(3, 4, () => 1);
    const layout = heatLayout(cells, false);
    for (const cell of [
      { row: 0, col: 0 },
      { row: 2, col: 3 },
    ]) {
      const x = layout.box.left + (cell.col + 0.5) * layout.cell.width;
      const y = layout.box.top + (cell.row + 0.5) * layout.cell.height;
      expect(cellAt(layout, cells, x, y)).toEqual(cell);
    }
    expect(cellAt(layout, cells, layout.box.left - 1, layout.box.top + 1)).toBeUndefined();
    expect(cellAt(layout, cells, layout.box.right + 1, layout.box.top + 1)).toBeUndefined();
    expect(cellAfter("ArrowRight", undefined, cells)).toEqual({ row: 0, col: 0 });
    expect(cellAfter("ArrowRight", { row: 1, col: 3 }, cells)).toEqual({ row: 1, col: 3 });
    expect(cellAfter("ArrowDown", { row: 1, col: 3 }, cells)).toEqual({ row: 2, col: 3 });
    expect(cellAfter("Home", { row: 1, col: 3 }, cells)).toEqual({ row: 1, col: 0 });
    expect(cellAfter("Tab", { row: 1, col: 3 }, cells)).toBeUndefined();
    expect(
      cellAfter(
        "ArrowUp",
        undefined,
        grid(0, 0, () => 0),
      ),
    ).toBeUndefined();
  });

  it("shortens long names, thins out many, and keeps all inside", () => {
    expect(shortened("antidisestablishmentarianism", 60)).toMatch(/^antid.*…$/);
    expect(shortened("猫坐在垫子上", 40)).toBe("猫坐…");
    const start = performance.now();
    expect(shortened("a book ".repeat(500_000), 60)).toMatch(/^a book.*…$/);
    expect(performance.now() - start).toBeLessThan(50);
    expect(nameOf(["a", " "], 1)).toBe("␣");
    const many = heatLayout(
      grid(100, 512, () => 0),
      false,
    );
    expect(many.cols.map(({ index }) => index)).toEqual([0, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500]);
    expect(many.rows.length).toBeLessThan(30);
    for (const compact of [false, true]) {
      const { box, width } = heatLayout(
        grid(10, 49, () => 0),
        compact,
      );
      expect(box.right).toBeLessThanOrEqual(width);
    }
  });

  it("prints short numbers", () => {
    const unit = { low: -1, high: 1 };
    expect([0.125, -0.125, -0.001, 1].map((value) => formatShort(value, unit))).toEqual([
      "0.13",
      "−0.13",
      "0.00",
      "1.00",
    ]);
    expect(formatShort(-12.34, { low: -20, high: 20 })).toBe("−12.3");
    expect(formatShort(123.4, { low: 0, high: 200 })).toBe("123");
  });
});

describe("many heat maps", () => {
  const heads = Array.from({ length: 4 }, (_, head) => map({ at: { head: String(head) } }));

  it("of one name stand in a grid of their own, few with the other charts", () => {
    const lines: Figure = { ...map(), name: "lines", kind: "lines", z: undefined, grid: undefined };
    expect(chartGroups([lines, ...heads, lines])).toEqual([
      { compact: false, mixed: false, indices: [0] },
      { compact: true, mixed: false, indices: [1, 2, 3, 4] },
      { compact: false, mixed: false, indices: [5] },
    ]);
    expect(chartGroups([...heads.slice(2), lines])).toEqual([
      { compact: false, mixed: false, indices: [0, 1, 2] },
    ]);
  });

  it("of many names share a grid, with their names, and two columns where numbers need them", () => {
    const names = ["x", "w_q", "w_k", "w_v", "q", "k", "v"];
    const maps = names.map((name) => map({ name, at: { step: "1" } }));
    expect(chartGroups(maps.slice(1))).toEqual([
      { compact: false, mixed: false, indices: [0, 1, 2, 3, 4, 5] },
    ]);
    expect(chartGroups([...maps, ...heads])).toEqual([
      { compact: true, mixed: true, indices: [0, 1, 2, 3, 4, 5, 6] },
      { compact: true, mixed: false, indices: [7, 8, 9, 10] },
    ]);
    expect(draw(maps[0]!, { compact: true })).not.toContain("Input X · ");
    expect(draw(maps[0]!, { compact: true, mixed: true })).toContain("Input X · step = 1");

    const shaped = (n_rows: number, n_cols: number): Grid => grid(n_rows, n_cols, () => 1);
    expect([shaped(8, 4), shaped(6, 6), shaped(40, 40)].map(columnsOf)).toEqual([1, 1, 1]);
    expect([shaped(6, 8), shaped(8, 8), shaped(6, 128)].map(columnsOf)).toEqual([2, 2, 2]);
    const wide = draw(map({ grid: shaped(6, 8) }), { compact: true, columns: 2 });
    expect(wide).toContain('class="chart chart-wide"');
    expect(wide).toContain('viewBox="0 0 474 ');
    expect(wide).toContain("heat-values");
  });

  it("are tables, and rows of the CSV file", () => {
    const table = text(figureTables(map(), vocabulary));
    expect(table.match(/<td/g)).toHaveLength(9);
    expect(table).toContain("0.2500");
    const large = text(figureTables(map({ grid: grid(100, 512, () => 1) }), vocabulary));
    expect(large).toContain("the first 3 of 100 rows");
    const result = { figures: [map({ at: { d: "8" } })], scalars: [] } as unknown as RunResult;
    const lines = resultCsv(result).trimEnd().split("\n");
    expect(lines).toHaveLength(10);
    expect(lines.slice(1, 3)).toEqual(["weights,d=8,The,The,0.25,,,,,,,,", "weights,d=8,The,cat,,,,,,,,,"]);
  });
});

describe("a title", () => {
  const shown = (markup: string): string => /<text class="chart-title"[^>]*>([^<]*)/.exec(markup)?.[1] ?? "";
  const named = (change: Partial<HeatMapFigure>, context = {}): string => shown(draw(map(change), context));

  it("leaves out what all maps of its name have the same", () => {
    const many = ["1", "2", "3", "4"].map((head) => map({ at: { layer: "1", head } }));
    const [group] = chartGroups(many);
    const context = chartContext(2, group!, many, { id: "c", vocabulary });
    expect(context.same).toEqual(["layer"]);
    expect(shown(draw(many[2]!, context))).toBe("head = 3");
    const two = many.slice(2);
    const large = chartContext(0, chartGroups(two)[0]!, two, { id: "c", vocabulary });
    expect(shown(draw(two[0]!, large))).toMatch(/[^…] · head = 3$/);
    const one = two.slice(0, 1);
    const alone = chartContext(0, chartGroups(one)[0]!, one, { id: "c", vocabulary });
    expect(shown(draw(one[0]!, alone))).toMatch(/ · layer = 1, head = 3$/);
  });

  it("is as long as the map is wide, and keeps where the map is from", () => {
    const name = "A very long name of a figure that nobody can read at once";
    expect(named({ name, at: {} })).toMatch(/^A very long .*…$/);
    expect(named({ name, at: { head: "1" } })).toMatch(/^A very .*… · head = 1$/);
    const at = Object.fromEntries(["a", "b", "c", "d"].map((label) => [`label_${label}`, "1000"]));
    expect(named({ name, at })).toMatch(/^label_a = 1000, .*…$/);
    expect(named({ name: "x", at: {} })).not.toContain("…");
  });
});
