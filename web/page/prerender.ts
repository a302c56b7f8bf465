// The pages as files: prose, and figures that the native command has computed, in the very markup that the
// elements will draw again. Runs in Node when the site is built.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import type { Trainers } from "../../bindings/api/trainer.ts";
import type { Description, RunResult } from "../../bindings/api/types.ts";
import { checkView, noCheckActions } from "../check/check_view.ts";
import { noActions, stillState, type FigureState } from "../elements/figure_state.ts";
import { figureView } from "../elements/figure_view.ts";
import { addExperimentParts } from "../elements/experiment_parts.ts";
import { racePlan } from "../race/race_plan.ts";
import { looksAtTheEnd, printedText } from "../race/race_printed.ts";
import { noRaceActions, raceView, stillRace } from "../race/race_view.ts";
import { heroParams, heroView, spreadExperiment, spreadParams, stillHero } from "../elements/hero_view.ts";
import type { Vocabulary } from "../words/vocabulary.ts";
import { apiPage } from "./api_page.ts";
import { cards, type PictureMaker } from "./cards.ts";
import { frontPage, languages, otherThan, pageHtml, rootOf, escape, sitemap } from "./document.ts";
import type { Assets, Frame, Language, Page, PageWords, Room } from "./document.ts";
import { noteProblems, notesTemplate, printedNotes, type ChartNotes } from "./chart_notes.ts";
import { Formulas } from "./formulas.ts";
import { galleryPage, inOrder, type Thumbnail } from "./gallery.ts";
import { labPage, titleOf, type Entry } from "./lab_page.ts";
import { ProseReader, type Prose } from "./markdown.ts";
import { boundIn, Quotations } from "./quoted.ts";
import { articlesPage, prosePage, reviewed } from "./prose_pages.ts";
import { sayer, stillScene, type Scene, type StoryFigure } from "../story/figure.ts";
import { readChapter } from "./chapter.ts";
import { storyPage } from "./story_page.ts";
import { chartMarkup, thumbnailSvg, type ChartMarkup } from "./thumbnail.ts";

export interface SiteInput {
  /** web/content */
  content: string;
  /** In the page's order. */
  descriptions: readonly Description[];
  vocabularies: Readonly<Record<Language, Vocabulary>>;
  run(experiment: string, params: Readonly<Record<string, string>>): RunResult;
  /** For what the racers of the printed race attend to and answer at its end. */
  trainers: Pick<Trainers, "trainer">;
  assets: Assets;
  /** The style sheet of pictures of charts. */
  pictureStyles: string;
  /** Texts of the package's index.d.ts and README. */
  declarations: string;
  readme: string;
  /** Text of tests/golden/hashes.json: what the native command computes. */
  goldens: string;
  /** Absolute address of the site's root with a final slash, or "". */
  site: string;
  /** Draws the pages' pictures. Absent where the site's address is not known: only whole addresses lead to them. */
  pictures?: PictureMaker;
}

/** The text of every page and of all that they name, by its path from the site's root. */
export function renderSite(input: SiteInput): Map<string, string> {
  const { content, assets, site } = input;
  addExperimentParts();
  const files = new Map<string, string>();
  const add = (name: string, type: string, text: string): string => {
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
    const path = `assets/${name}-${digest}.${type}`;
    files.set(path, text);
    return path;
  };
  const read = (language: Language, file: string): string =>
    readFileSync(join(content, language, file), "utf8");
  const wordsOf = (language: Language): PageWords => JSON.parse(read(language, "page.json")) as PageWords;
  const words = { en: wordsOf("en"), zh: wordsOf("zh") };
  const formulas = new Formulas();
  const hero = input.run("article_snippet", heroParams);
  const spread = input.run(spreadExperiment, spreadParams(heroParams.d));
  const results = input.descriptions.map((description) => ({
    description,
    result: input.run(description.id, {}),
  }));
  const storyRuns = new Map<string, RunResult>();
  const runStory = (figure: StoryFigure, said: Readonly<Record<string, string>>): RunResult => {
    const params = figure.params(figure.start, sayer(said));
    const key = JSON.stringify([figure.experiment, params]);
    const result = storyRuns.get(key) ?? input.run(figure.experiment, params);
    storyRuns.set(key, result);
    return result;
  };
  type Computed = (typeof results)[number];
  const race = results.find(({ description: { id } }) => id === "training_race");
  const raced = race && {
    result: race.result,
    looks: looksAtTheEnd(input.trainers, racePlan(race.result.params)),
  };
  /** The address of the finished race, seen from this page. */
  const racedFile = (page: string): string =>
    raced ? `${rootOf(page)}${add("training_race", "json", printedText(raced))}` : "";
  const problems: string[] = []; // of sentences and charts
  const charts = new Map<string, ChartMarkup>(); // by the page that they are shown on
  const quotations = Quotations.in(join(content, "quoted"));
  const values = {
    bound: boundIn(new Map(results.map(({ description: { id }, result }) => [id, result]))),
    quoted: quotations.number,
  };

  const pagesOf = (language: Language): Page[] => {
    const prose = new ProseReader(words[language], formulas);
    const vocabulary = input.vocabularies[language];
    const elsewhere = input.vocabularies[otherThan(language)];
    const document = (name: string): Prose =>
      prose.read(read(language, `docs/${name}.md`), undefined, values);

    const figure = ({ description, result }: Computed, notes: ChartNotes): string => {
      const { id } = description;
      const still: FigureState = {
        ...stillState(description, result, vocabulary),
        ...{ printed: true, changing: true }, // without tables
        notes: printedNotes(notes),
      };
      const attributes = { experiment: id, lang: language };
      const template = notesTemplate(notes);
      if (id !== "training_race" || !raced)
        return filled(
          element("sqrtdk-figure", attributes, figureView(still, noActions), template),
          still.texts,
        );
      const state = stillRace(description, raced, vocabulary, still);
      const file = racedFile(`${language}/lab/${id}/`);
      return element(
        "sqrtdk-race",
        { ...attributes, result: file },
        raceView(state, noRaceActions),
        template,
      );
    };
    /** The race's stage alone. */
    const stage = (): string => {
      if (!race || !raced) throw new Error("there is no race");
      const state = stillRace(race.description, raced, vocabulary);
      const attributes = { experiment: race.description.id, lang: language, stage: "" };
      return element(
        "sqrtdk-race",
        { ...attributes, result: racedFile(`${language}/`) },
        raceView({ ...state, stageOnly: true }, noRaceActions),
      );
    };
    const entries = results.map((computed): Entry => {
      const { description, result } = computed;
      const { id, params } = description;
      const settable = { id, params: params.map(({ name }) => name) };
      const file = `lab/${id}.md`;
      const text = prose.read(read(language, file), settable, values);
      problems.push(
        ...noteProblems(description, result.figures, text.notes, `web/content/${language}/${file}`),
      );
      return {
        description,
        question: vocabulary.questions[id] ?? "",
        prose: text,
        figure: figure(computed, text.notes),
      };
    });
    const thumbnail = ({ description, result }: Computed): [string, Thumbnail] => {
      const still = stillState(description, result, vocabulary);
      const chart = chartMarkup(result.figures, still, printed);
      charts.set(`${language}/lab/${description.id}/`, chart);
      const { text, width, height } = thumbnailSvg(chart, language, input.pictureStyles);
      const file = add(`${description.id}-${language}`, "svg", text);
      return [description.id, { file: `${rootOf(`${language}/lab/`)}${file}`, width, height }];
    };

    const ordered = inOrder(entries, words[language]);
    const chapters = readdirSync(join(content, language, "story"))
      .sort()
      .map((file) => {
        const source = read(language, `story/${file}`);
        const printFigure = (name: string, said: Readonly<Record<string, string>>): string => {
          const figure = storyFigures[`../story/figures/${name.replaceAll("-", "_")}.ts`];
          if (!figure) throw new Error(`${file}: there is no figure ${name}`);
          const sceneOf = (start: StoryFigure["start"]): Scene =>
            stillScene({ ...figure, start }, runStory({ ...figure, start }, said), said, vocabulary);
          const attributes = { lang: language, words: JSON.stringify(said) };
          const { paper } = figure;
          const onPaper = paper
            ? `<div class="print-only">${printed(paper.view(paper.sets.map(sceneOf)))}</div>`
            : "";
          return element(`story-${name}`, attributes, figure.view(sceneOf(figure.start))) + onPaper;
        };
        const chapter = { file, source, prose, words: words[language], values };
        return readChapter({ ...chapter, figure: printFigure, race: stage });
      });
    const checkElement = element(
      "sqrtdk-check",
      { lang: language, goldens: `${rootOf(`${language}/check/`)}${add("goldens", "json", input.goldens)}` },
      checkView({ vocabulary, check: undefined, problem: "", note: "" }, noCheckActions),
    );
    const documents: Partial<Record<Room, string>> = { models: "", embed: "", check: checkElement };
    return [
      storyPage({
        ...{ language, words: words[language], chapters },
        titles: new Map(ordered.map((entry) => [entry.description.id, titleOf(entry)])),
        title: prose.inline(words[language].title_tex),
        answer: prose.inline(words[language].answer_tex),
        hero: element("sqrtdk-hero", { lang: language }, heroView(stillHero(hero, spread, vocabulary))),
      }),
      galleryPage({
        ...{ language, words: words[language], entries: ordered, prose: document("lab") },
        elsewhere: new Map(entries.map(({ description: { id } }) => [id, elsewhere.questions[id] ?? ""])),
        thumbnails: new Map(results.map(thumbnail)),
      }),
      ...ordered.map((entry, index) =>
        labPage(entry, [ordered[index - 1], ordered[index + 1]], language, words[language]),
      ),
      articlesPage(
        language,
        words[language],
        document("articles"),
        articleFiles.map((file) =>
          reviewed(prose.read(read(language, `articles/${file}`), undefined, values), words[language]),
        ),
      ),
      ...Object.entries(documents).map(([room, text]) =>
        prosePage(language, room as Room, document(room), text),
      ),
      apiPage({ ...input, language, prose: document("api"), reader: prose }),
    ];
  };

  const pages = languages.flatMap(pagesOf);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  for (const language of languages)
    charts.set(`${language}/`, charts.get(`${language}/lab/article_snippet/`)!);
  const style = add("formulas", "css", formulas.css());
  const frame: Frame = {
    words,
    assets: { ...assets, styles: [...assets.styles, style] },
    site,
    pictures: input.pictures ? cards(pages, charts, words, input.pictures) : new Map(),
  };
  files.set("index.html", frontPage(frame));
  for (const page of pages)
    files.set(`${page.language}/${page.path}index.html`, dense(pageHtml(page, frame)));
  if (site) {
    const paths = pages.filter(({ language }) => language === "en").map(({ path }) => path);
    files.set("sitemap.xml", sitemap(paths, site));
  }
  return files;
}

const storyFigures = import.meta.glob<StoryFigure>("../story/figures/*.ts", {
  import: "figure",
  eager: true,
});

/** Of the articles, in the order of their numbers. */
const articleFiles = [1, 2, 3, 4, 5].map((number) => `${number}.md`);

/** Without spaces that mean nothing, which are a kilobyte, but for texts that keep them. */
function dense(html: string): string {
  return html
    .split(/(<(?:pre|textarea)[\s>].*?<\/(?:pre|textarea)>)/s)
    .map((text, index) =>
      index % 2 === 1 ? text : text.replace(/[ \n]+(\/?>)?/g, (_, end?: string) => end ?? " "),
    )
    .join("");
}

/** `more`: what the printed markup needs beside its view. */
function element(tag: string, attributes: Record<string, string>, view: TemplateResult, more = ""): string {
  const text = Object.entries({ ...attributes, prerendered: "" }).map(
    ([name, value]) => ` ${name}="${escape(value)}"`,
  );
  return `<${tag}${text.join("")}>${printed(view)}${more}</${tag}>`;
}

/** With their texts in the text areas, which lit-html leaves out. */
function filled(html: string, texts: FigureState["texts"]): string {
  return html.replace(
    /(<textarea[^>]* name="(\w+)"[^>]*>)(?=<\/textarea>)/g,
    (open, _, name: string) => open + escape(texts[name] ?? ""),
  );
}

/** Without the marks of lit-html's parts: the elements draw anew, with the same result, instead of hydrating. */
function printed(view: TemplateResult): string {
  return collectResultSync(render(view)).replace(/<!--.*?-->|<\?[^>]*>/gs, "");
}
