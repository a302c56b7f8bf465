// The page for authors: what to embed, a preview, and the recipes of one figure, which web/embed_page/builder.ts keeps up
// with the choice.
import { controls, themes, type Choice } from "../embed_page/choice.ts";
import type { Catalogue } from "../embed_page/catalogue.ts";
import { recipe, recipeKinds, type RecipeKind } from "../embed_page/recipes.ts";
import { escape, languages, rootOf, type Language, type Page, type PageWords } from "./document.ts";
import type { Prose } from "./markdown.ts";
import { prosePage } from "./prose_pages.ts";

export interface EmbedInput {
  language: Language;
  words: Readonly<Record<Language, PageWords>>;
  prose: Prose;
  /** The figures in their groups' order, by the groups' names; "hero" stands alone before them. */
  groups: ReadonlyMap<string, readonly { id: string; title: string }[]>;
  catalogue: Catalogue;
  /** From the site's root. */
  catalogueFile: string;
  themesFile: string;
  /** The figure that the page begins with, and its printed element. */
  figure: string;
  printed: string;
}

const path = "embed/";
/** Pixels that a figure of the laboratory takes in a column of text. */
const usualHeight = 900;

export function embedPage(input: EmbedInput): Page {
  const { language, words, prose, catalogue, figure } = input;
  const page = prosePage(language, "embed", prose, builder(input));
  const choice: Choice = { figure, params: {}, controls: "all", charts: [], theme: "", lang: language };
  const { titles, hash } = catalogue[figure]!;
  const site = rootOf(`${language}/${path}`);
  const around = { site, title: titles[language], hash, height: usualHeight };
  const shown = new Set<string>();
  const main = page.main.replace(
    /<div class="code" data-language="recipe (\w+)">(<pre[^>]*><code>)(<\/code><\/pre>.*?<\/div>)/gs,
    (_, name: string, open: string, close: string) => {
      const kind = recipeKinds.find((each) => each === name);
      if (!kind) throw new Error(`docs/embed.md: there is no recipe ${name}`);
      shown.add(kind);
      const text = escape(recipe(kind, choice, around));
      return `<div class="code" data-recipe="${kind}">${open}${text}${close}${more(kind, words[language])}`;
    },
  );
  const missing = recipeKinds.filter((kind) => !shown.has(kind));
  if (missing.length > 0) throw new Error(`docs/embed.md does not show the recipe ${missing.join(", ")}`);
  return { ...page, main, wasm: true };
}

function more(kind: RecipeKind, words: PageWords): string {
  return kind === "markdown"
    ? `<p><button type="button" class="builder-save" hidden>${escape(words.embed.save_picture)}</button></p>\n`
    : "";
}

function builder({
  language,
  words,
  groups,
  catalogue,
  catalogueFile,
  themesFile,
  figure,
  printed,
}: EmbedInput): string {
  const said = words[language];
  const { charts } = catalogue[figure]!;
  const box = ([name, title]: readonly [string, string]): string =>
    `<label><input type="checkbox" name="charts" value="${name}" autocomplete="off" checked> ${escape(title)}</label>`;
  const root = rootOf(`${language}/${path}`);
  const option = (value: string, text: string, chosen: boolean): string =>
    `<option value="${value}"${chosen ? " selected" : ""}>${escape(text)}</option>`;
  const select = (name: string, label: string, options: string): string =>
    `<label>${escape(label)} <select id="embed-${name}" name="${name}" autocomplete="off">${options}</select></label>`;
  const figures = [...groups].map(
    ([name, members]) =>
      `<optgroup label="${escape(said.groups[name] ?? "")}">${members.map(({ id, title }) => option(id, title, id === figure)).join("")}</optgroup>`,
  );
  return `<fieldset class="builder" data-root="${root}" data-catalogue="${root}${catalogueFile}" data-themes="${root}${themesFile}" data-figure="${figure}" hidden>
          <legend class="visually-hidden">${escape(said.embed.choose)}</legend>
          ${select("figure", said.embed.figure, option("hero", said.embed.hero, false) + figures.join(""))}
          ${select("controls", said.embed.controls, controls.map((name) => option(name, said.embed.controls_of[name], name === "all")).join(""))}
          ${select("theme", said.embed.theme, themes.map((name) => option(name, said.embed.themes[name || "page"], name === "")).join(""))}
          ${select("lang", said.language, languages.map((tag) => option(tag, words[tag].this_language, tag === language)).join(""))}
          <fieldset class="builder-charts" data-of="${figure}"${charts.length < 2 ? " hidden" : ""}><legend>${escape(said.embed.charts)}</legend>${charts.map(box).join("")}</fieldset>
        </fieldset>
        <div class="builder-preview">${printed}</div>
`;
}
