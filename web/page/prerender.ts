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
import { articlePage, escape, frontPage, languages, languageTags } from "./document.ts";
import type { Assets, Language, PageWords } from "./document.ts";
import { Formulas } from "./formulas.ts";
import { ProseReader } from "./markdown.ts";
import { pictureAt, picturesSvg } from "./pictures.ts";

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
  const { content, descriptions, run, assets, site } = input;
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
  const words = {
    en: JSON.parse(read("en", "page.json")) as PageWords,
    zh: JSON.parse(read("zh", "page.json")) as PageWords,
  };
  const formulas = new Formulas();
  const hero = run("article_snippet", heroParams);
  const results = descriptions.map((description) => ({
    description,
    result: run(description.id, {}),
  }));

  const articles = languages.map((language) => {
    const prose = new ProseReader(words[language], formulas);
    const vocabulary = input.vocabularies[language];
    return {
      language,
      words: words[language],
      title: prose.inline(words[language].title_tex),
      answer: prose.inline(words[language].answer_tex),
      hero: element("sqrtdk-hero", { lang: language }, heroView(stillHero(hero, vocabulary))),
      sections: results.map(({ description, result }) => {
        const { id } = description;
        // The first is read at once: its charts stand in the page itself. Those of the others are pictures beside it.
        let still: FigureState = { ...stillState(description, result, vocabulary), changing: true }; // no tables
        if (description !== descriptions[0]) {
          const tag = languageTags[language];
          const text = picturesSvg(result.figures, still, tag, input.pictureStyles, printed);
          const path = `../${add(`${id}-${language}`, "svg", text)}`;
          still = { ...still, pictures: (chart) => pictureAt(path, chart) };
        }
        const attributes = { experiment: id, lang: language };
        const figure =
          id === "training_race"
            ? element(
                "sqrtdk-race",
                { ...attributes, result: `../${add(id, "json", JSON.stringify(result))}` },
                raceView(stillRace(description, result, vocabulary, still), noRaceActions),
              )
            : element("sqrtdk-figure", attributes, figureView(still, noActions));
        const check = (): string =>
          element(
            "sqrtdk-check",
            { lang: language, goldens: `../${add("goldens", "json", input.goldens)}` },
            checkView({ vocabulary, check: undefined, problem: "", note: "" }, noCheckActions),
          );
        return {
          id,
          module: description.module,
          question: vocabulary.questions[id] ?? "",
          prose: prose.read(read(language, `lab/${id}.md`)),
          figure: id === "kernel_errors" ? figure + check() : figure,
        };
      }),
      about: prose.read(read(language, "docs/about.md")),
    };
  });

  const style = add("formulas", "css", formulas.css());
  const all = { ...assets, styles: [...assets.styles, style] };
  files.set("index.html", frontPage(words, assets, site));
  for (const article of articles)
    files.set(`${article.language}/index.html`, dense(articlePage(article, all, site)));
  return files;
}

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

/** Without the marks of lit-html's parts: the elements draw anew, with the same result, instead of hydrating. */
function printed(view: TemplateResult): string {
  return collectResultSync(render(view)).replace(/<!--.*?-->|<\?[^>]*>/gs, "");
}
