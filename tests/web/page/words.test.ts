// The words of the first visit are enough for its experiments, no word is lost, and none is missing.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, test } from "vitest";
import { stillState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import { wholeLook } from "../../../web/elements/look.ts";
import {
  descriptions,
  missingWords,
  neededWords,
  splitWords,
  vocabularyOf,
} from "../../../web/page/words.mjs";
import { withWords } from "../../../web/words/vocabulary.ts";
import { experimentIds, fixture } from "../elements/fixtures/load.ts";

type Words = Record<string, Record<string, string>>;

describe.each(["en", "zh"] as const)("the parts of the %s vocabulary", (language) => {
  const all = vocabularyOf(language) as unknown as Words;
  const { first, rest } = splitWords(all);

  test("are the whole together", () => {
    expect(withWords([first, rest])).toEqual(withWords([all]));
    for (const [topic, words] of Object.entries(first)) {
      for (const key of Object.keys(words)) expect(Object.keys(rest[topic] ?? {})).not.toContain(key);
    }
  });

  test.each(experimentIds)("the first names everything that %s shows", (id) => {
    const { description, result } = fixture(id);
    const missing: string[] = [];
    const need = (topic: string, key: string): void => {
      if (Object.hasOwn(all[topic] ?? {}, key) && !Object.hasOwn(first[topic] ?? {}, key))
        missing.push(`${topic}/${key}`);
    };
    need("questions", id);
    need("verdicts", result.verdict);
    for (const { name, choices = [] } of description.params) {
      for (const topic of ["params", "symbols", "hints"]) need(topic, name);
      for (const choice of choices) need("choices", choice);
    }
    for (const { name, at } of [...result.scalars, ...result.figures]) {
      for (const topic of ["scalars", "figures"]) need(topic, name);
      for (const [label, text] of Object.entries(at)) {
        need("symbols", label);
        for (const item of text.split(",")) need("choices", item);
      }
    }
    for (const { x, y, series } of result.figures) {
      for (const axis of [x, y, `${x}_sorted`]) for (const topic of ["axes", "symbols"]) need(topic, axis);
      for (const { name } of series) need("series", name);
    }
    expect(missing).toEqual([]);
  });

  test.each(experimentIds)("%s reads the same with the first alone", (id) => {
    const { description, result } = fixture(id);
    const draw = (parts: Words[]): string => {
      const still = {
        ...stillState(description, result, withWords(parts)),
        look: { ...wholeLook, heading: true },
        dataShown: true,
      };
      return collectResultSync(render(figureView(still)));
    };
    expect(draw([first])).toBe(draw([all]));
  });

  test("the first is short", () => {
    expect(JSON.stringify(first).length).toBeLessThan(0.5 * JSON.stringify(all).length);
    for (const topic of ["presets", "groups", "race"])
      expect(Object.keys(first[topic] ?? {}).length).toBeLessThan(3);
  });

  test("hold no word that neither an experiment nor an element needs", () => {
    const elements: Record<string, readonly string[]> = {
      params: ["parameter", "URL"], // of errors
      figures: ["plane"],
      axes: ["key_sorted"],
    };
    for (const topic of ["params", "groups", "presets", "verdicts", "scalars", "figures", "axes", "series"]) {
      const needed = [
        ...(elements[topic] ?? []),
        ...descriptions().flatMap((each) => neededWords(each)[topic] ?? []),
      ];
      expect([...new Set(needed)].sort(), topic).toEqual(expect.arrayContaining(Object.keys(all[topic]!)));
    }
  });
});

test("a key counts where an experiment of the first module says that it needs it", () => {
  const words = { ui: { a: "A" }, series: { measured: "m", other: "o" }, axes: { key_sorted: "k" } };
  const needs = [
    { id: "x", module: "first", params: [], words: { series: ["measured"], axes: ["key"] } },
    { id: "y", module: "experiments", params: [], words: { series: ["measured", "other"] } },
  ] as const;
  expect(splitWords(words, needs).rest).toEqual({ ui: {}, series: { other: "o" }, axes: {} });
});

test("a word that is missing is told with the place to put it, and who needs it", () => {
  const words = { choices: { none: "none" }, verdicts: {} };
  const needs = [
    { id: "x", module: "first", params: [], words: { series: ["none", "mine"], verdicts: ["xyz"] } },
  ] as const;
  expect(missingWords(words, needs, "web/content/zh/vocabulary.json")).toEqual([
    "web/content/zh/vocabulary.json: series.mine is missing (needed by x)",
    "web/content/zh/vocabulary.json: verdicts.xyz is missing (needed by x)",
  ]);
  const [one] = descriptions();
  const unnamed = { ...one!, words: { ...one!.words, verdicts: ["no_such_verdict"] } };
  expect(() => vocabularyOf("en", [unnamed])).toThrow("verdicts.no_such_verdict is missing");
});
