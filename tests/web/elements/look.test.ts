// How much of a figure the attributes show.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, it } from "vitest";
import { stillState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import {
  fewParams,
  lookErrors,
  lookOf,
  wholeLook,
  withCharts,
  type Look,
} from "../../../web/elements/look.ts";
import { fixture, vocabularyOf } from "./fixtures/load.ts";

const en = vocabularyOf("en");
const { description, result } = fixture("score_variance");

function markup(look: Partial<Look>): string {
  const state = { ...stillState(description, result, en), look: { ...wholeLook, ...look } };
  return collectResultSync(render(figureView(state))).replace(/<!--.*?-->/gs, "");
}

/** What `lookOf` asks of an element. */
function element(attributes: Record<string, string>): HTMLElement {
  const given = {
    getAttribute: (name: string) => attributes[name] ?? null,
    hasAttribute: (name: string) => name in attributes,
    getAttributeNames: () => Object.keys(attributes),
  };
  return given as unknown as HTMLElement;
}

describe("the look of a figure", () => {
  it("is read from its attributes", () => {
    expect(lookOf(element({}))).toEqual({ ...wholeLook, heading: true });
    expect(
      lookOf(element({ heading: "none", controls: "few", charts: "a  b", lines: "", caption: "" })),
    ).toEqual({
      heading: false,
      controls: "few",
      charts: ["a", "b"],
      lines: true,
      captions: true,
    });
  });

  it("names what it does not know, and what there is", () => {
    const errors = lookErrors(
      element({ controls: "some", heading: "big", charts: "score_walks nonsense" }),
      description,
    );
    expect(errors).toMatchObject([
      { code: "not_a_choice", argument: "heading", expected: "question, none", got: "big" },
      { code: "not_a_choice", argument: "controls", expected: "all, few, none", got: "some" },
      { code: "unknown_name", argument: "charts", got: "nonsense" },
    ]);
    expect(errors[2]).toHaveProperty("expected", description.words["figures"]!.join(", "));
    expect(lookErrors(element({ controls: "none", charts: "variance_over_d" }), description)).toEqual([]);
  });

  it("names attributes that are no parameters, where they are meant as such", () => {
    const own = {
      class: "wide",
      "data-v-7a_1": "",
      _ngcontent: "",
      n_keys: "8",
      trials: "100",
      distribution: "normal",
    };
    expect(lookErrors(element(own), description)).toEqual([]);
    const known = description.params.map(({ name }) => name).join(", ");
    for (const name of ["n_key", "n-keys", "nkeys"]) {
      expect(lookErrors(element({ [name]: "8" }), description)).toMatchObject([
        { code: "unknown_name", argument: "params", expected: known, got: name },
      ]);
    }
  });

  it("has the question as a heading, or not", () => {
    expect(markup({ heading: true })).toContain(
      `<p class="figure-question">${en.questions["score_variance"]}</p>`,
    );
    expect(markup({})).not.toContain("figure-question");
  });

  it("has all, few or none of the settings, and then tells the verdict", () => {
    const named = (text: string): string[] =>
      [...text.matchAll(/ name="(\w+)"/g)].map((match) => match[1] ?? "");
    const few = named(markup({ controls: "few" }));
    expect(few).toEqual(fewParams(description).map(({ name }) => name));
    expect(few).toHaveLength(2);
    expect(named(markup({})).length).toBeGreaterThan(few.length + 1);
    const none = markup({ controls: "none" });
    expect(none).not.toContain("figure-controls");
    expect(none).toContain('class="figure-output played"');
    expect(markup({ controls: "few" })).not.toContain("played");
  });

  it("says what is wrong also where there are no settings", () => {
    const problems = [{ argument: "d", message: "d is wrong" }];
    const state = { ...stillState(description, undefined, en), problems };
    const text = (look: Look): string => collectResultSync(render(figureView({ ...state, look })));
    for (const controls of ["all", "few", "none"] as const) {
      expect(text({ ...wholeLook, controls }).match(/d is wrong/g)).toHaveLength(1);
      expect(text({ ...wholeLook, controls })).not.toContain(en.ui.loading); // nothing is under way
    }
  });

  it("chooses charts, in their order, and keeps all where none is known", () => {
    const figures = (names: string[]) => withCharts(result, names)?.figures.map(({ name }) => name);
    expect(new Set(figures(["score_histogram"]))).toEqual(new Set(["score_histogram"]));
    expect(figures(["nonsense"])).toEqual(result.figures.map(({ name }) => name));
    expect(withCharts(result, [])).toBe(result);
  });

  it("shows the printed lines and captions once, outside the fold", () => {
    const snippet = fixture("article_snippet");
    const still = stillState(snippet.description, snippet.result, en);
    const text = collectResultSync(
      render(figureView({ ...still, look: { ...wholeLook, lines: true, captions: true } })),
    );
    expect(text.match(/class="printed"/g)).toHaveLength(1);
    expect(text.indexOf('class="printed"')).toBeLessThan(text.indexOf('class="apparatus"'));
    expect(text).toContain("figure-output captioned");
  });
});
