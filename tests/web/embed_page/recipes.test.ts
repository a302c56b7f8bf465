import { describe, expect, test } from "vitest";
import { changed, lookDefaults, lookTexts, readLook, type Choice } from "../../../web/embed_page/choice.ts";
import { elementOf, recipe, type Around } from "../../../web/embed_page/recipes.ts";

const around: Around = {
  site: "https://example.org/a/",
  title: 'Is "0 < d & e"?',
  hash: "0123456789abcdef",
  height: 640,
};
const choice: Choice = {
  figure: "score_variance",
  params: { d: "32,128", scale: "1/sqrt(d)" },
  controls: "few",
  charts: ["variance", "std"],
  theme: "dark",
  lang: "zh",
};
const plain: Choice = { ...choice, params: {}, controls: "all", charts: [], theme: "", lang: "en" };

describe("a recipe", () => {
  test("is a tag with what differs from the defaults", () => {
    expect(recipe("tag", choice, around)).toBe(
      '<script type="module" src="https://example.org/a/embed/sqrtdk.auto.js"></script>\n' +
        '<sqrtdk-figure experiment="score_variance" d="32,128" scale="1/sqrt(d)" controls="few" charts="variance,std" lang="zh" style="background: #161614"></sqrtdk-figure>',
    );
    expect(recipe("tag", plain, around)).toContain(
      '\n<sqrtdk-figure experiment="score_variance" lang="en"></sqrtdk-figure>',
    );
  });

  test("is a frame whose query says the same", () => {
    const frame = recipe("frame", choice, around);
    const src = /src="([^"]+)"/.exec(frame)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const { pathname, searchParams } = new URL(src);
    expect(pathname).toBe("/a/embed/score_variance.html");
    expect(Object.fromEntries(searchParams)).toEqual({
      ...choice.params,
      ...{ controls: "few", charts: "variance,std", theme: "dark", lang: "zh" },
    });
    expect(src).toContain("d=32,128&"); // as one would write it
    expect(frame).toContain('title="Is &quot;0 &lt; d &amp; e&quot;?"');
    expect(frame).toContain('height="640"');
  });

  test("is a component with a name and quotes of JavaScript", () => {
    const text = recipe("react", { ...choice, params: { text: 'a "b"\nc' } }, around);
    expect(text).toContain('import "sqrtdk/elements/figure";');
    expect(text).toContain("export function ScoreVariance()");
    expect(text).toContain(' text={"a \\"b\\"\\nc"}');
    expect(recipe("react", { ...plain, figure: "training_race" }, around)).toContain(
      'import "sqrtdk/elements/race";',
    );
  });

  test("is a cell of a notebook", () => {
    expect(recipe("notebook", choice, around)).toBe(
      'from sqrtdk import Figure\n\nFigure("score_variance", d="32,128", scale="1/sqrt(d)", controls="few", charts="variance,std", lang="zh")',
    );
  });

  test("is a picture with a link that reproduces it, and the hash", () => {
    const link =
      "https://example.org/a/zh/lab/score_variance/#score_variance&score_variance.d=32%2C128&score_variance.scale=1%2Fsqrt%28d%29";
    expect(recipe("markdown", choice, around)).toBe(
      `[![Is "0 < d & e"?](score_variance-0123456789abcdef.png)](${link})\n\n[Is "0 < d & e"?](${link}) · 0123456789abcdef`,
    );
    expect(recipe("html", choice, around)).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
    expect(recipe("html", plain, { ...around, hash: "" })).toBe(
      '<p><a href="https://example.org/a/en/lab/score_variance/"><img src="score_variance.png" alt="Is &quot;0 &lt; d &amp; e&quot;?"></a></p>\n' +
        '<p><a href="https://example.org/a/en/lab/score_variance/">Is &quot;0 &lt; d &amp; e&quot;?</a></p>',
    );
  });

  test("knows the elements that are no experiment's", () => {
    expect(["hero", "training_race", "score_variance"].map(elementOf)).toEqual([
      "sqrtdk-hero",
      "sqrtdk-race",
      "sqrtdk-figure",
    ]);
    expect(recipe("tag", { ...plain, figure: "hero", params: { d: "64" } }, around)).toContain(
      '<sqrtdk-hero d="64" lang="en"></sqrtdk-hero>',
    );
    expect(recipe("markdown", { ...plain, figure: "hero", params: { d: "64" } }, around)).toContain(
      "(https://example.org/a/en/#hero&hero.d=64)",
    );
  });
});

describe("a choice in the address", () => {
  const defaults = lookDefaults("score_variance", "en");
  const known = new Set(["score_variance", "hero"]);

  test("comes back as it was", () => {
    const look = { ...choice, params: undefined };
    expect(readLook(lookTexts(look), known, defaults)).toEqual(look);
    expect(lookTexts(readLook(defaults, known, defaults))).toEqual(defaults);
  });

  test("is the default where it means nothing", () => {
    const hostile = { figure: "<script>", controls: "most", charts: "a,<b>,c", theme: "url(x)", lang: "fr" };
    expect(lookTexts(readLook(hostile, known, defaults))).toEqual({ ...defaults, charts: "a,c" });
  });

  test("names what was changed", () => {
    expect(changed({ d: "1", n: "2" }, { d: "1", n: "3" })).toEqual({ n: "2" });
  });
});
