// Titles as the headings of pages have them.
import { escape, type Language } from "./document.ts";

/** A title, whose lines in Chinese may end before words of two characters and more, and after marks. */
export function titleHtml(language: Language, title: string): string {
  if (language !== "zh") return escape(title);
  const segments = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(title)];
  return segments
    .map(({ segment }) => (/^\p{sc=Han}{2,}$/u.test(segment) ? `<wbr>${segment}` : escape(segment)))
    .join("")
    .replace(/[，：；]/g, "$&<wbr>")
    .replace(/(?<=\p{sc=Han}) /gu, "\u00a0");
}
