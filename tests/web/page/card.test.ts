// The pages' pictures: as large as they say, one for each page, every character in a font, text inside its column.
import { describe, expect, test } from "vitest";
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { hasChineseFonts, picturesIn } from "../../../scripts/lib/pictures.mjs";
import { cardHeight, cardSvg, cardWidth, type Card } from "../../../web/page/card.ts";
import { setText } from "../../../web/page/card_text.ts";
import { cards } from "../../../web/page/cards.ts";
import type { Language, Page, PageWords } from "../../../web/page/document.ts";
import { chartMarkup } from "../../../web/page/thumbnail.ts";
import { stillState } from "../../../web/elements/figure_state.ts";
import { fixture, vocabularyOf } from "../elements/fixtures/load.ts";

const print = (view: unknown): string =>
  collectResultSync(render(view)).replace(/<!--.*?-->|<\?[^>]*>/gs, "");
const chartIn = (language: Language) => {
  const { description, result } = fixture("article_snippet");
  return chartMarkup(result.figures, stillState(description, result, vocabularyOf(language)), print);
};
const languages: readonly Language[] = hasChineseFonts() ? ["en", "zh"] : ["en"];
if (languages.length < 2) console.warn("the Chinese pictures are left out: fonts-noto-cjk is not installed");
const card = (language: Language): Card => ({
  language,
  title:
    language === "en" ? "Why does attention divide by $\\sqrt{d_k}$?" : "注意力为什么要除以 $\\sqrt{d_k}$？",
  text: language === "en" ? "Drag the dimension, and see." : "拖动维度，看 softmax 如何饱和。",
  site: "",
  chart: chartIn(language),
});

/** Width, height, and how many of the pixels' bytes are there. */
function sizeOf(png: Buffer): { signature: string; width: number; height: number } {
  return {
    signature: png.subarray(1, 4).toString("latin1"),
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
  };
}

describe.each(languages)("a picture in %s", (language) => {
  const { faces, look, draw } = picturesIn(language);

  test("is a PNG of the size that the page tells, and shows the chart", () => {
    const svg = cardSvg(card(language), faces, look);
    const png = draw(svg);
    expect(sizeOf(png)).toEqual({ signature: "PNG", width: cardWidth, height: cardHeight });
    expect(svg).toContain('class="chart-svg"');
    expect(svg).not.toMatch(/var\(|NaN|undefined|@container/);
    // Without the chart there is less to draw, and without words still less.
    const bare = draw(cardSvg({ ...card(language), chart: undefined }, faces, look));
    expect(bare.length).toBeLessThan(png.length);
  });

  test("is not drawn with a character that no font has", () => {
    expect(() => cardSvg({ ...card(language), title: "\u{1F9EE}" }, faces, look)).toThrow('has "\u{1F9EE}"');
    const chart = { ...card(language).chart!, markup: "<text>\u{1F9EE}</text>" };
    expect(() => cardSvg({ ...card(language), chart }, faces, look)).toThrow("\u{1F9EE} of a chart");
  });

  test("breaks its text into even lines that fit, and refuses what is too long", () => {
    const { text } = faces;
    const upright = { upright: text, italic: text };
    const said =
      language === "en"
        ? "How much gradient passes through the softmax, at the start?"
        : "有多少梯度能穿过 softmax？开始时如何，训练中又如何？";
    const at = (width: number, lines = 9) =>
      setText(said, language, upright, { width, lines, sizes: [30, 20] });
    expect(at(3000).count).toBe(1);
    expect(at(400).count).toBeGreaterThan(1);
    const xs = [
      ...at(400)
        .path(0, 0, 1.4)
        .matchAll(/[ML](-?[\d.]+) /g),
    ].map(([, x]) => Number(x));
    expect(Math.max(...xs)).toBeLessThanOrEqual(400);
    expect(() => at(60, 2)).toThrow("has no room for");
    expect(() => setText("$\\frac{a}{b}$", language, upright, { width: 900, lines: 1, sizes: [30] })).toThrow(
      "cannot set the formula",
    );
  });
});

test("each page has one, named after it, with words for those who do not see it", () => {
  const { faces, look } = picturesIn("en");
  const page = (path: string, title: string): Page => ({
    language: "en",
    path,
    title,
    description: "D",
    main: "",
  });
  const words = { title: "Why?", title_tex: "Why $\\sqrt{d_k}$?" } as PageWords;
  const drawn: string[] = [];
  const pictures = cards(
    [page("", "Why?"), page("lab/x/", "X · sqrtdk")],
    new Map([["en/lab/x/", chartIn("en")]]),
    { en: words, zh: words },
    {
      looks: { en: { faces, look }, zh: { faces, look } },
      add: (name, _, svg) => {
        drawn.push(svg);
        return `pictures/${name}.png`;
      },
    },
  );
  expect([...pictures.keys()]).toEqual(["en/", "en/lab/x/", ""]);
  expect(pictures.get("")).toBe(pictures.get("en/"));
  expect(pictures.get("en/lab/x/")).toEqual({
    file: "pictures/en-lab-x.png",
    width: cardWidth,
    height: cardHeight,
    alt: "X — D",
  });
  expect(drawn.map((svg) => svg.includes("chart-svg"))).toEqual([false, true]);
});
