// Which numbers a page tells as facts of its own: all that are neither computed where the page is built, nor settings.
import type { Prose } from "../../../web/page/markdown.ts";

export interface Told {
  number: string;
  sentence: string;
}

const computed = /<(data|sqrtdk-value)[ >].*?<\/\1>/gs;
const code = /<(pre|code)[ >].*?<\/\1>/gs;
// Where something is said in another text, and when that appeared.
const reference =
  /(?:sections?|sec\.|chapter|appendix) [A-Z]?[\d.]*\d(?: and \d)?|[\d.]+\s*(?:节|章)|附录\s*[A-Z]?[\d.]+|\bA\.1\.2/gi;
const year = /\b(?:19|20)\d\d\b/g;
// A power of ten with what stands before it, a number in groups, one with decimals, a percentage, or a whole one of two digits.
const number =
  /(?:\d+(?:\.\d+)? ?[⋅×] ?)?\b10(?: ?[−-] ?| )\d+\b|\d{1,3}(?:,\d{3})+|\d+\.\d+(?:\s?%)?|\d+\s?%|(?<![\d.,\w])\d{2,}(?![\d.,]*\d)/g;

/** `settings`: numbers that the reader sees in the controls, or sets with a link of this page. */
export function toldNumbers(prose: Prose, settings: ReadonlySet<string>): Told[] {
  const html = [prose.intro, ...Object.values(prose.notes), ...prose.parts.map((part) => part.html)].join(
    "\n",
  );
  const linked = [...html.matchAll(/class="setting"|href="#[^"]*"/g)].flatMap(
    ([link]) => decodeURIComponent(link).match(/\d+(?:\.\d+)?/g) ?? [],
  );
  const known = new Set([...settings, ...linked]);
  const text = html
    .replace(computed, "□")
    .replace(code, "")
    .replaceAll("</mn>", " ") // of formulas: 1/2 is not 12
    .replace(/<[^>]*>/g, "")
    .replace(reference, "")
    .replace(year, "");
  return text.split(/(?<=[.!?;:。！？；：])\s|\n/).flatMap((sentence) =>
    [...sentence.matchAll(number)]
      .map(([found]) => found.replace(/\s/g, ""))
      .filter((found) => !known.has(found.replace(/%$/, "%")) && !isSize(found))
      .map((found) => ({ number: found, sentence: sentence.trim() })),
  );
}

/** Powers of two are sizes: nothing that is measured comes out as one. */
function isSize(found: string): boolean {
  const value = Number(found);
  return Number.isInteger(value) && value > 0 && Number.isInteger(Math.log2(value));
}
