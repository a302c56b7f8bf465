// The laboratory's first page, and the gallery for authors: every experiment by its question, in groups.
import { escape, rootOf, type Language, type Page, type PageWords, type Room } from "./document.ts";
import { titleOf, type Entry } from "./lab_page.ts";
import type { Prose } from "./markdown.ts";
import { titleHtml } from "./title.ts";

/** The experiments in the groups of the contents, each in the laboratory's order. */
export function grouped(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { group } = entry.description;
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  return groups;
}

/** In the order in which the groups are told, which is that of the words. */
export function inOrder(entries: readonly Entry[], words: PageWords): Entry[] {
  const groups = grouped(entries);
  const order = Object.keys(words.groups);
  const unknown = [...groups.keys()].find((group) => !order.includes(group));
  if (unknown) throw new Error(`page.json: groups.${unknown} is missing`);
  return order.flatMap((group) => groups.get(group) ?? []);
}

export interface GalleryInput {
  language: Language;
  words: PageWords;
  prose: Prose;
  entries: readonly Entry[];
  /** Of each experiment in the other language: what one can search for, too. */
  elsewhere: ReadonlyMap<string, string>;
  /** Each experiment's picture, from the site's root, with its size. */
  thumbnails: ReadonlyMap<string, Thumbnail>;
  /** Of the page, from the language's folder. */
  path: string;
  room: Room;
  /** Where a card leads. */
  to(id: string): string;
}

export interface Thumbnail {
  file: string;
  width: number;
  height: number;
}

export function galleryPage(input: GalleryInput): Page {
  const { language, words, prose, entries, elsewhere, thumbnails, path, room, to } = input;
  const root = rootOf(`${language}/${path}`);
  const { title = "", description = "" } = prose.fields;
  const card = (entry: Entry): string => {
    const { id } = entry.description;
    const { file, width, height } = thumbnails.get(id)!;
    return `            <li data-words="${escape(elsewhere.get(id) ?? "")}">
              <a href="${to(id)}">
                <picture><source media="(prefers-color-scheme: dark)" srcset="${root}${file}#d0"><img src="${root}${file}#l0" width="${width}" height="${height}" alt="" loading="lazy"></picture>
                <span class="card-title">${escape(titleOf(entry))}</span>
                <span class="card-question">${escape(entry.question)}</span>
              </a>
            </li>
`;
  };
  const group = (name: string, members: readonly Entry[]): string => `        <section class="gallery-group">
          <h2>${escape(words.groups[name] ?? "")}</h2>
          <ul class="cards">
${members.map(card).join("")}          </ul>
        </section>
`;
  const groups = grouped(inOrder(entries, words));
  const main = `      <div class="text">
        <h1>${titleHtml(language, title)}</h1>
${prose.intro}      </div>
      <search class="search" hidden>
        <label for="search">${escape(words.search)}</label>
        <input type="search" id="search" autocomplete="off" spellcheck="false">
        <p role="status" data-nothing="${escape(words.nothing_found)}"></p>
      </search>
      <div class="gallery">
${[...groups].map(([name, members]) => group(name, members)).join("")}      </div>
`;
  return { language, path, title: `${title} · sqrtdk`, description, room, main };
}
