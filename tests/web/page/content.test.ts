// English and Chinese say the same: the same files, sections, keys, placeholders and measured numbers.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { uiKeys } from "../../../web/elements/vocabulary.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";

const content = new URL("../../../web/content/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, content), "utf8");
const files = (language: string): string[] => readdirSync(new URL(language, content)).sort();

type Words = Record<string, unknown>;
const words = (path: string): Words => JSON.parse(read(path)) as Words;

/** Every string of nested words, by its path. */
function strings(node: unknown, path: string[] = []): [string, string][] {
  if (typeof node === "string") return [[path.join("/"), node]];
  return Object.entries(node as Words).flatMap(([key, value]) => strings(value, [...path, key]));
}
const keys = (node: unknown): string[] => strings(node).map(([path]) => path);
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\w+\}/g)].map(([found]) => found).sort();

/** Prose without its code, formulas and tags. */
const bare = (text: string): string =>
  text.replace(/```.*?```/gs, "").replace(/\$\$?[^$]+\$\$?|`[^`]+`|<[^>]+>/g, "");
const han = /\p{Script=Han}/u;

const registered = [
  ...readFileSync(new URL("../../../src/experiments/experiments.inc", import.meta.url), "utf8").matchAll(
    /^EXPERIMENT\((\w+), \w+\)/gm,
  ),
].map(([, id]) => id ?? "");

test("the two languages have the same files, one for each experiment", () => {
  expect(files("zh")).toEqual(files("en"));
  const subjects = files("en").filter((file) => file.endsWith(".md") && file !== "about.md");
  expect(subjects).toEqual(registered.map((id) => `${id}.md`).sort());
});

describe.each(["page.json", "vocabulary.json"])("%s", (file) => {
  const [en, zh] = [words(`en/${file}`), words(`zh/${file}`)];

  test("has the same keys in both languages", () => {
    expect(keys(zh).sort()).toEqual(keys(en).sort());
  });

  test("has no empty word, and the same placeholders", () => {
    const english = new Map(strings(en));
    for (const [path, text] of strings(zh)) {
      expect(text.trim(), path).not.toBe("");
      expect(english.get(path)?.trim(), path).not.toBe("");
      expect(placeholders(text), path).toEqual(placeholders(english.get(path) ?? ""));
    }
  });
});

test.each(["en", "zh"])("the %s vocabulary names what the elements ask for", (language) => {
  const vocabulary = words(`${language}/vocabulary.json`) as Record<string, Words>;
  expect(Object.keys(vocabulary["ui"] ?? {}).sort()).toEqual([...uiKeys].sort());
  expect(Object.keys(vocabulary["questions"] ?? {}).sort()).toEqual([...registered].sort());
});

test.each(["en", "zh"])("the %s vocabulary has a message for every error", (language) => {
  const types = readFileSync(new URL("../../../bindings/types.ts", import.meta.url), "utf8");
  const [union = ""] = types.slice(types.indexOf("type ErrorCode")).split("\n\n");
  const codes = [...union.matchAll(/^\s*\| "(\w+)"/gm)].map(([, code]) => code ?? "");
  expect(codes).toContain("out_of_range");
  const { errors } = words(`${language}/vocabulary.json`) as { errors: Words };
  expect(Object.keys(errors).sort()).toEqual([...codes, "other"].sort());
});

test.each(["en", "zh"])("the %s vocabulary has every verdict of the experiments", (language) => {
  const sources = new URL("../../../src/experiments/", import.meta.url);
  const verdicts = readdirSync(sources).flatMap((name) => {
    const source = name.endsWith(".cpp") ? readFileSync(new URL(name, sources), "utf8") : "";
    return [...source.matchAll(/verdict\s*=[^;]*;/g)].flatMap(([text]) =>
      [...text.matchAll(/"(\w+)"/g)].map(([, key]) => key ?? ""),
    );
  });
  expect(verdicts.length).toBeGreaterThanOrEqual(registered.length);
  const { verdicts: known } = words(`${language}/vocabulary.json`) as { verdicts: Words };
  expect(Object.keys(known).sort()).toEqual([...new Set(verdicts)].sort());
});

describe.each(files("en").filter((file) => file.endsWith(".md")))("%s", (file) => {
  const prose = (language: string) =>
    new ProseReader({ copy: "", copied: "" }, new Formulas()).read(read(`${language}/${file}`));
  const [en, zh] = [prose("en"), prose("zh")];

  test("has the same fields, figure and number of parts", () => {
    expect(Object.keys(zh.fields)).toEqual(Object.keys(en.fields));
    expect(zh.figure).toBe(en.figure);
    expect(zh.parts.length).toBe(en.parts.length);
    for (const { fields } of [en, zh]) {
      for (const [name, value] of Object.entries(fields)) expect(value, name).not.toBe("");
    }
  });

  test("reports the same decimal numbers", () => {
    const numbers = (text: string): string[] =>
      [...text.matchAll(/\d+\.\d+/g)].map(([found]) => found).sort();
    expect(numbers(read(`zh/${file}`))).toEqual(numbers(read(`en/${file}`)));
  });

  test("is written in Chinese in zh, in English in en", () => {
    expect(bare(read(`en/${file}`))).not.toMatch(han);
    const chinese = bare(read(`zh/${file}`)).replace(/\*[^*]+\*/g, ""); // titles of works keep their language
    expect(chinese).not.toMatch(/[A-Za-z]+(?: [A-Za-z]+){3,}/);
    expect(chinese.split("\n").filter((line) => line.length > 40 && !han.test(line))).toEqual([]);
  });

  test("has full-width punctuation in zh", () => {
    expect(bare(read(`zh/${file}`))).not.toMatch(/\p{Script=Han}[,;:?!()]|[,;:?!()]\p{Script=Han}/u);
  });
});

describe.each(registered)("%s", (id) => {
  test.each(["en", "zh"])("has its figure, four parts and its question (%s)", (language) => {
    const reader = new ProseReader({ copy: "", copied: "" }, new Formulas());
    const { fields, figure, parts } = reader.read(read(`${language}/${id}.md`));
    const first = reader.read(read(`${language}/${registered[0] ?? ""}.md`));
    expect(Object.keys(fields)).toEqual(["title", "question", "source"]);
    expect(figure).toBe(id);
    expect(parts.length).toBe(4);
    expect(parts.map(({ heading }) => heading)).toEqual(first.parts.map(({ heading }) => heading));
    const { questions } = words(`${language}/vocabulary.json`) as { questions: Record<string, string> };
    expect(questions[id]).toBe(fields["question"]);
  });
});
