// A page of the laboratory: the question, the figure, and all that is to be said of it.
import type { Description } from "../../bindings/api/types.ts";
import { escape, type Language, type Page, type PageWords } from "./document.ts";
import type { Part, Prose } from "./markdown.ts";
import { titleHtml } from "./title.ts";

/** An experiment as the laboratory's pages tell of it. */
export interface Entry {
  description: Description;
  question: string;
  prose: Prose;
  /** The element with its prerendered content. */
  figure: string;
}

export const titleOf = ({ prose }: Entry): string => prose.fields["title"] ?? "";

export function labPage(
  entry: Entry,
  [previous, next]: readonly [Entry | undefined, Entry | undefined],
  language: Language,
  words: PageWords,
): Page {
  const { description, question, prose, figure } = entry;
  const { id } = description;
  const title = titleOf(entry);
  const source = prose.fields["source"] ?? "";
  const link = (rel: string, label: string, to: Entry | undefined): string =>
    to
      ? `<a rel="${rel}" href="../${to.description.id}/"><span class="turn-label">${escape(label)}</span> ${escape(titleOf(to))}</a>`
      : "<span></span>";
  const main = `      <article class="claim" id="${id}" aria-labelledby="${id}-title">
        <div class="text">
          <h1 id="${id}-title">${titleHtml(language, title)}</h1>
          <p class="question">${escape(question)}</p>
          <div class="note source" role="note"><p>${escape(words.source)}${escape(words.separator)}${escape(source)}</p></div>
${prose.intro}        </div>
        ${figure}
        <noscript><p class="caption">${escape(words.noscript)}</p></noscript>
${prose.parts.map((part, index) => partHtml(index === disproof ? folded(part, words) : part)).join("")}      </article>
      <nav class="turn" aria-label="${escape(words.rooms.lab)}">
        ${link("prev", words.previous, previous)}
        ${link("next", words.next, next)}
      </nav>
`;
  return {
    language,
    path: `lab/${id}/`,
    title: `${title} · sqrtdk`,
    description: question,
    room: "lab",
    main,
    wasm: description.module === "first",
  };
}

/** Which of the parts says what would disprove the claim. */
const disproof = 1;

/** The first paragraph, and the others folded. */
function folded(part: Part, words: PageWords): Part {
  const end = part.html.indexOf("</p>") + "</p>".length;
  const rest = part.html.slice(end).trim();
  if (rest === "") return part;
  const details = `<details class="tolerances"><summary>${escape(words.tolerances)}</summary>\n${rest}\n</details>\n`;
  return { ...part, html: `${part.html.slice(0, end)}\n${details}` };
}

/** A heading in the margin and its text. */
export function partHtml({ heading, html }: Part): string {
  return `        <section class="part">
          <h2>${heading}</h2>
          <div class="text">
${html}          </div>
        </section>
`;
}
