// English and Chinese say the same: the same files, sections, keys, placeholders and measured numbers.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { uiKeys } from "../../../web/words/vocabulary.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader, type Settable } from "../../../web/page/markdown.ts";
import { descriptions, vocabularyOf } from "../../../web/page/words.mjs";

const content = new URL("../../../web/content/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, content), "utf8");
const files = (language: string): string[] =>
  readdirSync(new URL(language, content), { recursive: true, encoding: "utf8" }).sort();

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

/** Prose without its code, formulas and tags, and without the names of what chapters hold. */
const bare = (text: string): string =>
  text
    .replace(/^\w+ = /gm, "")
    .replace(/^(lab|group|slider): .*$/gm, "")
    .replace(/^choice \w+: |^(ask|answer|next): |^```guess \w+$/gm, "")
    .replace(/```.*?```/gs, "")
    .replace(/\$\$?[^$]+\$\$?|`[^`]+`|<[^>]+>|\{[^{}]+\}|(?<=\])\([^)]*\)/g, "");
const han = /\p{Script=Han}/u;

/** What links in this file's prose may set. */
function settableOf(file: string): Settable | undefined {
  const found = descriptions().find(({ id }) => file === `lab/${id}.md`);
  return found && { id: found.id, params: found.params.map(({ name }) => name) };
}

/** Numbers are looked at in quoted.test.ts. */
const values = { bound: () => 0, quoted: () => ({ value: 0, note: "" }) };

const registered = descriptions().map(({ id }) => id);

test("the two languages have the same files, one for each experiment", () => {
  expect(files("zh")).toEqual(files("en"));
  const subjects = files("en").filter((file) => file.startsWith("lab/"));
  expect(subjects).toEqual(registered.map((id) => `lab/${id}.md`).sort());
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
});

test.each(["en", "zh"])("the %s vocabulary has a message for every error", (language) => {
  const types = readFileSync(new URL("../../../bindings/api/types.ts", import.meta.url), "utf8");
  const [union = ""] = types.slice(types.indexOf("type ErrorCode")).split("\n\n");
  const codes = [...union.matchAll(/^\s*\| "(\w+)"/gm)].map(([, code]) => code ?? "");
  expect(codes).toContain("out_of_range");
  const { errors } = words(`${language}/vocabulary.json`) as { errors: Words };
  expect(Object.keys(errors).sort()).toEqual([...codes, "one_file", "other"].sort());
});

describe.each(files("en").filter((file) => file.endsWith(".md")))("%s", (file) => {
  const prose = (language: string) =>
    new ProseReader({ copy: "", copied: "" }, new Formulas()).read(
      read(`${language}/${file}`),
      settableOf(file),
      values,
    );
  const [en, zh] = [prose("en"), prose("zh")];

  test("has the same fields, figure and number of parts", () => {
    // The question of an experiment stands beside its code in English.
    const extra = file.startsWith("lab/") ? ["question"] : [];
    expect(Object.keys(zh.fields).filter((name) => !extra.includes(name))).toEqual(Object.keys(en.fields));
    expect(zh.figure).toBe(en.figure);
    expect(zh.parts.length).toBe(en.parts.length);
    expect(Object.keys(zh.notes)).toEqual(Object.keys(en.notes));
    for (const { fields } of [en, zh]) {
      for (const [name, value] of Object.entries(fields)) expect(value, name).not.toBe("");
    }
  });

  test("has the same links, and the same headings with the same verdicts", () => {
    const links = (text: string): string[] => [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, to = ""]) => to);
    const verdicts = (text: string): string[] =>
      [...text.matchAll(/^###? (?:(\w+):)?/gm)].map(([, found = ""]) => found);
    expect(links(read(`zh/${file}`))).toEqual(links(read(`en/${file}`)));
    expect(verdicts(read(`zh/${file}`))).toEqual(verdicts(read(`en/${file}`)));
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
  test.each(["en", "zh"] as const)("has its figure, three parts and its question (%s)", (language) => {
    const reader = new ProseReader({ copy: "", copied: "" }, new Formulas());
    const { fields, figure, parts } = reader.read(
      read(`${language}/lab/${id}.md`),
      settableOf(`lab/${id}.md`),
      values,
    );
    const first = reader.read(
      read(`${language}/lab/${registered[0] ?? ""}.md`),
      settableOf(`lab/${registered[0] ?? ""}.md`),
      values,
    );
    expect(Object.keys(fields)).toEqual(
      language === "en" ? ["title", "source"] : ["title", "question", "source"],
    );
    expect(figure).toBe(id);
    expect(parts.length).toBe(3);
    expect(parts.map(({ heading }) => heading)).toEqual(first.parts.map(({ heading }) => heading));
    const question = vocabularyOf(language).questions[id] ?? "";
    expect(question).toMatch(language === "en" ? /^[^\p{Script=Han}]+\?$/u : /\p{Script=Han}.*？$/u);
  });
});
