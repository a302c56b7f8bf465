import { describe, expect, test } from "vitest";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";

const words = { copy: "Copy", copied: "Copied" };
const reader = (formulas = new Formulas()): ProseReader => new ProseReader(words, formulas);
const source = `---
title: A title: with a colon
---

One $x_1$, two.

> A note.

<sqrtdk-figure experiment="score_variance"></sqrtdk-figure>

## First

- item

## Second

text
`;

describe("prose", () => {
  test("is split into fields, introduction, figure and parts", () => {
    const prose = reader().read(source);
    expect(prose.fields).toEqual({ title: "A title: with a colon" });
    expect(prose.figure).toBe("score_variance");
    expect(prose.intro).toContain('<div class="note" role="note">\n<p>A note.</p>');
    expect(prose.intro).not.toContain("sqrtdk-figure");
    expect(prose.parts.map(({ heading }) => heading)).toEqual(["First", "Second"]);
    expect(prose.parts[0]?.html).toContain("<li>item</li>");
  });

  test("without fields is refused", () => {
    expect(() => reader().read("# plain")).toThrow(/fields/);
    expect(() => reader().read("---\nno colon\n---\n")).toThrow(/not a field/);
  });

  test("escapes what looks like HTML", () => {
    expect(reader().inline("<script>alert(1)</script>")).not.toContain("<script");
    expect(reader().block("```html\n<b>&</b>\n```")).toContain("&lt;b&gt;&amp;&lt;/b&gt;");
  });
});

describe("formulas", () => {
  test("become MathML and keep their underscores", () => {
    const html = reader().inline("$a_1$ and _em_ and $b_2$");
    expect(html).toContain("<msub><mi>a</mi><mn>1</mn></msub>");
    expect(html).toContain("<msub><mi>b</mi><mn>2</mn></msub>");
    expect(html).toContain("<em>em</em>");
  });

  test("hold on to the punctuation that follows", () => {
    expect(reader().inline("so $x$, but $y$ too")).toMatch(
      /<span class="keep"><math>.*?<\/math>,<\/span> but <math>/,
    );
  });

  test("are not looked for in code", () => {
    const html = reader().block("`$HOME/a` and `$PATH`, $x$\n\n```sh\necho $HOME $$ $PATH $$\n```");
    expect(html).toContain("<code>$HOME/a</code> and <code>$PATH</code>, <math>");
    expect(html).toContain("<code>echo $HOME $$ $PATH $$</code>");
  });

  test("write no inline style: each becomes a rule", () => {
    const formulas = new Formulas();
    const html = reader(formulas).block("$$\\frac{a}{b}$$");
    expect(html).not.toContain("style=");
    const name = /class="(f-[0-9a-f]{8}) /.exec(html)?.[1];
    expect(formulas.css()).toContain(`.${name ?? "?"}{display:block math!important}`);
  });

  test("that TeX does not know are refused", () => {
    expect(() => reader().inline("$\\nosuchcommand$")).toThrow();
  });
});
