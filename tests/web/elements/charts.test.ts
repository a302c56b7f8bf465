import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, it } from "vitest";
import type { Figure, Series } from "../../../bindings/api/types.ts";
import { chart } from "../../../web/charts/chart.ts";
import { formatNumber, formatTick, formatWeight, formatWithError } from "../../../web/charts/format.ts";
import { chartContext, chartGroups } from "../../../web/charts/groups.ts";
import { height, yTickNames } from "../../../web/charts/layout.ts";
import { spread } from "../../../web/charts/lines.ts";
import { linear, logarithmic, scaleOver } from "../../../web/charts/scale.ts";
import { summary } from "../../../web/charts/summary.ts";
import { figureColumns } from "../../../web/charts/series.ts";
import { figureTables } from "./fixtures/kinds.ts";
import { vocabularyOf } from "./fixtures/load.ts";

const vocabulary = vocabularyOf("en");

function series(change: Partial<Series> = {}): Series {
  return { name: "measured", role: "other", x: [1, 2, 4], y: [1, 2, 3], ...change };
}

function figure(change: Partial<Figure> = {}): Figure {
  const shape = {
    name: "weights",
    at: {},
    kind: "lines",
    x: "d",
    y: "weight",
    log_x: false,
    log_y: false,
  } as const;
  return { ...shape, series: [series()], ...change } as Figure;
}

function draw(one: Figure, cursor?: number): string {
  return collectResultSync(render(chart(one, { id: "c", vocabulary, cursor }))).replace(/<!--.*?-->/gs, "");
}

function numbersOf(markup: string): number[] {
  const attributes = [...markup.matchAll(/\s(?:x|y|x1|x2|y1|y2|width|height|d|transform)="([^"]*)"/g)];
  return attributes.flatMap(([, value = ""]) => (value.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number));
}

describe("a caption", () => {
  it("keeps Chinese characters apart from Latin letters and numbers, and only from those", () => {
    const caption = (x: string, name: string): string =>
      summary(figure({ x, series: [series({ name })] }), vocabularyOf("zh")).replaceAll("\u2060", "");
    expect(caption("d", "1/(2*sqrt(d))")).toBe("权重，d 从 1 到 4：1/(2√d) 从 1 到 3。");
    expect(caption("layer", "1/sqrt(d_k)")).toBe("权重，层从 1 到 4：1/√d_k 从 1 到 3。");
    expect(caption("std_image", "measured")).toBe("权重，σ_p 从 1 到 4：实测从 1 到 3。");
  });
});

describe("numbers as text", () => {
  it.each([
    [0.31234, "0.3123"],
    [0.99996, "1.000"],
    [-12.5, "−12.50"],
    [512, "512"],
    [2.78e-30, "2.780 × 10⁻³⁰"],
    [-1.5e-7, "−1.500 × 10⁻⁷"],
    [123456789, "1.235 × 10⁸"],
    [0, "0"],
    [-0, "0"],
    [null, "–"],
    [Number.NaN, "–"],
    [Number.POSITIVE_INFINITY, "∞"],
  ])("%f is %s", (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it("stop at the digit that the standard error leaves certain", () => {
    expect(formatWithError(0.412345, 0.0026)).toBe("0.4123 ± 0.0026");
    expect(formatWithError(514.21, 5.3)).toBe("514.2 ± 5.3");
    expect(formatWithError(51421, 530)).toBe("51421 ± 530");
    expect(formatWithError(0.5, 0)).toBe("0.5000");
    expect(formatWithError(0.5, undefined)).toBe("0.5000");
    expect(formatWithError(null, 0.1)).toBe("–");
  });

  it("never print a positive weight as zero", () => {
    expect([0.3271, 1, 0, 1e-9, Number.NaN].map(formatWeight)).toEqual([
      "0.327",
      "1.000",
      "0.000",
      "<0.001",
      "–",
    ]);
  });

  it("are short on an axis", () => {
    expect([0, 0.5, -20, 128, 1e5, 1e-4, 250000].map(formatTick)).toEqual([
      "0",
      "0.5",
      "−20",
      "128",
      "10⁵",
      "10⁻⁴",
      "2.5 × 10⁵",
    ]);
  });
});

describe("scales", () => {
  it("map the ends of the domain to the ends of the range", () => {
    const y = linear([0, 2], [100, 0]);
    expect([y(0), y(1), y(2)]).toEqual([100, 50, 0]);
    const x = logarithmic([4, 256], [0, 60]);
    expect([4, 16, 64, 256].map((d) => Math.round(x(d)))).toEqual([0, 20, 40, 60]);
  });

  it("have ticks inside the domain", () => {
    expect(linear([0, 1], [0, 1]).ticks(2)).toEqual([0, 0.5, 1]);
    expect(logarithmic([32, 512], [0, 1]).ticks(4)).toEqual([32, 64, 128, 256, 512]);
    expect(logarithmic([0.004, 250], [0, 1]).ticks(5)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(logarithmic([1e-30, 1], [0, 1]).ticks(4).length).toBeLessThan(7);
  });

  it.each([
    [[], false],
    [[], true],
    [[5], false],
    [[5, 5], true],
    [[0, -1], true],
    [[0], false],
  ])("over %j are finite (log: %s)", (values: number[], log) => {
    const scale = scaleOver(values, [0, 100], log);
    for (const value of values) if (!log || value > 0) expect(Number.isFinite(scale(value))).toBe(true);
    expect(scale.ticks(4).every((tick) => Number.isFinite(scale(tick)))).toBe(true);
  });
});

describe("charts", () => {
  const hostile: [string, Figure][] = [
    ["no series", figure({ series: [] })],
    ["empty series", figure({ series: [series({ x: [], y: [] })] })],
    ["missing numbers", figure({ series: [series({ y: [null, 2, null] })] })],
    [
      "zeros on a log axis",
      figure({ log_x: true, log_y: true, series: [series({ x: [0, 1, 2], y: [0, 1, -1] })] }),
    ],
    ["one point", figure({ series: [series({ x: [3], y: [0], y_se: [0] })] })],
    ["an infinity", figure({ series: [series({ y: [1, Number.POSITIVE_INFINITY, 3] })] })],
    ["bars of nothing", figure({ kind: "bars", series: [series({ x: [], y: [] })] })],
    ["bars of zeros", figure({ kind: "bars", series: [series({ y: [0, 0, 0] })] })],
    ["a histogram of one bin", figure({ kind: "histogram", series: [series({ x: [0], y: [1] })] })],
    ["an empty histogram", figure({ kind: "histogram", series: [series({ x: [], y: [] })] })],
  ];

  it.each(hostile)("draw %s without a number that is none", (_, one) => {
    expect(draw(one)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("stay inside their box", () => {
    const wild = series({ x: [1, 10, 1000], y: [1e-9, 5, 1e9], y_se: [1, 1, 1e9] });
    for (const log of [true, false]) {
      const numbers = numbersOf(draw(figure({ log_x: log, log_y: log, series: [wild] })));
      expect(Math.min(...numbers)).toBeGreaterThan(-20);
      expect(Math.max(...numbers)).toBeLessThan(345);
    }
  });

  it("give every role a second channel beside its colour", () => {
    const roles = ["scaled", "unscaled", "other", "other", "reference"] as const;
    const markup = draw(figure({ series: roles.map((role, i) => series({ role, name: `s${i}` })) }));
    const styles = [...markup.matchAll(/class="line" d="[^"]*" stroke-dasharray="([^"]*)"/g)].map(
      (m) => m[1],
    );
    const markers = [...markup.matchAll(/class="marker" d="([^"]*)"/g)].map((m) => m[1]);
    expect(styles).toHaveLength(5);
    expect(new Set(markers).size).toBe(4); // the reference has none
    const bars = draw(
      figure({ kind: "bars", series: [series({ role: "scaled" }), series({ role: "unscaled" })] }),
    );
    expect(bars).toContain('fill="url(#c-hatch)"');
    expect(bars).toContain('fill="currentColor"');
  });

  it("say the name of a crowd of lines once, and leave out its markers", () => {
    const markup = draw(figure({ series: [...[1, 2, 3].map(() => series({ name: "walk" })), series()] }));
    expect(markup.match(/>walk<|>measured</g)).toHaveLength(2);
    expect(markup.match(/class="marker"/g)).toHaveLength(3); // of the one line with a name of its own
  });

  it("mark some of many points", () => {
    const x = Array.from({ length: 200 }, (_, index) => index);
    const markup = draw(figure({ series: [series({ x, y: x })] }));
    expect([...markup.matchAll(/class="marker"/g)]).toHaveLength(10);
  });

  it("draw error bars of two standard errors", () => {
    const markup = draw(figure({ y_max: 4, series: [series({ y: [1, 2, 3], y_se: [0.5, 0, 0.25] })] }));
    const bars = [...markup.matchAll(/class="error-bar" d="M[\d.]+ ([\d.]+)V([\d.]+)/g)];
    const heights = bars.map(([, low, high]) => Number(low) - Number(high));
    const unit = (height - 40 - 42) / 4; // pixels of the axis from 0 to 4
    expect(heights).toHaveLength(2);
    expect(heights[0]).toBeCloseTo(2 * unit, 0); // 1 ± 1
    expect(heights[1]).toBeCloseTo(1 * unit, 0); // 3 ± 0.5
  });

  it.each([8, 48, 64, 4096])("draw %d bars in reasonable space", (n) => {
    const x = Array.from({ length: n }, (_, index) => index + 1);
    const y = x.map((key) => ((key * 7919) % n) / n);
    const markup = draw(figure({ kind: "bars", y_max: 1, series: [series({ x, y, role: "unscaled" })] }));
    expect(markup.length).toBeLessThan(20_000);
    expect([...markup.matchAll(/<rect class="mark/g)]).toHaveLength(n <= 48 ? n : 0);
  });

  it("keep labels apart and inside", () => {
    const box = { left: 0, right: 100, top: 20, bottom: 120 };
    const placed = spread([50, 50, 51, 119, 119], box).sort((a, b) => a - b);
    for (let i = 1; i < placed.length; ++i) expect(placed[i]! - placed[i - 1]!).toBeGreaterThanOrEqual(14);
    expect(placed.at(-1)).toBeLessThanOrEqual(120);
    expect(spread([5, 20, 21], box)[0]).toBeGreaterThanOrEqual(20);
    expect(spread([30], box)).toEqual([30]);
  });

  it("are named where labels alone would not tell them from the others", () => {
    const figures = ["weights", "scores"].map((name) => figure({ name, at: { d: "8" } }));
    const titles = (shown: readonly Figure[]): string[] =>
      chartGroups(shown).flatMap((group) =>
        group.indices.map((index) => {
          const context = chartContext(index, group, shown, { id: "c", vocabulary });
          const markup = collectResultSync(render(chart(shown[index]!, context))).replace(/<!--.*?-->/gs, "");
          return /class="chart-title"[^>]*>([^<]*)/.exec(markup)?.[1] ?? "";
        }),
      );
    const [weights, scores] = ["weights", "scores"].map((name) => vocabulary.figures[name]);
    expect(titles(figures)).toEqual([weights, scores]);
    expect(titles(figures.slice(1))).toEqual(["d = 8"]);
  });

  it("have room for long numbers at the axis", () => {
    expect(yTickNames([2 ** -9, 0.25, 65536])).toEqual(["0.00195", "0.25", "65536"]);
    expect(yTickNames([1e3, 1e4, 1e5])).toEqual(["1000", "10⁴", "10⁵"]);
    expect(yTickNames([0.001, 1e-6])).toEqual(["10⁻³", "10⁻⁶"]);
    expect(yTickNames([100, 1e4])).toEqual(["100", "10000"]);
    const left = (ys: number[]): number =>
      Number(/class="chart-grid" x1="([\d.]+)"/.exec(draw(figure({ series: [series({ y: ys })] })))?.[1]);
    expect(left([1, 2, 3])).toBe(40);
    expect(left([1e-4, 2.4e-4, 3e-4])).toBeGreaterThan(50);
  });

  it("are summarised from the same arrays", () => {
    const text = summary(
      figure({ kind: "bars", at: { d: "32" }, series: [series({ y: [0.1, 0.7, 0.2] })] }),
      vocabulary,
    );
    expect(text).toContain("0.700");
    expect(text).toContain("d\u00a0=\u00a032");
  });

  it("put series with the same x in one table", () => {
    const both = figure({ series: [series(), series({ y: [3, 2, 1] }), series({ x: [1, 2], y: [1, 2] })] });
    expect(figureColumns(both).map((group) => group.length)).toEqual([2, 1]);
  });
});

describe("a band", () => {
  const banded = series({ low: [0.5, null, 2], high: [1.5, 3, 4] });

  it("goes from its lower to its upper end and back, and widens the axis", () => {
    const markup = draw(figure({ series: [banded] }));
    const [, path = ""] = /<path class="band" d="M([^"]+)Z"/.exec(markup) ?? [];
    const points = path.split("L").map((point) => point.split(" ").map(Number));
    expect(points).toHaveLength(6);
    expect(points.map(([x]) => x)).toEqual([...points].reverse().map(([x]) => x)); // there and back
    const [, , last, below] = points;
    expect(last![1]).toBeLessThan(below![1]!); // the upper end stands higher
    expect(points[1]![1]).toBeLessThan(points[4]![1]!);
    for (const [, y = 0] of points) expect(y >= 42 && y <= height - 40, `${y}`).toBe(true);
    expect(markup).not.toContain("error-bar");
  });

  it("stays above zero on a logarithmic axis, and needs two points", () => {
    const log = draw(figure({ log_y: true, series: [series({ low: [0, 1, 2], high: [2, 3, 4] })] }));
    expect(log).toContain('class="band"');
    expect(log).not.toMatch(/NaN|Infinity/);
    expect(draw(figure({ series: [series({ x: [1], y: [1], low: [0], high: [2] })] }))).not.toContain("band");
  });

  it("stands in the table", () => {
    const table = collectResultSync(render(figureTables(figure({ series: [banded] }), vocabulary)));
    expect(table.replace(/<!--.*?-->/gs, "")).toContain("3 (2 – 4)");
    expect(table).not.toContain("null");
  });
});

describe("the cursor", () => {
  const steps = figure({ x: "step", series: [series({ x: [0, 10, 20] })] });

  it("is a line over the whole height, at a step that there is", () => {
    const [, x] = /<path class="chart-cursor" d="M([\d.]+) 42V186"/.exec(draw(steps, 10)) ?? [];
    expect(Number(x)).toBeGreaterThan(100);
    for (const none of [undefined, -1, 21, Number.NaN])
      expect(draw(steps, none)).not.toContain("chart-cursor");
    expect(draw(figure({ series: [], x: "step" }), 1)).not.toContain("chart-cursor");
  });

  it("points at steps only", () => {
    expect(draw(figure(), 2)).not.toContain("chart-cursor");
  });
});
