import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { escape, frontPage, pageHtml, rootOf, sitemap } from "../../../web/page/document.ts";
import type { Assets, Frame, Page, PageWords } from "../../../web/page/document.ts";

const words = (language: string): PageWords =>
  JSON.parse(
    readFileSync(new URL(`../../../web/content/${language}/page.json`, import.meta.url), "utf8"),
  ) as PageWords;

const assets: Assets = {
  styles: ["assets/site.css"],
  vocabularies: { en: "assets/en.js", zh: "assets/zh.js" },
  wasm: "assets/kernels.wasm",
  early: "assets/early.js",
  script: "assets/boot.js",
  choose: "assets/choose.js",
  frame: "assets/frame.js",
  frameStyle: "assets/frame.css",
  icon: "assets/icon.svg",
};
const frame: Frame = { words: { en: words("en"), zh: words("zh") }, assets, site: "", pictures: new Map() };
const page: Page = {
  language: "zh",
  path: "lab/x/",
  title: "T & t",
  description: "D",
  room: "lab",
  main: "<em>prepared</em>\n",
};

describe("a page", () => {
  test("knows its address only where the site has one, and a picture that it has", () => {
    const nowhere = pageHtml(page, frame);
    expect(nowhere).not.toMatch(/canonical|rel="alternate"|og:url|og:image|twitter/);
    const picture = { file: "pictures/x.png", width: 1200, height: 630, alt: "T & D" };
    const pictures = new Map([["zh/lab/x/", picture]]);
    const somewhere = pageHtml(page, { ...frame, site: "https://example.org/a/", pictures });
    for (const tag of [
      '<link rel="canonical" href="https://example.org/a/zh/lab/x/">',
      '<link rel="alternate" hreflang="en" href="https://example.org/a/en/lab/x/">',
      '<link rel="alternate" hreflang="x-default" href="https://example.org/a/en/lab/x/">',
      '<meta property="og:url" content="https://example.org/a/zh/lab/x/">',
      '<meta property="og:image" content="https://example.org/a/pictures/x.png">',
      '<meta property="og:image:width" content="1200">',
      '<meta property="og:image:height" content="630">',
      '<meta property="og:image:alt" content="T &#38; D">',
      '<meta name="twitter:card" content="summary_large_image">',
    ])
      expect(somewhere).toContain(tag);
  });

  test("names files from where it stands, in its own language", () => {
    expect(rootOf("zh/lab/x/")).toBe("../../../");
    const text = pageHtml({ ...page, wasm: true }, frame);
    expect(text).toContain(
      '<script src="../../../assets/early.js" data-script="../../../assets/boot.js" data-wasm="../../../assets/kernels.wasm"></script>',
    );
    expect(text).toContain('<link rel="modulepreload" fetchpriority="low" href="../../../assets/zh.js">');
    expect(text).not.toContain("assets/en.js");
    expect(pageHtml(page, frame)).not.toContain("kernels.wasm");
  });

  test("leads to the rooms, to itself in the other language, and to the start", () => {
    const text = pageHtml(page, frame);
    expect(text).toContain('<a href="../../lab/" aria-current="true">');
    expect(text).toContain('<a href="../../articles/">');
    expect(text).toContain('hreflang="en" href="../../../en/lab/x/"');
    expect(text).toContain('<a href="../../">sqrtdk</a>');
    expect(pageHtml({ ...page, path: "lab/" }, frame)).toContain('<a href="../lab/" aria-current="page">');
    expect(pageHtml({ ...page, path: "", room: undefined }, frame)).toContain('<a href="./">sqrtdk</a>');
  });

  test("escapes words but keeps prepared markup", () => {
    const text = pageHtml(page, frame);
    expect(text).toContain("<title>T &#38; t</title>");
    expect(text).toContain("<em>prepared</em>");
    expect(escape(`<a b="c">&`)).toBe("&#60;a b=&#34;c&#34;&#62;&#38;");
  });

  test("names the sections that have moved", () => {
    expect(pageHtml({ ...page, moved: ["a", "b"] }, frame)).toContain(' data-moved="a b"');
  });
});

test("the front page shows both languages without a script", () => {
  const text = frontPage(frame);
  for (const language of ["en", "zh"] as const)
    expect(text).toContain(`href="${language}/">${words(language).title}</a>`);
  expect(text).toContain('<script src="assets/choose.js"></script>');
});

test("the sitemap names each page in both languages", () => {
  const text = sitemap(["", "lab/"], "https://example.org/");
  expect(text.match(/<loc>[^<]+/g)).toEqual(
    ["en/", "zh/", "en/lab/", "zh/lab/"].map((path) => `<loc>https://example.org/${path}`),
  );
  expect(text).toContain('hreflang="zh-CN" href="https://example.org/zh/lab/"');
});
