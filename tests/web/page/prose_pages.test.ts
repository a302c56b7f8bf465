import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { PageWords } from "../../../web/page/document.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";
import { articlesPage, prosePage, reviewed } from "../../../web/page/prose_pages.ts";

const words = JSON.parse(
  readFileSync(new URL("../../../web/content/en/page.json", import.meta.url), "utf8"),
) as PageWords;
const reader = new ProseReader({ copy: "", copied: "" }, new Formulas());
const head = "---\ntitle: T\ndate: D\n---\n\nintro\n\n";

describe("an article's claims", () => {
  test("have verdicts, which are counted, and are folded", () => {
    const review = reviewed(
      reader.read(`${head}## Part\n\n### right: one $x$\n\nwhy\n\n### wrong: two\n\nbecause\n\nand\n`),
      words,
    );
    expect(review.counts).toEqual({ right: 1, imprecise: 0, wrong: 1, untestable: 0 });
    const { main } = articlesPage("en", words, reader.read("---\ntitle: All\n---\n"), [review]);
    expect(main.match(/<details class="review-claim">/g)).toHaveLength(2);
    expect(main).toMatch(
      /<summary><h4><span class="claim-verdict claim-wrong">Wrong<\/span> two<\/h4><\/summary>\s*<p>because<\/p>\s*<p>and<\/p>/,
    );
    expect(main).toContain('<a href="#article-1">T</a>');
    expect(main).toContain('<span class="claim-verdict claim-right">Right</span> 1 · ');
  });

  test("without a verdict are refused", () => {
    for (const heading of ["right", "maybe: one", "one"])
      expect(() => reviewed(reader.read(`${head}## Part\n\n### ${heading}\n\nwhy\n`), words)).toThrow(
        /verdict/,
      );
  });
});

test("an element stands between the introduction and the parts", () => {
  const { main } = prosePage("en", "check", reader.read(`${head}## Part\n\ntext\n`), "<x-y></x-y>");
  expect(main.replace(/\s+/g, "")).toMatch(/<p>intro<\/p><\/div><x-y><\/x-y><sectionclass="part">/);
});

describe("links in an experiment's prose", () => {
  const read = (text: string) =>
    reader.read(`---\ntitle: T\n---\n\n${text}\n`, { id: "x", params: ["d", "n_keys"] }).intro;

  test("set its figure's controls", () => {
    expect(read("[Take 64.](d=32,64&n_keys=64) More.")).toContain(
      '<a href="#x&amp;x.d=32%2C64&amp;x.n_keys=64" class="setting">Take 64.</a> More.',
    );
    expect(read("[elsewhere](../y/)")).toContain('<a href="../y/">');
  });

  test("that set nothing that it has are refused", () => {
    expect(() => read("[a](nonsense=1)")).toThrow(/x: the prose sets nonsense/);
  });
});
