// The words of the first visit are enough for its experiments, and no word is lost.
import { describe, expect, test } from "vitest";
import { splitWords } from "../../../web/page/words.mjs";
import { namedScales } from "../../../web/elements/scale_list.ts";
import { withWords } from "../../../web/elements/vocabulary.ts";
import { experimentIds, fixture, vocabularyOf } from "../elements/fixtures/load.ts";

describe.each(["en", "zh"] as const)("the parts of the %s vocabulary", (language) => {
  const all = vocabularyOf(language) as unknown as Record<string, Record<string, string>>;
  const { first, rest } = splitWords(all);

  test("are the whole together", () => {
    expect(withWords([first, rest])).toEqual(all);
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
    for (const scale of namedScales) need("choices", scale);
    for (const { name, at } of [...result.scalars, ...result.figures]) {
      for (const topic of ["scalars", "figures"]) need(topic, name);
      for (const [label, text] of Object.entries(at)) {
        need("symbols", label);
        for (const item of text.split(",")) need("choices", item);
      }
    }
    for (const { x, y, series } of result.figures) {
      for (const axis of [x, y, `${x}_sorted`]) need("axes", axis);
      for (const { name } of series) need("series", name);
    }
    expect(missing).toEqual([]);
  });

  test("the first is short", () => {
    expect(JSON.stringify(first).length).toBeLessThan(0.5 * JSON.stringify(all).length);
    for (const topic of ["presets", "groups", "race"])
      expect(Object.keys(first[topic] ?? {}).length).toBeLessThan(3);
  });
});

test("a key counts where a source of the figures' module names it", () => {
  const words = { ui: { a: "A" }, series: { measured: "m", other: "o" }, axes: { key_sorted: "k" } };
  expect(splitWords(words, 'f("measured", "key")').rest).toEqual({
    ui: {},
    series: { other: "o" },
    axes: {},
  });
});
