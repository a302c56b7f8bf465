import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import { describe, expect, it } from "vitest";
import { noActions, stillState, type FigureState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import { heroView, stillHero } from "../../../web/elements/hero_view.ts";
import { experimentIds, fixture, runOf, vocabularyOf } from "./fixtures/load.ts";

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

  it("says the page's sentence beside the first chart of its name", () => {
    const { figures } = fixture(id).result;
    const names = [...new Set(figures.map(({ name }) => name))];
    const notes = Object.fromEntries([...names, "elsewhere"].map((name) => [name, `About ${name}.`]));
    const noted = text(figureView(state(id, { notes })));
    expect(all(noted, /(About \w+\.)/g)).toEqual(names.map((name) => `About ${name}.`));
    const [first = ""] = noted.split("</figure>");
    expect(first).toContain(`About ${names[0]}.`);
  });

  it("is the same text for the same state", () => {
    expect(text(figureView(state(id), noActions))).toBe(markup);
  });
});

function ran(params: Record<string, string>): FigureState {
  const words = Object.entries(params).flatMap(([name, text]) => [`--${name}`, text]);
  const still = state("article_snippet");
  return { ...still, result: runOf("article_snippet", words), texts: { ...still.texts, ...params } };
}

describe("the verdict", () => {
  const shown = (params: Record<string, string>): string =>
    /<p class="verdict[^>]*>(.*?)<\/p>/s
      .exec(text(figureView(ran(params))))![1]!
      .replace(/\s+/g, " ")
      .trim();

  it("says that equal weights are equal, and claims nothing then", () => {
    for (const params of [
      { draws: "paired", d: "1" },
      { draws: "paired", d: "8", n_keys: "1" },
      { draws: "independent", d: "8", n_keys: "1" },
      { q: "5", k: "1;1;1" },
    ] satisfies Record<string, string>[]) {
      const mark = `<span class="verdict-mark">${en.ui.unjudged}</span>`;
      expect(shown(params)).toBe(`${mark} ${en.verdicts["equal_weights"]}`);
    }
    expect(shown({ draws: "paired", d: "1,32" })).toMatch(/not at d = 1, where/);
    expect(shown({ draws: "paired", d: "2,32" })).toContain(en.verdicts["unscaled_is_sharper"]);
    expect(shown({ q: "3e38,3e38", k: "3e38,3e38;1,1" })).toContain(en.verdicts["scores_not_finite"]);
  });

  it("is kept back until the reader has played, and while the result is another's", () => {
    const outer = (change: Partial<FigureState>): string =>
      /<div class="(figure-output[^"]*)"/.exec(text(figureView(state("article_snippet", change))))![1]!;
    expect(outer({})).toBe("figure-output");
    expect(outer({ played: true })).toBe("figure-output played");
    expect(outer({ played: true, stale: true })).toBe("figure-output stale played");
    expect(text(figureView(state("article_snippet", { stale: true })))).toContain(en.ui.stale);
    expect(text(figureView(state("article_snippet")))).not.toContain(en.ui.stale);
  });
});

describe("the reader's own q and k", () => {
  const own = { q: "1,2", k: "3,4;0,1" };

  it("hide what has no effect beside them, which is said", () => {
    const markup = text(figureView(ran(own)));
    for (const name of ["d", "n_keys", "draws", "seed", "rng"])
      expect(markup).not.toContain(`name="${name}"`);
    for (const name of ["q", "k"]) expect(markup).toContain(`name="${name}"`);
    const [said = ""] = all(markup, /<p class="figure-note figure-replaced">(.*?)<\/p>/gs);
    for (const name of ["d", "n_keys", "draws", "seed", "rng"]) expect(said).toContain(en.params[name]);
    expect(text(figureView(state("article_snippet")))).not.toContain("figure-replaced");
  });
});

describe("what a reader takes away", () => {
  it("is folded, and says in words what the charts show once it is open", () => {
    const closed = text(figureView(state("article_snippet")));
    const [inside = ""] = all(
      closed,
      /<details\s+class="apparatus"\s+id="article_snippet-figure-apparatus"\s*>(.*)<\/details>/gs,
    );
    expect(inside).toContain('class="printed"');
    expect(inside).toContain('class="figure-hash"');
    expect(inside).toContain('class="exports"');
    expect(inside).not.toContain('class="captions"');
    const open = text(figureView(state("article_snippet", { apparatusShown: true })));
    expect(all(/<ul class="captions">.*?<\/ul>/s.exec(open)![0], /(<li>)/g)).toHaveLength(3);
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
    const printed = text(figureView(state("article_snippet", { ...timed, printed: true })));
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
  const spread = fixture("softmax_saturation").result;
  const markup = text(heroView(stillHero(result, spread, vocabularyOf(language))));

  it("says its slider's name in words, and its value", () => {
    const name = language === "en" ? "Dimension d of the query and the keys" : "查询和键的维度 d";
    expect(markup).toContain(`<span class="visually-hidden">${name}</span`);
    expect(markup).toContain(`aria-valuetext="${name} = 512"`);
  });

  it("has one slider, two rows of eight bars and their largest weights", () => {
    expect(all(markup, /(type="range")/g)).toHaveLength(1);
    expect(all(markup, /(<rect class="mark)/g)).toHaveLength(16);
    for (const series of result.figures[0]?.series ?? []) {
      expect(markup).toContain(Math.max(...series.y.map(Number)).toFixed(3));
    }
  });

  it("shows between which largest weights eight of ten draws lie", () => {
    expect(all(markup, /(class="hero-band")/g)).toHaveLength(2);
    for (const scale of ["none", "1/sqrt(d)"]) {
      const { p10, p90 } = spread.scalars.find(
        ({ name, at }) => name === "softmax_max" && at["scale"] === scale,
      )!;
      expect(markup).toContain(`${p10!.toFixed(3)}–${p90!.toFixed(3)}`);
    }
  });

  it("needs no inline style", () => {
    expect(markup).not.toMatch(/\sstyle=/);
  });
});
