// Presets, folded groups and further names of scales, from nothing but an experiment's description.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, it } from "vitest";
import type { Description, Param } from "../../../bindings/api/types.ts";
import { controlsView } from "../../../web/elements/controls_view.ts";
import {
  noActions,
  presetOf,
  presetTexts,
  stillState,
  type FigureState,
} from "../../../web/elements/figure_state.ts";
import { formatScales, parseScales } from "../../../web/elements/scale_list.ts";
import { noDescription, vocabularyOf } from "./fixtures/load.ts";

const params: readonly Param[] = [
  {
    name: "scale",
    type: "scale_list",
    default: "none,learned",
    max_count: 6,
    choices: ["none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d", "learned", "cosine"],
  },
  { name: "steps", type: "int", default: "100", min: 1, max: 1000 },
  { name: "task", type: "choice", default: "sort", choices: ["sort", "characters"] },
  { name: "n_layers", type: "int", default: "2", min: 1, max: 4, group: "model" },
  {
    ...{ name: "text", type: "text", default: "abc", max_count: 100, group: "task" },
    shown_when: [{ param: "task", is: ["characters"] }],
  },
];
const description: Description = {
  ...noDescription,
  id: "race",
  params,
  presets: [
    { name: "headline", params: {} },
    { name: "own_text", params: { task: "characters", steps: "50" } },
  ],
};
const words = { ...vocabularyOf("en"), presets: { headline: "Headline" }, groups: { model: "The model" } };

function draw(change: Partial<FigureState> = {}, texts: Record<string, string> = {}): string {
  const still = stillState(description, undefined, words);
  const state = { ...still, texts: { ...still.texts, ...texts }, ...change };
  return collectResultSync(render(controlsView(state, noActions))).replace(/<!--.*?-->|<\?[^>]*>/gs, "");
}
const group = (markup: string, name: string): string =>
  new RegExp(`<details class="more" id="race-figure-group-${name}".*?</details>`, "s").exec(markup)?.[0] ??
  "";

describe("a number", () => {
  it("says what its 0 means where it may be 0", () => {
    const labelOf = (min: number): string => {
      const param: Param = { name: "d_ff", type: "int", default: "8", min, max: 16 };
      const still = stillState({ ...description, params: [param], presets: [] }, undefined, words);
      const markup = collectResultSync(render(controlsView(still, noActions)));
      return /<label[^>]*>(.*?)<\/label>/s.exec(markup.replace(/<!--.*?-->/gs, ""))?.[1] ?? "";
    };
    expect(labelOf(0)).toBe("Hidden units, d_ff; 0: 2 d_model");
    expect(labelOf(1)).toBe("Hidden units, d_ff");
  });
});

describe("groups of settings", () => {
  it("fold behind their names, and only those", () => {
    const markup = draw();
    expect(group(markup, "model")).toMatch(/<summary>\s*The model\s*<\/summary>/);
    expect(group(markup, "model")).toContain('name="n_layers"');
    expect(markup.match(/<details/g)).toHaveLength(2);
    expect(markup.slice(0, markup.indexOf("<details"))).toContain('name="steps"'); // no group: at once
  });

  it("tell of changes inside", () => {
    expect(group(draw(), "model")).not.toContain("•");
    expect(group(draw({}, { n_layers: "3" }), "model")).toContain("•");
  });

  it("leave out what has no effect", () => {
    expect(group(draw(), "task")).not.toContain('name="text"');
    expect(group(draw({}, { task: "characters" }), "task")).toContain('name="text"');
  });

  it("say an error beside its control, wherever it stands", () => {
    const problems = [{ argument: "n_layers", message: "too deep" }];
    expect(group(draw({ problems }), "model")).toContain("too deep");
  });
});

describe("presets", () => {
  it("are the defaults and what they change", () => {
    expect(presetTexts(description, "own_text")).toEqual({
      scale: "none,learned",
      steps: "50",
      task: "characters",
      n_layers: "2",
      text: "abc",
    });
    expect(presetTexts(description, "no such")).toEqual(presetTexts(description, "headline"));
  });

  it("are known by their texts", () => {
    expect(presetOf(description, presetTexts(description, "own_text"))).toBe("own_text");
    expect(presetOf(description, { ...presetTexts(description, "own_text"), steps: "51" })).toBe(undefined);
    expect(presetOf({ ...description, presets: [] }, {})).toBe(undefined);
  });

  it("stand above the settings; settings of one's own are one more", () => {
    const options = (markup: string): string[] =>
      [...markup.matchAll(/<option value="(\w*)"( selected)?/g)].map(
        ([, name, chosen]) => `${name}${chosen ?? ""}`,
      );
    expect(options(draw()).slice(0, 2)).toEqual(["headline selected", "own_text"]);
    expect(options(draw({}, { steps: "7" })).slice(0, 3)).toEqual(["own selected", "headline", "own_text"]);
    expect(draw()).toMatch(/<label for="race-figure-preset">/);
    const other = { ...description, presets: description.presets!.slice(1) }; // the defaults are none of them
    expect(options(draw({ description: other })).slice(0, 2)).toEqual([" selected", "own_text"]);
    expect(options(draw({ description: other }, { steps: "7" })).slice(0, 3)).toEqual([
      "own selected",
      "",
      "own_text",
    ]);
    const none = stillState({ ...description, presets: [] }, undefined, words);
    expect(draw(none)).not.toContain('name="preset"');
  });
});

describe("a list of scales", () => {
  it("has a box for each name that the parameter takes", () => {
    const boxes = [...draw().matchAll(/type="checkbox"[^>]*value="([^"]+)"[^>]*?(\schecked)?\s*\/?>/g)];
    expect(boxes.map(([, name]) => name)).toEqual([
      "none",
      "1/sqrt(d)",
      "1/(2*sqrt(d))",
      "1/d",
      "learned",
      "cosine",
    ]);
    const { named, custom } = parseScales("none,cosine,0.3", ["none", "learned", "cosine"]);
    expect(custom).toBe("0.3");
    expect(formatScales({ named, custom }, "learned", true)).toBe("none,learned,cosine,0.3");
    expect(parseScales("none,cosine", ["none"]).custom).toBe("cosine");
  });
});
