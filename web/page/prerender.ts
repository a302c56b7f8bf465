// The pages as files: prose, and figures that the native command has computed, in the very markup that the
// elements will draw again. Runs in Node when the site is built.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import type { Description, RunResult } from "../../bindings/api/types.ts";
import { checkView, noCheckActions } from "../check/check_view.ts";
import { noActions, stillState, type FigureState } from "../elements/figure_state.ts";
import { figureView } from "../elements/figure_view.ts";
import { addExperimentParts } from "../elements/experiment_parts.ts";
import { noRaceActions, raceView, stillRace } from "../race/race_view.ts";
import { heroParams, heroView, stillHero } from "../elements/hero_view.ts";
import type { Vocabulary } from "../words/vocabulary.ts";
import { frontPage, languages, otherThan, pageHtml, rootOf, escape, sitemap } from "./document.ts";
import type { Assets, Frame, Language, Page, PageWords, Room } from "./document.ts";
import { Formulas } from "./formulas.ts";
import { galleryPage, inOrder, type Thumbnail } from "./gallery.ts";
import { labPage, type Entry } from "./lab_page.ts";
import { ProseReader, type Prose } from "./markdown.ts";
import { articlesPage, homePage, prosePage, reviewed } from "./prose_pages.ts";
import { thumbnailSvg } from "./thumbnail.ts";

export interface SiteInput {
  /** web/content */
  content: string;
  /** In the page's order. */
  descriptions: readonly Description[];
  vocabularies: Readonly<Record<Language, Vocabulary>>;
  run(experiment: string, params: Readonly<Record<string, string>>): RunResult;
  assets: Assets;
  /** The style sheet of pictures of charts. */
  pictureStyles: string;
  /** Text of tests/golden/hashes.json: what the native command computes. */
  goldens: string;
  /** Absolute address of the site's root with a final slash, or "". */
  site: string;
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
  const results = input.descriptions.map((description) => ({
    description,
    result: input.run(description.id, {}),
  }));
  type Computed = (typeof results)[number];

  const pagesOf = (language: Language): Page[] => {
    const prose = new ProseReader(words[language], formulas);
    const vocabulary = input.vocabularies[language];
    const elsewhere = input.vocabularies[otherThan(language)];
    const document = (name: string): Prose => prose.read(read(language, `docs/${name}.md`));

    const figure = ({ description, result }: Computed): string => {
      const { id } = description;
      const still: FigureState = {
        ...stillState(description, result, vocabulary),
        ...{ printed: true, changing: true }, // without tables
      };
      const attributes = { experiment: id, lang: language };
      if (id !== "training_race")
        return filled(element("sqrtdk-figure", attributes, figureView(still, noActions)), still.texts);
      const file = `${rootOf(`${language}/lab/${id}/`)}${add(id, "json", JSON.stringify(result))}`;
      const view = raceView(stillRace(description, result, vocabulary, still), noRaceActions);
      return element("sqrtdk-race", { ...attributes, result: file }, view);
    };
    const entries = results.map((computed): Entry => {
      const { id, params } = computed.description;
      const settable = { id, params: params.map(({ name }) => name) };
      return {
        description: computed.description,
        question: vocabulary.questions[id] ?? "",
        prose: prose.read(read(language, `lab/${id}.md`), settable),
        figure: figure(computed),
      };
    });
    const thumbnail = ({ description, result }: Computed): [string, Thumbnail] => {
      const still = stillState(description, result, vocabulary);
      const { text, width, height } = thumbnailSvg(
        result.figures,
        still,
        language,
        input.pictureStyles,
        printed,
      );
      const file = add(`${description.id}-${language}`, "svg", text);
      return [description.id, { file: `${rootOf(`${language}/lab/`)}${file}`, width, height }];
    };

    const ordered = inOrder(entries, words[language]);
    const checkElement = element(
      "sqrtdk-check",
      { lang: language, goldens: `${rootOf(`${language}/check/`)}${add("goldens", "json", input.goldens)}` },
      checkView({ vocabulary, check: undefined, problem: "", note: "" }, noCheckActions),
    );
    const documents: Partial<Record<Room, string>> = { models: "", embed: "", check: checkElement };
    return [
      homePage({
        ...{ language, words: words[language], entries: ordered, prose: document("home") },
        title: prose.inline(words[language].title_tex),
        answer: prose.inline(words[language].answer_tex),
        hero: element("sqrtdk-hero", { lang: language }, heroView(stillHero(hero, vocabulary))),
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
        articleFiles.map((file) => reviewed(prose.read(read(language, `articles/${file}`)), words[language])),
      ),
      ...Object.entries(documents).map(([room, text]) =>
        prosePage(language, room as Room, document(room), text),
      ),
    ];
  };

  const pages = languages.flatMap(pagesOf);
  const style = add("formulas", "css", formulas.css());
  const frame: Frame = {
    words,
    assets: { ...assets, styles: [...assets.styles, style] },
    site,
    pictures: new Map(),
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

/** Of the articles, in the order of their numbers. */
const articleFiles = [1, 2, 3, 4, 5].map((number) => `${number}.md`);

/** Without spaces that mean nothing, which are a kilobyte, but for texts that keep them. */
function dense(html: string): string {
  return html
    .split(/(<(?:pre|textarea)[ >].*?<\/(?:pre|textarea)>)/s)
    .map((text, index) =>
      index % 2 === 1 ? text : text.replace(/[ \n]+(\/?>)?/g, (_, end?: string) => end ?? " "),
    )
    .join("");
}

function element(tag: string, attributes: Record<string, string>, view: TemplateResult): string {
  const text = Object.entries({ ...attributes, prerendered: "" }).map(
    ([name, value]) => ` ${name}="${escape(value)}"`,
  );
  return `<${tag}${text.join("")}>${printed(view)}</${tag}>`;
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
