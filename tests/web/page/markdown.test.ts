import { describe, expect, test } from "vitest";
import { Formulas, named } from "../../../web/page/formulas.ts";
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

  test("marks a Latin term in a Chinese sentence", () => {
    expect(reader().inline("叫 *softmax*，不是*加权*")).toBe(
      '叫 <em lang="en">softmax</em>，不是<em>加权</em>',
    );
    expect(reader().inline("the *softmax*")).toBe("the <em>softmax</em>");
  });

  test("keeps a name with a short end in one line", () => {
    expect(reader().inline("GPT-2, dot-product & *pre-LN*")).toBe(
      '<span class="keep">GPT-2</span>, dot-product &amp; <em><span class="keep">pre-LN</span></em>',
    );
  });

  test("has a sentence for each chart inside its figure", () => {
    const list = "\n\n- `weights`: A bar for each $k_j$.\n- `scores`: *Before* the softmax.\n\n";
    const prose = reader().read(source.replace("></", `>${list}</`));
    expect(prose.figure).toBe("score_variance");
    expect(prose.intro).not.toContain("weights");
    expect(Object.keys(prose.notes)).toEqual(["weights", "scores"]);
    expect(prose.notes["weights"]).toContain("<msub>");
    expect(prose.notes["scores"]).toBe("<em>Before</em> the softmax.");
    expect(reader().read(source).notes).toEqual({});
  });

  test("refuses two sentences for a chart, and what is none", () => {
    const read = (list: string) => () => reader().read(source.replace("></", `>\n\n${list}\n\n</`));
    expect(read("- `weights`: One.\n- `weights`: Two.")).toThrow(/two sentences for the chart weights/);
    expect(read("weights: One.")).toThrow(/not a chart and its sentence: weights: One\./);
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

  test("may begin a line after full-width punctuation", () => {
    const html = reader()
      .inline("即：$x$，$y$，而 $z$。")
      .replaceAll(/<math>.*?<\/math>/g, "#");
    expect(html).toBe(
      `即：<wbr><span class="keep">#，</span><wbr><span class="keep">#，</span>而 <span class="keep">#。</span>`,
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

  test("have names in a heading", () => {
    const name = (source: string): string[] =>
      [...named(reader().inline(source), source).matchAll(/<math aria-label="([^"]*)"/g)].map(
        ([, text = ""]) => text,
      );
    expect(name("Why by $\\sqrt{d_k}$, $\\sqrt d$ and $d$?")).toEqual(["√d_k", "√d", "d"]);
    expect(() => name("Why $\\frac{a}{b}$?")).toThrow(/no name/);
  });

  test("that TeX does not know are refused", () => {
    expect(() => reader().inline("$\\nosuchcommand$")).toThrow();
  });
});

describe("numbers in sentences", () => {
  const values = {
    bound: (of: string, path: string) =>
      of === "attention_steps" && path === "weights > a > b" ? 0.28291 : NaN,
    quoted: (name: string, experiment: string) => ({
      value: name === "share:low" && experiment === "attention_steps" ? 0.3164 : NaN,
      note: "0.3164 ± 0.0012",
    }),
  };
  const read = (text: string): string =>
    reader().read(`---\ntitle: t\n---\n${text}\n`, { id: "attention_steps", params: ["d"] }, values).intro;

  test("of the figure follow it", () => {
    const html =
      '<sqrtdk-value of="attention_steps" path="weights &gt; a &gt; b" format=".3">0.283</sqrtdk-value>';
    expect(read("gives {= weights > a > b .3} of it")).toBe(`<p>gives ${html} of it</p>\n`);
    expect(read("{= #attention_steps weights > a > b .3}")).toContain(html);
  });

  test("that are quoted know how sure they are", () => {
    const html = '<data value="0.3164" title="0.3164 ± 0.0012">31.6%</data>';
    expect(read("in {share:low .1%}, [*{share:low .1%}*](d=64)")).toContain(`in ${html}, <a `);
    expect(read("[{share:low .1%}](d=64)")).toContain(`class="setting">${html}</a>`);
  });

  test("stay on one line with their errors and their powers of ten", () => {
    expect(read("{share .1%} ± {share .1%}, 2 × 10⁻⁷")).toMatch(/>\u00a0±\u00a0<data.*, 2\u00a0×\u00a010⁻⁷/);
  });

  test("in a format that is none are refused, and without a source", () => {
    expect(() => read("{share .1%%}")).toThrow(/not a format/);
    expect(() => reader().inline("{share .1}")).toThrow(/no numbers/);
    expect(() => reader().inline("{= share .1}")).toThrow(/no result/);
  });

  test("are not looked for in code, formulas and other braces", () => {
    expect(read("`{share .1}` and {share} and $x_{1 .1}$")).toContain(
      "<code>{share .1}</code> and {share} and",
    );
  });
});
