// inf and NaN in charts, tables and sentences: in a colour of their own and with their sign.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import { describe, expect, it } from "vitest";
import type { Figure, HeatMapFigure, Series } from "../../../bindings/api/types.ts";
import { chart } from "../../../web/charts/chart.ts";
import { formatShort } from "../../../web/charts/heat_draw.ts";
import { cellText } from "../../../web/charts/heat_words.ts";
import { summary } from "../../../web/charts/summary.ts";
import { figureTables } from "./fixtures/kinds.ts";
import { noActions, stillState } from "../../../web/elements/figure_state.ts";
import { linesView } from "../../../web/elements/data_view.ts";
import { fixture, vocabularyOf } from "./fixtures/load.ts";

const vocabulary = vocabularyOf("en");

function text(view: TemplateResult | TemplateResult[] | symbol): string {
  return [view]
    .flat()
    .map((each) => collectResultSync(render(each)))
    .join("")
    .replace(/<!--.*?-->/gs, "");
}

const draw = (figure: Figure): string => text(chart(figure, { id: "c", vocabulary }));
const axes = { at: {}, log_x: false, log_y: false } as const;
const born: Series = { name: "not_a_number", role: "other", x: [1], y: [1] };

function map(change: Partial<HeatMapFigure> = {}): HeatMapFigure {
  const values = [0.5, Infinity, -Infinity, null, null, 2];
  const grid = { n_rows: 3, n_cols: 2, values };
  return {
    ...{ ...axes, name: "weights", kind: "heatmap", x: "key", y: "query", z: "weight" },
    ...{ series: [born], grid, ...change },
  };
}

describe("in a heat map", () => {
  it("each has its sign; what is masked stays hatched", () => {
    const markup = draw(map());
    const signs = [...markup.matchAll(/class="broken-sign"[^>]*>([^<]+)</g)].map(([, sign]) => sign);
    expect(signs).toEqual(["∞", "−∞", "NaN"]);
    const [cells = ""] = /<path class="broken-cell" d="[^"]*"/.exec(markup) ?? [];
    expect(cells.split("z").length - 1).toBe(3);
    expect(markup).toContain('fill="url(#c-missing)"');
    expect(draw(map({ series: [], grid: { n_rows: 1, n_cols: 2, values: [1, null] } }))).not.toContain(
      "broken",
    );
  });

  it("a cross takes the sign's place where there is no room", () => {
    const values = Array.from({ length: 1600 }, (_, i) => (i === 7 ? Infinity : i));
    const markup = draw(map({ series: [], grid: { n_rows: 40, n_cols: 40, values } }));
    expect(markup).toContain("broken-cross");
    expect(markup).not.toContain("broken-sign");
  });

  it("is said of the cell, the map and the table", () => {
    expect(cellText(map(), { row: 0, col: 1 }, vocabulary)).toMatch(/: ∞$/);
    expect(cellText(map(), { row: 1, col: 1 }, vocabulary)).toMatch(/: NaN$/);
    expect(cellText(map(), { row: 2, col: 0 }, vocabulary)).toMatch(/: masked$/);
    expect(summary(map(), vocabulary)).toContain("1 masked");
    expect(summary(map(), vocabulary)).toContain("3 infinite or not a number");
    const marked = [...text(figureTables(map(), vocabulary)).matchAll(/<td class="broken">([^<]+)</g)];
    expect(marked.map(([, sign]) => sign)).toEqual(["∞", "−∞", "NaN"]);
  });

  it("keeps numbers far beyond its colours short", () => {
    expect(formatShort(5.18e21, { low: 0, high: 1 })).toBe("5 × 10²¹");
    expect(formatShort(2.718, { low: 0, high: 1 })).toBe("2.72");
  });
});

describe("in other charts", () => {
  const line = (y: number[]): Figure => {
    const x = y.map((_, i) => i + 1);
    const other: Series = { name: "exact", role: "reference", x, y: y.map((_, i) => i) };
    return {
      ...axes,
      name: "f",
      kind: "lines",
      x: "terms",
      y: "y",
      series: [{ name: "s", role: "other", x, y }, other],
    };
  };

  it("a line ends in a cross where it leaves the numbers", () => {
    const markup = draw(line([1, 2, -Infinity]));
    expect(/class="broken-line".*?<text[^>]*>([^<]+)</s.exec(markup)?.[1]).toBe("−∞");
    expect(markup).not.toMatch(/NaN|Infinity/);
    expect(draw(line([1, 2, 3]))).not.toContain("broken");
    expect(draw(line([Infinity, 2, 3]))).not.toMatch(/NaN|Infinity/);
    expect(summary(line([1, 2, -Infinity]), vocabulary)).toContain("s from 1 to −∞");
    expect(text(figureTables(line([1, 2, -Infinity]), vocabulary))).toContain('<td class="broken">−∞</td>');
  });

  it("a bar is as high as the chart", () => {
    const series: Series[] = [{ name: "s", role: "scaled", x: [1, 2, 3], y: [0.5, null, Infinity] }];
    const markup = draw({ ...axes, name: "weights", kind: "bars", x: "key", y: "weight", y_max: 1, series });
    expect([...markup.matchAll(/class="broken-sign"[^>]*>([^<]+)</g)].map(([, sign]) => sign)).toEqual([
      "NaN",
      "∞",
    ]);
    expect(markup.split('class="mark"').length - 1).toBe(1);
  });

  it("a line that stays where it is is said once", () => {
    expect(summary(line([3, 3, 3]), vocabulary)).toContain("s 3");
    expect(summary(line([3, 3, 3]), vocabulary)).not.toContain("3 to 3");
  });

  it("printed lines show them", () => {
    const { description, result } = fixture("article_snippet");
    const lines = ["e^s = inf 2.7 sum = -inf weights = nan 0", "infinite nano"];
    const markup = text(
      linesView(stillState(description, result, vocabulary), { ...result, lines }, noActions),
    );
    const marked = [...markup.matchAll(/<b class="broken">([^<]+)<\/b>/g)].map(([, word]) => word);
    expect(marked).toEqual(["inf", "-inf", "nan"]);
  });
});
