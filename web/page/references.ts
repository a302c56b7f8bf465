// What the story cites: web/content/references.json, in the order of their numbers, the same in both languages.
import list from "../content/references.json" with { type: "json" };
import { escape, type Language, type PageWords } from "./document.ts";

export interface Reference {
  id: string;
  /** Absent where a text does not name them. */
  authors?: string;
  title: string;
  /** The title in English where it is not. */
  english?: string;
  where?: string;
  /** 2017 or 2026-01-24; absent where a text has none. */
  date?: string;
  arxiv?: string;
  doi?: string;
}

export const references: readonly Reference[] = list;

/** The number that stands for it in the text. Throws where there is no such reference. */
export function citation(id: string): string {
  const index = references.findIndex((each) => each.id === id);
  if (index < 0) throw new Error(`references.json has no ${id}`);
  return `<a class="cite" href="#ref-${id}">[${index + 1}]</a>`;
}

export function referencesHtml(language: Language, words: PageWords): string {
  const item = ({ id, authors, title, english, where, date, arxiv, doi }: Reference): string => {
    const name = english
      ? `<cite lang="zh-CN">${escape(title)}</cite>${language === "en" ? ` (${escape(english)})` : ""}`
      : `<cite lang="en">${escape(title)}</cite>`;
    const said = [
      ...(authors ? [escape(authors)] : []),
      name,
      ...(where ? [escape(where)] : []),
      escape(date ?? words.undated),
      ...(arxiv ? [`arXiv:${escape(arxiv)}`] : []),
      ...(doi ? [`doi:${escape(doi)}`] : []),
    ];
    return `            <li id="ref-${id}">${said.join(". ")}.</li>\n`;
  };
  return `      <section class="references" id="references" aria-labelledby="references-title">
        <details class="aside">
          <summary><h2 id="references-title">${escape(words.references)}</h2></summary>
          <ol>
${references.map(item).join("")}          </ol>
        </details>
      </section>
`;
}
