// Chapters of the story: what their Markdown becomes, what is refused, and that both languages tell the same.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readChapter, type Chapter } from "../../../web/page/chapter.ts";
import type { Language, PageWords } from "../../../web/page/document.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";
import { Quotations } from "../../../web/page/quoted.ts";
import { storyPage } from "../../../web/page/story_page.ts";
import { descriptions } from "../../../web/page/words.mjs";

const content = new URL("../../../web/content/", import.meta.url);
const wordsOf = (language: Language): PageWords =>
  JSON.parse(readFileSync(new URL(`${language}/page.json`, content), "utf8")) as PageWords;

const quotedValues = {
  quoted: Quotations.in(fileURLToPath(new URL("quoted", content))).number,
  bound: (of: string): never => {
    throw new Error(`a chapter has no result of ${of}`);
  },
};

interface Printed {
  name: string;
  words: Readonly<Record<string, string>>;
}

function chapterOf(
  file: string,
  source: string,
  language: Language = "en",
  printed: Printed[] = [],
): Chapter {
  const words = wordsOf(language);
  const prose = new ProseReader(words, new Formulas());
  const figure = (name: string, said: Readonly<Record<string, string>>): string => {
    printed.push({ name, words: said });
    return `<story-${name}></story-${name}>`;
  };
  const race = (): string => "<sqrtdk-race></sqrtdk-race>";
  return readChapter({ file, source, prose, words, values: quotedValues, figure, race });
}

const head = "---\ntitle: T\nquestion: Why?\ngroup: why\n---\n\n";
const guess = "```guess one\nask: How many?\nslider: 0 10 1 5\nanswer: three\nBecause.\n```\n";

describe("a chapter", () => {
  test("has text, figures with their words, guesses and folded parts, in order", () => {
    const printed: Printed[] = [];
    const source = `${head}before\n\n${guess}\n<story-walk-home>\nstep = One step\ncaption = at {d}\n</story-walk-home>\n\nafter\n\n## Why so\n\nhence\n`;
    const { number, name, body, guesses } = chapterOf("07-walk.md", source, "en", printed);
    expect([number, name]).toEqual([7, "walk"]);
    expect(printed).toEqual([{ name: "walk-home", words: { step: "One step", caption: "at {d}" } }]);
    expect(body.replaceAll(/\s+/g, " ")).toMatch(
      /^<div class="text"> <p>before<\/p> <\/div> <fieldset class="guess" id="guess-one".*<story-walk-home><\/story-walk-home><div class="text"> <p>after<\/p> <details class="aside"><summary>Why so<\/summary> <p>hence<\/p>/,
    );
    expect(guesses).toEqual([{ name: "one", ask: "How many?", answer: "three" }]);
    expect(body).toContain('min="0" max="10" step="1" value="5"');
  });

  test("has the race's stage, and numbers that it quotes", () => {
    const source = `${head}<sqrtdk-race stage>\n</sqrtdk-race>\n\nin {training_race/inverse:low .0} steps\n`;
    const { body } = chapterOf("08-race.md", source);
    expect(body).toMatch(
      /^<sqrtdk-race><\/sqrtdk-race><div class="text">\n<p>in <data.*>60<\/data> steps<\/p>/,
    );
  });

  test("offers choices by name", () => {
    const asked =
      "```guess who\nask: Who?\nchoice cat: the *cat*\nchoice dog: the dog\nanswer: nobody\n```\n";
    const { body } = chapterOf("01-who.md", head + asked);
    expect(body.match(/type="radio" name="guess-who" value="(cat|dog)"/g)).toHaveLength(2);
    expect(body).toContain("the <em>cat</em>");
  });

  test.each([
    ["a guess without an answer", "01-x.md", "```guess one\nask: How?\nslider: 0 1 1 0\n```\n"],
    ["a guess without a way to guess", "01-x.md", "```guess one\nask: How?\nanswer: so\n```\n"],
    ["a word that is none", "01-x.md", "<story-x>\nnonsense\n</story-x>\n"],
    ["a name that is none", "x.md", "text\n"],
  ])("with %s is refused", (_, file, text) => {
    expect(() => chapterOf(file, head + text)).toThrow(/^(01-x\.md|a chapter's file)/);
  });
});

const files = (language: Language): string[] => readdirSync(new URL(`${language}/story`, content)).sort();
const all = (language: Language, printed: Printed[] = []): Chapter[] =>
  files(language).map((file) =>
    chapterOf(file, readFileSync(new URL(`${language}/story/${file}`, content), "utf8"), language, printed),
  );

describe("the story", () => {
  const printed = { en: [] as Printed[], zh: [] as Printed[] };
  const told = { en: all("en", printed.en), zh: all("zh", printed.zh) };

  test("is the same in both languages: chapters, figures and their words, guesses, folded parts, links", () => {
    const shape = (chapters: readonly Chapter[]): unknown =>
      chapters.map(({ number, name, group, lab, guesses, body }) => ({
        ...{ number, name, group, lab, guesses: guesses.map((each) => each.name) },
        folded: body.match(/<details class="aside">/g)?.length ?? 0,
        notes: body.match(/<div class="note"/g)?.length ?? 0,
        choices: [...body.matchAll(/type="radio" name="[\w-]+" value="(\w+)"/g)].map(([, value]) => value),
        sliders: [...body.matchAll(/min="\S+" max="\S+" step="\S+" value="\S+"/g)].map(([found]) => found),
      }));
    expect(shape(told.zh)).toEqual(shape(told.en));
    const words = (figures: readonly Printed[]): unknown =>
      figures.map(({ name, words }) => [
        name,
        Object.entries(words).map(([key, text]) => [key, [...text.matchAll(/\{\w+\}/g)].map(String).sort()]),
      ]);
    expect(words(printed.zh)).toEqual(words(printed.en));
  });

  test("numbers its chapters from 0, each in a group, with experiments that there are", () => {
    const registered = descriptions().map(({ id }) => id);
    const groups = Object.keys(wordsOf("en").groups);
    expect(told.en.map(({ number }) => number)).toEqual(told.en.map((_, index) => index));
    for (const { name, group, lab } of told.en) {
      expect(groups, name).toContain(group);
      for (const id of lab) expect(registered, name).toContain(id);
    }
  });

  test("asks in at most 15 words, asks no two things by the same name, and takes about twenty minutes", () => {
    const plain = (html: string): string =>
      html.replaceAll(/<math.*?<\/math>/gs, "x").replaceAll(/<[^>]+>/g, " ");
    const count = (html: string): number => plain(html).split(/\s+/).filter(Boolean).length;
    for (const { question, name } of told.en) expect(count(question), name).toBeLessThanOrEqual(15);
    const names = told.en.flatMap(({ guesses }) => guesses.map((each) => each.name));
    expect(new Set(names).size).toBe(names.length);
    const total = told.en.reduce((sum, { body }) => sum + count(body), 0);
    expect(total).toBeLessThanOrEqual(5500);
  });

  test.each(["en", "zh"] as const)(
    "stands on one page with its contents and the table of guesses (%s)",
    (language) => {
      const chapters = told[language];
      const titles = new Map(descriptions().map(({ id }) => [id, id]));
      const about = { language, words: wordsOf(language), title: "t", answer: "a", hero: "", titles };
      const { main } = storyPage({ ...about, chapters });
      for (const { name, title } of chapters) {
        expect(main).toContain(`id="${name}"`);
        expect(main).toContain(`<a href="#${name}">${title}</a>`);
      }
      const asked = chapters.flatMap(({ guesses }) => guesses);
      expect(main.match(/<td data-guess=/g)).toHaveLength(asked.length);
      expect(() => storyPage({ ...about, chapters: [{ ...chapters[0]!, group: "lost" }] })).toThrow(
        /groups.lost/,
      );
      expect(() => storyPage({ ...about, chapters: [{ ...chapters[0]!, lab: ["lost"] }] })).toThrow(
        /no experiment lost/,
      );
    },
  );
});
