// What the story cites, and what it marks for paper: print_marks.ts, references.ts.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Language, PageWords } from "../../../web/page/document.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";
import { citation, references, referencesHtml } from "../../../web/page/references.ts";

const content = new URL("../../../web/content/", import.meta.url);
const wordsOf = (language: Language): PageWords =>
  JSON.parse(readFileSync(new URL(`${language}/page.json`, content), "utf8")) as PageWords;
const prose = new ProseReader(wordsOf("en"), new Formulas());

/** By chapter, what it cites. */
function citedIn(language: Language): Record<string, string[]> {
  const folder = new URL(`${language}/story/`, content);
  const cited = (file: string): string[] =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/\[@(\w+)\]/g)].map(([, id]) => id!).sort();
  return Object.fromEntries(readdirSync(folder).map((file) => [file, cited(file)]));
}

describe("references", () => {
  test("are cited, by the same chapters in both languages, and no others", () => {
    const cited = citedIn("en");
    expect(citedIn("zh")).toEqual(cited);
    const ids = references.map(({ id }) => id);
    expect([...new Set(Object.values(cited).flat())].sort()).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(["en", "zh"] as const)(
    "stand in the list once each, in the order of their numbers (%s)",
    (language) => {
      const html = referencesHtml(language, wordsOf(language));
      const listed = [...html.matchAll(/<li id="ref-(\w+)">/g)].map(([, id]) => id);
      expect(listed).toEqual(references.map(({ id }) => id));
    },
  );

  test("are cited by their numbers; one that is none is refused", () => {
    const [first] = references;
    expect(prose.inline(`so [@${first!.id}], and`)).toBe(
      `so <a class="cite" href="#ref-${first!.id}">[1]</a>, and`,
    );
    expect(() => citation("nobody1900")).toThrow(/nobody1900/);
  });
});

describe("marks for paper", () => {
  test("keep the words between them as they are, formulas and all", () => {
    expect(prose.inline("[Move *it*.]{.screen}[It stands.]{.print} Then")).toBe(
      '<span class="screen-only">Move <em>it</em>.</span><span class="print-only">It stands.</span> Then',
    );
    expect(prose.inline("[a $d$ here]{.screen}")).toMatch(
      /^<span class="screen-only">a <math.*<\/math> here<\/span>$/,
    );
  });

  test("are no links and no brackets of the text", () => {
    expect(prose.inline("[words](#there) and [so] on")).toBe('<a href="#there">words</a> and [so] on');
  });
});
