// Words and numbers in charts: room for them, the reader's language, and one form for what is read together.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, it } from "vitest";
import type { Figure, Grid, Series } from "../../../bindings/api/types.ts";
import { chart } from "../../../web/charts/chart.ts";
import { formatTogether, textWidth } from "../../../web/charts/format.ts";
import { heatLayout } from "../../../web/charts/heat_layout.ts";
import { cellText } from "../../../web/charts/heat_words.ts";
import { height, textSize, width, within } from "../../../web/charts/layout.ts";
import { logarithmic } from "../../../web/charts/scale.ts";
import { summary } from "../../../web/charts/summary.ts";
import { drawing, figureTables } from "./fixtures/kinds.ts";
import { vocabularyOf } from "./fixtures/load.ts";

const vocabulary = vocabularyOf("en");
const plain = (markup: string): string => markup.replace(/<!--.*?-->/gs, "");
const shape = { at: {}, log_x: false, log_y: false } as const;

function draw(figure: Figure, language = vocabulary): string {
  return plain(collectResultSync(render(chart(figure, { id: "c", vocabulary: language }))));
}

function lines(series: Series[]): Figure {
  return { ...shape, name: "operations", kind: "lines", x: "n", y: "operations", log_y: true, series };
}

describe("bars", () => {
  const names = ["sqrt(d)", "d", "1/sqrt(d)", "1/(2*sqrt(d))", "negative_squared_distance"];
  const bars = (count: number): Figure => {
    const series = names
      .slice(0, count)
      .map((name) => ({ name, role: "other", x: [0, 1], y: [0.999, 0.001] }));
    return { ...shape, name: "weights", kind: "bars", x: "key", y: "weight", y_max: 1, series } as Figure;
  };

  it("stand in two rows where their words would be cut, and the chart is as tall as they need", () => {
    expect(drawing(bars(2), { id: "c", vocabulary }).height).toBe(height);
    expect(drawing(bars(3), { id: "c", vocabulary }).height).toBe(height);
    const tall = drawing(bars(5), { id: "c", vocabulary }).height;
    expect(tall).toBeGreaterThan(height + 100);
    const markup = draw(bars(5));
    expect(markup).toContain(`viewBox="0 0 ${width} ${tall}"`);
    expect(markup.split(">max 0.999<").length - 1).toBe(5);
    const [, moved = ""] = /translate\(0 (\d+)\)/.exec(markup) ?? [];
    expect(Number(moved)).toBe(tall - height);
  });

  it("have their largest value below their name where both do not fit", () => {
    const wide = draw(bars(2));
    expect(wide).toMatch(/chart-number"[^>]* y="48" text-anchor="end"/);
    expect(draw(bars(3))).toMatch(/chart-number"[^>]* y="63" text-anchor="start"/);
  });
});

describe("a map", () => {
  const grid: Grid = {
    n_rows: 2,
    n_cols: 2,
    values: [0.5, null, 0.25, 0.125],
    rows: ["additive_attention", "x"],
    cols: ["forward", "backward"],
  };
  const figure: Figure = {
    ...shape,
    ...{ name: "kernel_errors", kind: "heatmap", x: "pass", y: "operator", z: "share_of_bound" },
    ...{ series: [], grid },
  };

  it("has room for long names of rows where there are few columns", () => {
    expect(heatLayout(grid).rows[0]!.text).toBe("additive_attention");
    const many = { ...grid, n_cols: 12, cols: undefined as never, values: Array<number>(24).fill(0.5) };
    expect(heatLayout(many).rows[0]!.text).toMatch(/^additive.*…$/);
  });

  it("says the program's own names in the reader's language, but no reader's words", () => {
    const zh = vocabularyOf("zh");
    expect(draw(figure, zh)).toContain(">反向<");
    expect(plain(collectResultSync(render(figureTables(figure, zh))))).toContain(">前向<");
    expect(cellText(figure, { row: 0, col: 0 }, zh)).toContain("前向");
    expect(draw({ ...figure, x: "key" }, zh)).toContain(">backward<");
  });

  it("calls a cell masked only where keys are", () => {
    expect(cellText(figure, { row: 0, col: 1 }, vocabulary)).toMatch(/: no value$/);
    expect(summary(figure, vocabulary)).toContain("; 1 without a value");
    expect(summary({ ...figure, x: "source_key" }, vocabulary)).toContain("; 1 masked");
  });
});

describe("ticks", () => {
  it("of less than two decades are 1, 2 and 5, unless the axis ends at powers of two", () => {
    expect(logarithmic([0.00048, 0.0033], [0, 1]).ticks(4)).toEqual([0.0005, 0.001, 0.002]);
    expect(logarithmic([3, 70], [0, 1]).ticks(4)).toEqual([5, 10, 20, 50]);
    expect(logarithmic([8, 64], [0, 1]).ticks(4)).toEqual([8, 16, 32, 64]);
  });

  it("end inside the chart", () => {
    expect(within(100, "10000", width)).toBe(100);
    const middle = within(width - 2, "10000", width);
    expect(middle + textWidth("10000", textSize) / 2).toBeLessThanOrEqual(width);
  });
});

it("numbers in one sentence have one form", () => {
  expect(formatTogether([8454144, 68719476736, 12, null], 3)).toEqual([
    "8.45 × 10⁶",
    "6.87 × 10¹⁰",
    "12",
    "–",
  ]);
  expect(formatTogether([8454144, 12], 3)).toEqual(["8454144", "12"]);
  const far = lines([{ name: "a", role: "other", x: [1, 2], y: [8454144, 6.87e7] }]);
  expect(summary(far, vocabulary)).toContain("8.45 × 10⁶ to 6.87 × 10⁷");
});

it("a chart without a finite number says so, and ends no list that is empty", () => {
  const nothing: Series[] = [{ name: "none", role: "unscaled", x: [0, 1], y: [null, null] }];
  const bars = { ...lines(nothing), kind: "bars", log_y: false } as Figure;
  for (const figure of [lines(nothing), bars])
    expect(summary(figure, vocabulary)).toMatch(/^[^:]+: no finite value\.$/);
});
