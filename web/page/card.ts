// The picture of a page for those who link to it: what the page asks, and its first chart. SVG whose own text is outlines, and
// whose chart's text is set by the fonts that its styles name.
import { missingCharacters, setText, type Box, type Faces, type TitleFaces } from "./card_text.ts";
import { escape, languageTags, type Language } from "./document.ts";
import type { ChartMarkup } from "./thumbnail.ts";

export const [cardWidth, cardHeight] = [1200, 630];

export interface CardFaces {
  readonly title: TitleFaces;
  readonly text: Faces;
  /** What the chart's styles name, for a check. */
  readonly chart: Faces;
}

/** Colours of web/styles/tokens.css, and the style sheet of charts without variables. */
export interface CardLook {
  readonly paper: string;
  readonly ink: string;
  readonly muted: string;
  readonly hairline: string;
  /** The family that sets signs of formulas in charts: Chinese fonts have them as wide as characters. */
  readonly signs: string;
  /** `compact`: for one of many maps. */
  chartStyles(compact: boolean): string;
}

export interface Card {
  language: Language;
  /** May hold a formula between $ signs. */
  title: string;
  text: string;
  /** The name of the site; "" where that is the title. */
  site: string;
  chart: ChartMarkup | undefined;
}

const margin = 72;
const gutter = 56;
const chartWidth = 500;
const foot = cardHeight - 66; // the baseline of the last line
const leading = { title: { en: 1.16, zh: 1.32 }, text: { en: 1.36, zh: 1.6 } };

export function cardSvg(card: Card, faces: CardFaces, look: CardLook): string {
  const { language, chart } = card;
  const width = cardWidth - 2 * margin - (chart ? chartWidth + gutter : 0);
  const set = (text: string, face: TitleFaces, box: Omit<Box, "width">, within = width) =>
    setText(text, language, face, { ...box, width: within });
  const upright = { upright: faces.text, italic: faces.text };
  const title = set(card.title, faces.title, {
    lines: 4,
    sizes: chart ? [58, 52, 46, 40] : [76, 68, 60, 52],
  });
  const text = set(card.text, upright, { lines: 5, sizes: chart ? [29, 26, 24, 22] : [36, 32, 29, 26] });
  const name = set("sqrtdk", upright, { lines: 1, sizes: [27] });
  const site = card.site && set(card.site, upright, { lines: 1, sizes: [27, 24] }, 760);

  const titleHeight = title.count * title.size * leading.title[language];
  const textHeight = text.count * text.size * leading.text[language];
  const space = 30;
  // In the middle of what is above the last line.
  const top = margin + Math.max(0, (foot - 66 - margin - titleHeight - space - textHeight) / 2);
  const titleAt = top + 0.8 * title.size + ((leading.title[language] - 1) * title.size) / 2;
  const textAt = top + titleHeight + space + text.size;
  const path = (fill: string, data: string): string => `<path fill="${fill}" d="${data}"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${cardWidth}" height="${cardHeight}" lang="${languageTags[language]}">`,
    `<rect width="${cardWidth}" height="${cardHeight}" fill="${look.paper}"/>`,
    path(look.ink, title.path(margin, titleAt, leading.title[language])),
    path(look.muted, text.path(margin, textAt, leading.text[language])),
    `<path stroke="${look.hairline}" stroke-width="2" d="M${margin} ${foot - 50}H${cardWidth - margin}"/>`,
    path(look.ink, name.path(margin, foot, 1)),
    site ? path(look.muted, site.path(margin + 124, foot, 1)) : "",
    chart ? chartPart(chart, faces, look) : "",
    "</svg>",
  ].join("\n");
}

/** The chart as large as its half of the picture allows. */
function chartPart(chart: ChartMarkup, faces: CardFaces, look: CardLook): string {
  const { markup, width, height, compact } = chart;
  const missing = missingCharacters(textOf(markup), faces.chart);
  if (missing.length > 0)
    throw new Error(`no font of the pages' pictures has ${missing.join(" ")} of a chart`);
  const bottom = foot - 50 - 28;
  const scale = Math.min(chartWidth / width, (bottom - margin) / height);
  const x = cardWidth - margin - (chartWidth + width * scale) / 2;
  const y = (margin + bottom - height * scale) / 2;
  const set = markup.replace(
    /[√·](?=[^<>]*<)/g,
    (sign) => `<tspan font-family="${look.signs}">${sign}</tspan>`,
  );
  const at = `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(4)})`;
  return `<style>${escape(look.chartStyles(compact))}</style><g transform="${at}">${set}</g>`;
}

function textOf(markup: string): string {
  const characters = (_: string, digits: string): string => String.fromCodePoint(Number(digits));
  return markup
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, characters)
    .replace(/&(?:lt|gt|amp|quot);|\s/g, "");
}
