import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { articlePage, escape, frontPage } from "../../../web/page/document.ts";
import type { Article, Assets, PageWords } from "../../../web/page/document.ts";

const words = (language: string): PageWords =>
  JSON.parse(
    readFileSync(new URL(`../../../web/content/${language}/page.json`, import.meta.url), "utf8"),
  ) as PageWords;

const assets: Assets = {
  styles: ["assets/site.css"],
  preloads: ["assets/shared.js"],
  vocabularies: { en: "assets/en.js", zh: "assets/zh.js" },
  wasm: "assets/kernels.wasm",
  early: "assets/early.js",
  script: "assets/boot.js",
  choose: "assets/choose.js",
  icon: "assets/icon.svg",
};
const prose = {
  fields: { title: "T & t", source: "S" },
  intro: "<p>i</p>",
  figure: "x",
  parts: [],
};
const article: Article = {
  language: "zh",
  words: words("zh"),
  title: "<em>title</em>",
  answer: "answer",
  hero: "<sqrtdk-hero></sqrtdk-hero>",
  sections: [
    { id: "x", module: "first", question: "Q", prose, figure: "<sqrtdk-figure></sqrtdk-figure>" },
    { id: "y", module: "experiments", question: "Q", prose, figure: "<sqrtdk-figure></sqrtdk-figure>" },
  ],
  about: prose,
};

describe("a page", () => {
  test("knows its address only where the site has one", () => {
    const nowhere = articlePage(article, assets, "");
    expect(nowhere).not.toMatch(/canonical|rel="alternate"|og:url/);
    const somewhere = articlePage(article, assets, "https://example.org/a/");
    expect(somewhere).toContain('<link rel="canonical" href="https://example.org/a/zh/">');
    expect(somewhere).toContain('<link rel="alternate" hreflang="en" href="https://example.org/a/en/">');
    expect(somewhere).toContain('<meta property="og:url" content="https://example.org/a/zh/">');
  });

  test("preloads what its script needs, in its own language", () => {
    const page = articlePage(article, assets, "");
    expect(page).toContain(
      '<script src="../assets/early.js" data-wasm="../assets/kernels.wasm" data-sections="article hero x"></script>',
    );
    expect(page).toContain('<link rel="modulepreload" href="../assets/shared.js">');
    expect(page).toContain('<link rel="modulepreload" href="../assets/zh.js">');
    expect(page).not.toContain("assets/en.js");
  });

  test("escapes words but keeps prepared markup", () => {
    const page = articlePage(article, assets, "");
    expect(page).toContain("T &#38; t");
    expect(page).toContain("<h1><em>title</em></h1>");
    expect(escape(`<a b="c">&`)).toBe("&#60;a b=&#34;c&#34;&#62;&#38;");
  });

  test("links to the other language from its own", () => {
    expect(articlePage(article, assets, "")).toContain('hreflang="en" href="../en/"');
    expect(articlePage({ ...article, language: "en" }, assets, "")).toContain(
      'hreflang="zh-CN" href="../zh/"',
    );
  });
});

test("the front page shows both languages without a script", () => {
  const page = frontPage({ en: words("en"), zh: words("zh") }, assets, "");
  for (const language of ["en", "zh"])
    expect(page).toContain(`href="${language}/">${words(language).title}</a>`);
  expect(page).toContain('<script src="assets/choose.js"></script>');
});
