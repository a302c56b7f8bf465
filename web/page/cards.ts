// A picture of every page, for those who link to it.
import { cardHeight, cardSvg, cardWidth, type CardFaces, type CardLook } from "./card.ts";
import type { Language, Page, PageWords, Picture } from "./document.ts";
import type { ChartMarkup } from "./thumbnail.ts";

export interface PictureMaker {
  looks: Readonly<Record<Language, { faces: CardFaces; look: CardLook }>>;
  /** Draws an SVG, and tells the file from the site's root. */
  add(name: string, language: Language, svg: string): string;
}

/** By a page's path from the site's root, as `charts` are; the page at the root has the English start's. */
export function cards(
  pages: readonly Page[],
  charts: ReadonlyMap<string, ChartMarkup>,
  words: Readonly<Record<Language, PageWords>>,
  { looks, add }: PictureMaker,
): Map<string, Picture> {
  const pictures = new Map<string, Picture>();
  for (const { language, path, title, description } of pages) {
    const own = title.replace(/ · sqrtdk$/, "");
    const start = path === "";
    const card = {
      ...{ language, text: description, chart: charts.get(`${language}/${path}`) },
      title: start ? words[language].title_tex : own,
      site: start ? "" : words[language].title,
    };
    const { faces, look } = looks[language];
    const name = `${language}-${path.slice(0, -1).replaceAll("/", "-") || "start"}`;
    pictures.set(`${language}/${path}`, {
      file: add(name, language, cardSvg(card, faces, look)),
      ...{ width: cardWidth, height: cardHeight },
      alt: `${own}${language === "zh" ? "——" : " — "}${description}`,
    });
  }
  const start = pictures.get("en/");
  return start ? pictures.set("", start) : pictures;
}
