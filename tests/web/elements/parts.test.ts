// What single figures have of their own: tracing in attention's maps, vectors in a plane.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import { describe, expect, it, vi } from "vitest";
import type { Description, Figure, RunResult } from "../../../bindings/api/types.ts";
import { trace, traceText } from "../../../web/charts/trace.ts";
import { noActions, stillState, type FigureState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import { addExperimentParts } from "../../../web/elements/experiment_parts.ts";
import { partOf, pointedText } from "../../../web/elements/parts.ts";
import {
  comparison,
  namePlaces,
  nearest,
  ring,
  scaleOf,
  vectorAfter,
  vectorAt,
} from "../../../web/elements/plane.ts";
import { pixelsOf, vectorsOf, withVector, type Vector } from "../../../web/elements/plane.ts";
import { planeView } from "../../../web/elements/plane_view.ts";
import { noDescription, vocabularyOf } from "./fixtures/load.ts";

const vocabulary = vocabularyOf("en");

function text(view: TemplateResult): string {
  return collectResultSync(render(view)).replace(/<!--.*?-->|<\?>/gs, "");
}

function map(name: string, x: string, y: string, n_rows: number, n_cols: number): Figure {
  const values = Array.from({ length: n_rows * n_cols }, (_, i) => i);
  const grid = { n_rows, n_cols, values };
  return { name, at: {}, kind: "heatmap", x, y, z: "", log_x: false, log_y: false, series: [], grid };
}

const steps = [
  map("x", "component", "token", 3, 8),
  map("w_q", "component", "input_component", 8, 4),
  map("q", "component", "token", 3, 4),
  map("k", "component", "token", 3, 4),
  map("v", "component", "token", 3, 4),
  map("scores", "key", "query", 3, 3),
  map("scaled_scores", "key", "query", 3, 3),
  map("weights", "key", "query", 3, 3),
  map("output", "component", "token", 3, 4),
];

function traced(figures: readonly Figure[], name: string, row: number, col: number): Record<string, unknown> {
  const figure = figures.findIndex((each) => each.name === name);
  const marks = trace(figures, { figure, cell: { row, col } });
  return Object.fromEntries(figures.flatMap((each, i) => (marks[i]?.length ? [[each.name, marks[i]]] : [])));
}

describe("tracing", () => {
  it("leads from a weight to its query's and its key's row, its scores and its output", () => {
    const cell = [{ row: 1, col: 2 }];
    expect(traced(steps, "weights", 1, 2)).toEqual({
      x: [{ row: 1 }, { row: 2 }],
      q: [{ row: 1 }],
      k: [{ row: 2 }],
      v: [{ row: 2 }],
      scores: cell,
      scaled_scores: cell,
      output: [{ row: 1 }],
    });
    expect(traced(steps, "weights", 2, 2).x).toEqual([{ row: 2 }]);
  });

  it("leads from a row of q, k or the output to what has to do with it", () => {
    expect(traced(steps, "q", 2, 0)).toMatchObject({ weights: [{ row: 2 }], output: [{ row: 2 }] });
    expect(traced(steps, "q", 2, 0).k).toBeUndefined();
    expect(traced(steps, "k", 2, 0)).toMatchObject({ weights: [{ col: 2 }], v: [{ row: 2 }] });
    expect(traced(steps, "x", 1, 5)).toMatchObject({ weights: [{ row: 1 }, { col: 1 }], k: [{ row: 1 }] });
    expect(traced(steps, "w_q", 0, 0)).toEqual({});
  });

  it("tells queries from documents", () => {
    const search = [
      map("q", "component", "query", 1, 4),
      map("v", "component", "document", 4, 4),
      map("weights", "key", "query", 1, 4),
    ];
    expect(traced(search, "weights", 0, 3)).toEqual({ q: [{ row: 0 }], v: [{ row: 3 }] });
    expect(traced(search, "v", 3, 1)).toEqual({ weights: [{ col: 3 }] });
  });

  it("is said, and framed in the other maps", () => {
    const pointed = { figure: 7, cell: { row: 1, col: 2 } };
    expect(traceText(steps, pointed, vocabulary)).toBe(
      "Marked: Input X, token 1; Input X, token 2; Queries Q, token 1; Keys K, token 2; Values V, token 2; Scores QKᵀ 5; Scaled scores 5; Output, token 1.",
    );
    addExperimentParts();
    const result: RunResult = {
      ...{ experiment: "attention_steps", params: {}, lines: [], scalars: [], figures: steps },
      ...{ holds: true, verdict: "steps_agree", hash: "0" },
    };
    expect(pointedText(result, pointed, vocabulary)).toMatch(/^query 1, key 2: 5 Marked: /i);
    const description = { ...noDescription, id: "attention_steps" };
    const state = stillState(description, result, vocabulary);
    const frames = (state: FigureState): number =>
      text(figureView(state)).split('class="heat-trace"').length - 1;
    expect(frames(state)).toBe(0);
    expect(frames({ ...state, pointed })).toBe(8);
    expect(partOf("score_variance")).toEqual({});
  });
});

describe("the plane", () => {
  const texts = { q: "2,1", k: "0.4,0.2;5,-2;2,0.2" };
  const vectors: Vector[] = [
    [2, 1],
    [0.4, 0.2],
    [5, -2],
    [2, 0.2],
  ];

  it("reads vectors of two components, and writes one anew", () => {
    expect(vectorsOf(texts)).toEqual(vectors);
    expect(vectorsOf({ q: "2, 1", k: "0.4,0.2\n5,-2;2,0.2" })).toEqual(vectors);
    for (const q of ["", "1", "1,2,3", "1,2;3,4", "1,x", "1,", "1,1e999"])
      expect(vectorsOf({ ...texts, q }), q).toBeUndefined();
    expect(vectorsOf({ ...texts, k: "1,1;".repeat(8) + "1,1" })).toBeUndefined(); // nobody could tell them apart
    expect(withVector(vectors, 0, [1, -1])).toEqual(["q", "1,-1"]);
    expect(withVector(vectors, 2, [0, 0])).toEqual(["k", "0.4,0.2;0,0;2,0.2"]);
  });

  it("has room for long vectors", () => {
    expect(scaleOf(vectors)).toBe(1);
    expect(scaleOf([[0, 4.6]])).toBe(1);
    expect(scaleOf([[0, 4.7]])).toBe(2);
    expect(scaleOf([[-100, 0]])).toBe(16);
    expect(pixelsOf([-100, 0], 16)[0]).toBeGreaterThan(0);
  });

  it("moves in tenths, and never out of sight", () => {
    expect(vectorAt(pixelsOf([1.23, -0.47], 1), 1)).toEqual([1.2, -0.5]);
    expect(vectorAt([-50, 999], 1)).toEqual([-6.4, -4.6]);
    expect(vectorAfter("ArrowUp", false, [0, 0.2], 1)).toEqual([0, 0.3]);
    expect(vectorAfter("ArrowLeft", true, [0, 0.2], 1)).toEqual([-1, 0.2]);
    expect(vectorAfter("ArrowRight", false, [6.4, 0], 1)).toEqual([6.4, 0]);
    expect(vectorAfter("Tab", false, [0, 0], 1)).toBeUndefined();
    expect(Object.is(vectorAt([170, 125], 1)[0], 0)).toBe(true);
  });

  it("takes the head that is nearest to a finger", () => {
    const [x, y] = pixelsOf([5, -2], 1);
    expect(nearest([x + 10, y - 10], vectors, 1)).toBe(2);
    expect(nearest([x + 40, y], vectors, 1)).toBeUndefined();
  });

  it("draws the shadow of k on q, their angle and their distance", () => {
    const { shadow, perpendicular, distance } = comparison([2, 0], [1, 3], 1);
    expect(shadow).toBe("M170.0 125.0L195.0 125.0");
    expect(perpendicular).toBe("M195.0 50.0L195.0 125.0");
    expect(distance).toBe("M220.0 125.0L195.0 50.0");
    expect(comparison([0, 0], [0, 0], 1).angle).not.toContain("NaN");
  });

  const param = { type: "matrix", max_count: 512 } as const;
  const description: Description = {
    ...noDescription,
    id: "similarity_measures",
    params: [
      { name: "q", default: texts.q, ...param },
      { name: "k", default: texts.k, ...param },
    ],
  };
  const measures = ["dot", "cosine_similarity", "euclidean"];
  const printed = [
    [1, 1, 1.789],
    [8, 0.664, 4.243],
    [4.2, 0.934, 0.8],
  ].flatMap((row, key) => row.map((value, i) => ({ name: measures[i]!, at: { key: String(key) }, value })));
  const best = measures.map((measure, i) => ({
    ...{ name: "best_key", at: { measure }, value: [1, 0, 2][i]! },
  }));
  const result: RunResult = {
    ...{ experiment: "similarity_measures", params: texts, lines: [], printed, scalars: best, figures: [] },
    ...{ holds: true, verdict: "", hash: "" },
  };

  it("shows each key's three numbers, and which key each measure prefers", () => {
    const markup = text(planeView(stillState(description, result, vocabulary), noActions));
    const cells = [...markup.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell);
    expect(cells).toEqual([
      "1.000",
      "✓ 1.000",
      "1.789",
      "✓ 8.000",
      "0.664",
      "4.243",
      "4.200",
      "0.934",
      "✓ 0.800",
    ]);
    expect(markup.split('role="slider"').length - 1).toBe(4);
    expect(markup).toMatch(
      /aria-label="key k₁"\s+aria-valuemin="-6\.4"\s+aria-valuemax="6\.4"\s+aria-valuenow="5"/,
    );
    expect(markup).toContain('aria-valuetext="(5, −2); dot product 8.000, cosine 0.664, distance 4.243"');
    expect(markup).not.toMatch(/NaN|undefined/);
  });

  it.each([
    ["the article's", "2,1", "0.4,0.2;5,-2;2,0.2"],
    ["those in the corners", "6.4,4.6", "-6.4,4.6;6.4,-4.6;-6.4,-4.6"],
    ["those at the ends of the axes and in the middle", "0,0", "6.4,0;0,4.6;-6.4,0;0,-4.6"],
  ])("has room for the names of %s: inside it, outside of every ring", (_, q, k) => {
    const vectors = vectorsOf({ q, k })!;
    const heads = vectors.map((vector) => pixelsOf(vector, 1));
    namePlaces(vectors, 1).forEach(([x, y], index) => {
      expect(x).toBeGreaterThanOrEqual(9);
      expect(x).toBeLessThanOrEqual(340 - 9);
      expect(y).toBeGreaterThanOrEqual(7);
      expect(y).toBeLessThanOrEqual(250 - 7);
      for (const [hx, hy] of heads)
        expect(
          Math.max(Math.abs(hx - x) / (ring + 9), Math.abs(hy - y) / (ring + 7)),
          `${index}`,
        ).toBeGreaterThan(0.99);
    });
  });

  it("asks for the numbers of vectors that no result has yet", () => {
    const state = { ...stillState(description, result, vocabulary), texts: { ...texts, q: "1,0" } };
    const quick = vi.fn(() => ({
      ...result,
      printed: printed.map((number) => ({ ...number, value: -7.5 })),
    }));
    expect(text(planeView(state, { ...noActions, quick }))).toContain("−7.500");
    expect(quick).toHaveBeenCalledOnce();
    expect(text(planeView(state, noActions))).toContain("q = (2, 1)."); // refused: as it was
  });

  it("is nothing where there is no plane", () => {
    const state = stillState(description, result, vocabulary);
    const long = { q: "1,2,3", k: "1,2,3" };
    const other = { ...state, texts: long, result: { ...result, params: long } };
    expect(text(planeView(other, noActions)).trim()).toBe("");
  });
});
