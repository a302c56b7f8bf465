import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import { describe, expect, it } from "vitest";
import { noActions, stillState, type FigureState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import { heroView, stillHero } from "../../../web/elements/hero_view.ts";
import type { Picture } from "../../../web/charts/context.ts";
import { experimentIds, fixture, vocabularyOf } from "./fixtures/load.ts";

const en = vocabularyOf("en");

function text(view: TemplateResult): string {
  return collectResultSync(render(view)).replace(/<!--.*?-->/gs, "");
}

function state(id: (typeof experimentIds)[number], change: Partial<FigureState> = {}): FigureState {
  const { description, result } = fixture(id);
  return { ...stillState(description, result, en), ...change };
}

function all(markup: string, pattern: RegExp): string[] {
  return [...markup.matchAll(pattern)].map((match) => match[1] ?? "");
}

describe.each(experimentIds)("figureView of %s", (id) => {
  const markup = text(figureView(state(id)));

  it("gives every parameter a labelled native control", () => {
    const { description } = fixture(id);
    const shown = description.params.filter((param) => param.name !== "nu");
    for (const { name } of shown) expect(markup).toContain(`name="${name}"`);
    const inputs = all(markup, /<(?:input|select|textarea)\b([^>]*)>/g);
    const labels = new Set(all(markup, /<label for="([^"]+)"/g));
    for (const input of inputs) {
      const [inputId = ""] = all(input, /\bid="([^"]+)"/g);
      const wrapped = new RegExp(`<label[^>]*>(?:(?!</label>).)*id="${inputId}"`, "s").test(markup);
      expect(input.includes("aria-label=") || labels.has(inputId) || wrapped, inputId).toBe(true);
    }
  });

  it("has unique ids, and every reference finds one", () => {
    const ids = all(markup, /\sid="([^"]+)"/g);
    expect(ids.filter((one, index) => ids.indexOf(one) !== index)).toEqual([]);
    const references = all(markup, /\s(?:for|aria-labelledby|aria-describedby)="([^"]+)"/g);
    const urls = all(markup, /url\(#([^)]+)\)/g);
    for (const reference of [...references.flatMap((value) => value.split(" ")), ...urls]) {
      expect(ids).toContain(reference);
    }
  });

  it("draws each figure with a summary and no number that is none", () => {
    const { result } = fixture(id);
    expect(all(markup, /(<svg class="chart-svg")/g)).toHaveLength(result.figures.length);
    expect(all(markup, /(role="img")/g)).toHaveLength(result.figures.length);
    expect(markup).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });

  it("needs no inline style, which a strict policy would refuse", () => {
    expect(markup).not.toMatch(/\sstyle=/);
    expect(markup).not.toMatch(/\son\w+=/);
  });

  it("shows the hash, the data and the exports", () => {
    expect(markup).toContain(fixture(id).result.hash);
    expect(markup).toContain(en.ui.show_data);
    for (const kind of ["CSV", "JSON", "SVG", "PNG"]) expect(markup).toMatch(new RegExp(`>\\s*${kind}\\s*<`));
  });

  it("is the same text for the same state", () => {
    expect(text(figureView(state(id), noActions))).toBe(markup);
  });
});

describe("figureView", () => {
  it("says an error beside its control and keeps the figure and the reader's text", () => {
    const texts = { ...state("article_snippet").texts, d: "32,<b>" };
    const problems = [{ argument: "d", message: "d needs whole numbers" }];
    const markup = text(figureView(state("article_snippet", { texts, problems })));
    const id = "article_snippet-figure-d";
    expect(markup).toMatch(new RegExp(`id="${id}"[^>]*value="32,&lt;b&gt;"[^>]*aria-invalid="true"`));
    expect(markup).toMatch(new RegExp(`aria-describedby="${id}-error"`));
    expect(markup).toMatch(new RegExp(`id="${id}-error" role="alert">d needs whole numbers<`));
    expect(markup).toContain("chart-svg");
  });

  it("says an error without a control of its own above the figure", () => {
    const problems = [{ argument: "URL", message: "no such name" }];
    expect(text(figureView(state("article_snippet", { problems })))).toMatch(/role="alert">no such name</);
  });

  it("says whose times they are, and gives no hash that no other run could have", () => {
    const { result } = fixture("article_snippet");
    const timed = { result: { ...result, timed: true } };
    const here = text(figureView(state("article_snippet", timed)));
    expect(here).toContain(en.ui.timed_here);
    const pictures = (index: number): Picture => pictureAt("a.svg", index);
    const printed = text(figureView(state("article_snippet", { ...timed, pictures })));
    expect(printed).toContain(en.ui.timed_where_built);
    for (const markup of [here, printed]) expect(markup).not.toContain(result.hash);
    expect(text(figureView(state("article_snippet")))).not.toContain(en.ui.timed_here);
  });

  it("shows a choice from a link that is none, so that it can be changed", () => {
    const texts = { ...state("article_snippet").texts, draws: "tripled" };
    expect(text(figureView(state("article_snippet", { texts })))).toMatch(
      /<option value="tripled" selected>\s*tripled/,
    );
  });

  it("marks the chosen options and scales only", () => {
    const markup = text(figureView(state("softmax_saturation")));
    expect(all(markup, /type="checkbox"[^>]*value="([^"]+)"[^>]*\schecked/g)).toEqual(["none", "1/sqrt(d)"]);
    expect(all(markup, /<option value="([^"]+)" selected/g)).toEqual(["normal"]);
  });

  it("offers cancel and progress while it computes, and the defaults otherwise", () => {
    const running = text(figureView(state("score_variance", { busy: true, running: 0.42 })));
    expect(running).toMatch(/<progress max="1" value="0.42"/);
    expect(running).toContain('id="score_variance-figure-cancel"');
    expect(running).toContain('aria-busy="true"');
    expect(running).not.toContain('id="score_variance-figure-reset"');
    const idle = text(figureView(state("score_variance")));
    expect(idle).toMatch(/id="score_variance-figure-reset"\s+disabled/);
    expect(idle).not.toMatch(/<progress|-figure-cancel|aria-busy="true"/);
  });

  it("asks for degrees of freedom only where there are some", () => {
    const texts = { ...state("score_variance").texts, distribution: "student_t" };
    expect(text(figureView(state("score_variance", { texts })))).toContain('name="nu"');
    expect(text(figureView(state("score_variance")))).not.toContain('name="nu"');
  });

  it("escapes whatever a result or a link brings", () => {
    const { description, result } = fixture("article_snippet");
    const hostile = '"><script>alert(1)</script>';
    const bad = { ...result, lines: [hostile], verdict: hostile, hash: hostile };
    const texts = Object.fromEntries(description.params.map(({ name }) => [name, hostile]));
    const markup = text(figureView({ ...stillState(description, bad, en), texts }));
    expect(markup).not.toContain("<script");
  });

  it("leaves long tables out until they are opened", () => {
    const { description, result } = fixture("article_snippet");
    const x = Array.from({ length: 1000 }, (_, index) => index + 1);
    const long = {
      ...result,
      figures: result.figures.map((figure) => ({
        ...figure,
        series: figure.series.map((series) => ({ ...series, x, y: x.map((value) => value / 500500) })),
      })),
    };
    const closed = stillState(description, long, en);
    expect(text(figureView(closed)).length).toBeLessThan(60_000);
    expect(text(figureView(closed))).not.toContain("<table");
    expect(all(text(figureView({ ...closed, dataShown: true })), /(<tr>)/g).length).toBeGreaterThan(3000);
  });
});

describe.each(["en", "zh"] as const)("heroView in %s", (language) => {
  const { result } = fixture("article_snippet");
  const markup = text(heroView(stillHero(result, vocabularyOf(language))));

  it("has one slider, two rows of eight bars and their largest weights", () => {
    expect(all(markup, /(type="range")/g)).toHaveLength(1);
    expect(all(markup, /(<rect class="mark)/g)).toHaveLength(16);
    for (const series of result.figures[0]?.series ?? []) {
      expect(markup).toContain(Math.max(...series.y.map(Number)).toFixed(3));
    }
  });

  it("needs no inline style", () => {
    expect(markup).not.toMatch(/\sstyle=/);
  });
});
