// The HTML of the site's pages: plain strings, relative addresses, no inline script or style.
import type { Module } from "../elements/modules.ts";
import type { Part, Prose } from "./markdown.ts";

export type Language = "en" | "zh";
export const languages: readonly Language[] = ["en", "zh"];

/** web/content/{en,zh}/page.json */
export interface PageWords {
  title: string;
  title_tex: string; // with a formula
  description: string;
  answer_tex: string;
  hero_caption: string;
  noscript: string;
  skip: string;
  contents: string;
  language: string;
  this_language: string;
  other_language: string;
  source: string;
  separator: string; // between "Source" and what it is
  copy: string;
  copied: string;
  offline: string;
}

export interface Section {
  id: string;
  module: Module; // that computes its figure
  question: string;
  prose: Prose;
  figure: string; // the element with its prerendered content
}

export interface Article {
  language: Language;
  words: PageWords;
  title: string; // HTML, with its formula
  answer: string;
  hero: string;
  sections: Section[];
  about: Prose;
}

/** Files of the client build, relative to the site's root. */
export interface Assets {
  styles: string[];
  preloads: string[]; // modules that the script imports
  vocabularies: Record<Language, string>; // modules with the elements' words
  wasm: string; // of the first figures
  early: string; // script that does not wait for the page
  script: string;
  choose: string; // script of the front page
  icon: string;
}

export const languageTags: Record<Language, string> = { en: "en", zh: "zh-CN" };
const locales: Record<Language, string> = { en: "en_US", zh: "zh_CN" };

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html default",
].join("; ");

export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

interface Head {
  language: Language;
  words: PageWords;
  root: string; // from the page to the site's root
  path: string; // from the site's root to the page
  assets: Assets;
  early: string; // a script, before what it would have to wait for: style sheets
  links: string[];
  site: string; // absolute address of the root, or "" where it is not known
}

function head({ language, words, root, path, assets, early, links, site }: Head): string {
  const absolute = site && [
    `<link rel="canonical" href="${escape(site + path)}">`,
    ...languages.map(
      (tag) => `<link rel="alternate" hreflang="${languageTags[tag]}" href="${escape(`${site}${tag}/`)}">`,
    ),
    `<link rel="alternate" hreflang="x-default" href="${escape(site)}">`,
    `<meta property="og:url" content="${escape(site + path)}">`,
  ];
  return `<!DOCTYPE html>
<html lang="${languageTags[language]}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(words.title)}</title>
    <meta name="description" content="${escape(words.description)}">
    <meta name="color-scheme" content="light dark">
    <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fdfcfa">
    <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#161614">
    <meta property="og:type" content="article">
    <meta property="og:site_name" content="sqrtdk">
    <meta property="og:title" content="${escape(words.title)}">
    <meta property="og:description" content="${escape(words.description)}">
    <meta property="og:locale" content="${locales[language]}">
    <link rel="icon" type="image/svg+xml" href="${root}${assets.icon}">
    ${[...(absolute || []), early, ...assets.styles.map((file) => `<link rel="stylesheet" href="${root}${file}">`), ...links].join("\n    ")}
  </head>
`;
}

export function articlePage(article: Article, assets: Assets, site: string): string {
  const { language, words, sections, about } = article;
  const other: Language = language === "en" ? "zh" : "en";
  const root = "../";
  const first = sections.filter(({ module }) => module === "first").map(({ id }) => id);
  const early = `<script src="${root}${assets.early}" data-wasm="${root}${assets.wasm}" data-sections="${["article", "hero", ...first].join(" ")}"></script>`;
  const links = [
    ...[...assets.preloads, assets.vocabularies[language]].map(
      (file) => `<link rel="modulepreload" href="${root}${file}">`,
    ),
    `<script type="module" src="${root}${assets.script}"></script>`,
  ];
  return `${head({ language, words, root, path: `${language}/`, assets, early, links, site })}  <body>
    <a class="skip" href="#article">${escape(words.skip)}</a>
    <header class="masthead">
      <p class="wordmark" translate="no">sqrtdk</p>
      <nav aria-label="${escape(words.language)}">
        <a id="other-language" lang="${languageTags[other]}" hreflang="${languageTags[other]}" href="${root}${other}/">${escape(words.other_language)}</a>
      </nav>
    </header>
    <main id="article">
      <div class="hero" id="hero">
        <h1>${article.title}</h1>
        <p class="answer">${article.answer}</p>
        ${article.hero}
        <p class="caption">${escape(words.hero_caption)}</p>
        <noscript><p class="caption">${escape(words.noscript)}</p></noscript>
      </div>
      <nav class="contents" aria-label="${escape(words.contents)}">
        <ol>
${[...sections.map((each) => [each.id, each.prose] as const), ["about", about] as const]
  .map(([id, prose]) => `          <li><a href="#${id}">${escape(prose.fields["title"] ?? "")}</a></li>`)
  .join("\n")}
        </ol>
      </nav>
${sections.map((section) => figureSection(section, words)).join("")}${aboutSection(about)}    </main>
    <footer class="colophon"><p>${escape(words.offline)}</p></footer>
  </body>
</html>
`;
}

function figureSection({ id, question, prose, figure }: Section, words: PageWords): string {
  const { title = "", source = "" } = prose.fields;
  return `      <section class="claim" id="${id}" aria-labelledby="${id}-title">
        <div class="text">
          <h2 id="${id}-title"><a href="#${id}">${escape(title)}</a></h2>
          <p class="question">${escape(question)}</p>
          <div class="note source" role="note"><p>${escape(words.source)}${escape(words.separator)}${escape(source)}</p></div>
${prose.intro}        </div>
        ${figure}
${prose.parts.map(part).join("")}      </section>
`;
}

function aboutSection({ fields, parts }: Prose): string {
  return `      <section class="claim" id="about" aria-labelledby="about-title">
        <div class="text"><h2 id="about-title"><a href="#about">${escape(fields["title"] ?? "")}</a></h2></div>
${parts.map(part).join("")}      </section>
`;
}

function part({ heading, html }: Part): string {
  return `        <div class="part">
          <h3>${heading}</h3>
          <div class="text">
${html}          </div>
        </div>
`;
}

/** The page at the root: sends the reader on by a script; without one, shows both titles as links. */
export function frontPage(words: Record<Language, PageWords>, assets: Assets, site: string): string {
  const early = `<script src="${assets.choose}"></script>`;
  const choices = languages
    .map((tag) => {
      const { title, this_language } = words[tag];
      const attributes = `lang="${languageTags[tag]}" hreflang="${languageTags[tag]}" href="${tag}/"`;
      return `        <li><a ${attributes}>${escape(title)}</a> <span lang="${languageTags[tag]}">${escape(this_language)}</span></li>`;
    })
    .join("\n");
  return `${head({ language: "en", words: words.en, root: "", path: "", assets, early, links: [], site })}  <body>
    <main class="front">
      <h1 translate="no">sqrtdk</h1>
      <ul>
${choices}
      </ul>
    </main>
  </body>
</html>
`;
}
