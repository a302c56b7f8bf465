import { describe, expect, it } from "vitest";
import { fill, languageOf, ui, uiKeys, word, type Vocabulary } from "../../../web/words/vocabulary.ts";
import { experimentIds, fixture, vocabularyOf } from "../elements/fixtures/load.ts";

const languages = ["en", "zh"] as const;

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").sort();
}

describe.each(languages)("the %s vocabulary", (language) => {
  const vocabulary = vocabularyOf(language);

  it("has every word of the templates and no others", () => {
    expect(Object.keys(vocabulary.ui).sort()).toEqual([...uiKeys].sort());
    for (const [key, text] of Object.entries(vocabulary.ui)) expect(text.trim(), key).not.toBe("");
  });

  it("has the same placeholders as the other language", () => {
    const other = vocabularyOf(language === "en" ? "zh" : "en");
    for (const key of uiKeys) {
      expect(placeholders(vocabulary.ui[key] ?? ""), key).toEqual(placeholders(other.ui[key] ?? ""));
    }
  });

  it.each(experimentIds)("names everything that %s shows", (id) => {
    const { description, result } = fixture(id);
    const known = (topic: Exclude<keyof Vocabulary, "ui">, name: string): void => {
      expect(Object.hasOwn(vocabulary[topic], name), `${topic}: ${name}`).toBe(true);
    };
    known("questions", id);
    known("verdicts", result.verdict);
    for (const param of description.params) {
      known("params", param.name);
      for (const choice of param.choices ?? []) known("choices", choice);
    }
    for (const scalar of result.scalars) known("scalars", scalar.name);
    for (const figure of result.figures) {
      known("figures", figure.name);
      known("axes", figure.x);
      known("axes", figure.y);
      for (const series of figure.series) known("series", series.name);
    }
  });
});

describe("lookups", () => {
  const vocabulary = vocabularyOf("en");

  it("fall back to the key, and are not fooled by Object.prototype", () => {
    expect(word(vocabulary, "params", "no_such_param")).toBe("no_such_param");
    expect(word(vocabulary, "params", "constructor")).toBe("constructor");
  });

  it("fill placeholders once, and leave unknown ones", () => {
    expect(fill("{a} {b} {c}", { a: "{b}", b: "2" })).toBe("{b} 2 {c}");
    expect(ui(vocabulary, "at_item", { name: "d", value: "32" })).toBe("d = 32");
  });

  it("know Chinese by any of its tags", () => {
    expect(["zh", "zh-CN", "ZH-Hant", "zho", "en", "", null].map(languageOf)).toEqual([
      "zh",
      "zh",
      "zh",
      "en",
      "en",
      "en",
      "en",
    ]);
  });
});
