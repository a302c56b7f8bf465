// The pages as files: prose, and figures that the native command has computed, in the very markup that the
// elements will draw again. Runs in Node when the site is built.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Train } from "../../bindings/api/trainer.ts";
import type { Description, RunResult } from "../../bindings/api/types.ts";
import { paintBy } from "../charts/heat_image.ts";
import { checkView, noCheckActions } from "../check/check_view.ts";
import { noActions, stillState, type FigureState } from "../elements/figure_state.ts";
import { figureView } from "../elements/figure_view.ts";
import { addExperimentParts } from "../elements/experiment_parts.ts";
import { looksAtTheEnd, printedText } from "../race/race_printed.ts";
import { noRaceActions, raceView, stillRace } from "../race/race_view.ts";
import { heroParams, heroView, spreadExperiment, spreadParams, stillHero } from "../elements/hero_view.ts";
import type { Vocabulary } from "../words/vocabulary.ts";
import { apiPage } from "./api_page.ts";
import { authorPages, framePages } from "./author_pages.ts";
import { cards, type PictureMaker } from "./cards.ts";
import { frontPage, languages, otherThan, pageHtml, rootOf, sitemap } from "./document.ts";
import type { Assets, Frame, Language, Page, PageWords, Room } from "./document.ts";
import { noteProblems, notesTemplate, printedNotes, type ChartNotes } from "./chart_notes.ts";
import { Formulas, named } from "./formulas.ts";
import { galleryPage, inOrder, type Thumbnail } from "./gallery.ts";
import { labPage, titleOf, type Entry } from "./lab_page.ts";
import { ProseReader, type Prose } from "./markdown.ts";
import { told, type Measured } from "./measured.mjs";
import { whitePng } from "./png.ts";
import { boundIn, Quotations } from "./quoted.ts";
import { dense, element, filled, printed } from "./printed.ts";
import { articlesPage, prosePage, reviewed } from "./prose_pages.ts";
import { withTexts } from "../story/fields.ts";
import { sayer, stillScene, type Scene, type StoryFigure } from "../story/figure.ts";
import { readChapter } from "./chapter.ts";
import { storyPage } from "./story_page.ts";
import { chartMarkup, stillSvg, thumbnailSvg, type ChartMarkup } from "./thumbnail.ts";

export interface SiteInput {
  /** web/content */
  content: string;
  /** In the page's order. */
  descriptions: readonly Description[];
  vocabularies: Readonly<Record<Language, Vocabulary>>;
  run(experiment: string, params: Readonly<Record<string, string>>): RunResult;
  /** For what the racers of the printed race attend to and answer at its end. */
  trainers: Pick<Train, "trainer">;
  assets: Assets;
  /** The style sheet of pictures of charts. */
  pictureStyles: string;
  /** That of pictures on paper; `compact`: of one of many maps. */
  stillStyles(language: Language, compact: boolean): string;
  /** Texts of the package's index.d.ts and README. */
  declarations: string;
  readme: string;
  /** The style sheet of a preview in another theme than its page. */
  themeStyles: string;
  /** Text of the package's custom-elements.json. */
  elements: string;
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
  paintBy(whitePng);
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
    looks: looksAtTheEnd(input.trainers, race.result),
  };
  /** The address of the finished race, seen from this page. */
  const racedFile = (page: string): string =>
    raced ? `${rootOf(page)}${add("training_race", "json", printedText(raced))}` : "";
  const measured = JSON.parse(readFileSync(join(content, "measured.json"), "utf8")) as Measured;
  const problems: string[] = []; // of sentences and charts
  const charts = new Map<string, ChartMarkup>(); // by the page that they are shown on
  const pictures = new Map<Language, Map<string, Thumbnail>>(); // of experiments
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

    const promises = prose.read(told(read(language, "docs/promises.md"), measured));

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
      const chart = chartMarkup(result.figures, stillState(description, result, vocabulary), printed);
      charts.set(`${language}/lab/${description.id}/`, chart);
      const still = stillSvg(chart, language, input.stillStyles(language, chart.compact));
      files.set(`recipes/pictures/${description.id}-${language}.svg`, still);
      const { text, width, height } = thumbnailSvg(chart, language, input.pictureStyles);
      const file = add(`${description.id}-${language}`, "svg", text);
      return [description.id, { file, width, height }];
    };
    const thumbnails = new Map(results.map(thumbnail));
    pictures.set(language, thumbnails);

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
          const onScreen = element(`story-${name}`, attributes, figure.view(sceneOf(figure.start)));
          return withTexts(onScreen) + onPaper;
        };
        const chapter = { file, source, prose, words: words[language], values };
        return readChapter({ ...chapter, figure: printFigure, race: stage });
      });
    const checkElement = element(
      "sqrtdk-check",
      { lang: language, goldens: `${rootOf(`${language}/check/`)}${add("goldens", "json", input.goldens)}` },
      checkView({ vocabulary, check: undefined, problem: "", note: "" }, noCheckActions),
    );
    const documents: Partial<Record<Room, string>> = { models: "", check: checkElement };
    const elsewhereBy = new Map(
      entries.map(({ description: { id } }) => [id, elsewhere.questions[id] ?? ""]),
    );
    const gallery = { language, entries: ordered, elsewhere: elsewhereBy, thumbnails };
    return [
      storyPage({
        ...{ language, words: words[language], chapters },
        titles: new Map(ordered.map((entry) => [entry.description.id, titleOf(entry)])),
        title: named(prose.inline(words[language].title_tex), words[language].title_tex),
        answer: prose.inline(words[language].answer_tex),
        hero: element("sqrtdk-hero", { lang: language }, heroView(stillHero(hero, spread, vocabulary))),
      }),
      galleryPage({
        ...{ ...gallery, words: words[language], prose: document("lab") },
        ...{ room: "lab", path: "lab/", to: (id) => `${id}/` },
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
      ...authorPages({
        ...{ ...gallery, words, vocabulary, document, add, hero, reader: prose },
        ...{ elements: input.elements, themeStyles: input.themeStyles },
        results: new Map(results.map(({ description: { id }, result }) => [id, result])),
        printed: (id) =>
          figure(
            results.find(({ description }) => description.id === id)!,
            {},
          ),
      }),
      prosePage(language, "check", promises, "", "promises"),
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
  const frames = framePages({ ...input, words, thumbnails: pictures.get("en")!, assets });
  for (const [path, html] of frames) files.set(path, dense(html));
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
