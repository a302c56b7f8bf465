// The pages as files: prose, and figures that the native command has computed, in the very markup that the
// elements will draw again. Runs in Node when the site is built.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import type { Description, RunResult } from "../../bindings/types.ts";
import { noActions, stillState } from "../elements/figure_state.ts";
import { figureView } from "../elements/figure_view.ts";
import { heroParams, heroView, stillHero } from "../elements/hero_view.ts";
import { emptyVocabulary, type Vocabulary } from "../elements/vocabulary.ts";
import { articlePage, escape, frontPage, languages } from "./document.ts";
import type { Assets, Language, PageWords } from "./document.ts";
import { Formulas } from "./formulas.ts";
import { ProseReader } from "./markdown.ts";
import { inPageOrder } from "./sections.ts";

export interface SiteInput {
  /** web/content */
  content: string;
  descriptions: readonly Description[];
  run(experiment: string, params: Readonly<Record<string, string>>): RunResult;
  assets: Assets;
  /** Absolute address of the site's root with a final slash, or "". */
  site: string;
}

/** The text of every page and of the formulas' style sheet, by its path from the site's root. */
export function renderSite({ content, descriptions, run, assets, site }: SiteInput): Map<string, string> {
  const read = (language: Language, file: string): string =>
    readFileSync(join(content, language, file), "utf8");
  const words = {
    en: JSON.parse(read("en", "page.json")) as PageWords,
    zh: JSON.parse(read("zh", "page.json")) as PageWords,
  };
  const formulas = new Formulas();
  const hero = run("article_snippet", heroParams);
  const results = inPageOrder(descriptions).map((description) => ({
    description,
    result: run(description.id, {}),
  }));

  const articles = languages.map((language) => {
    const prose = new ProseReader(words[language], formulas);
    const vocabulary = {
      ...emptyVocabulary,
      ...(JSON.parse(read(language, "vocabulary.json")) as Partial<Vocabulary>),
    };
    return {
      language,
      words: words[language],
      title: prose.inline(words[language].title_tex),
      answer: prose.inline(words[language].answer_tex),
      hero: element("sqrtdk-hero", { lang: language }, heroView(stillHero(hero, vocabulary))),
      sections: results.map(({ description, result }) => ({
        id: description.id,
        prose: prose.read(read(language, `${description.id}.md`)),
        figure: element(
          "sqrtdk-figure",
          { experiment: description.id, lang: language },
          figureView(stillState(description, result, vocabulary), noActions),
        ),
      })),
      about: prose.read(read(language, "about.md")),
    };
  });

  const styles = formulas.css();
  const style = `assets/formulas-${createHash("sha256").update(styles).digest("hex").slice(0, 8)}.css`;
  const all = { ...assets, styles: [...assets.styles, style] };
  return new Map([
    [style, styles],
    ["index.html", frontPage(words, assets, site)],
    ...articles.map(
      (article) => [`${article.language}/index.html`, articlePage(article, all, site)] as const,
    ),
  ]);
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
