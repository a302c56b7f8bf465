// The pages for authors: what to embed, a gallery of it, recipes for every kind of host, the elements' reference; and the
// frames, each a figure alone.
import type { Description, RunResult } from "../../bindings/api/types.ts";
import { heroDefaults } from "../elements/hero_view.ts";
import { defaultTexts } from "../elements/figure_state.ts";
import { linked } from "../elements/take_away.ts";
import type { Catalogue } from "../embed_page/catalogue.ts";
import { word, type Vocabulary } from "../words/vocabulary.ts";
import { languages, type Language, type Page, type PageWords } from "./document.ts";
import { elementsPage } from "./elements_page.ts";
import { embedPage } from "./embed_page.ts";
import { frameHtml, type FrameInput } from "./frame_page.ts";
import { galleryPage, grouped, type GalleryInput, type Thumbnail } from "./gallery.ts";
import { titleOf } from "./lab_page.ts";
import type { Prose, ProseReader } from "./markdown.ts";
import { prosePage } from "./prose_pages.ts";

export interface AuthorInput extends Pick<GalleryInput, "entries" | "elsewhere" | "thumbnails"> {
  language: Language;
  words: Readonly<Record<Language, PageWords>>;
  vocabulary: Vocabulary;
  reader: ProseReader;
  /** Prose of docs/<name>.md. */
  document(name: string): Prose;
  /** By experiment. */
  results: ReadonlyMap<string, RunResult>;
  /** What the hero shows. */
  hero: RunResult;
  /** The printed element of an experiment, without the page's words. */
  printed(experiment: string): string;
  /** Gives a file of the site its path from the root. */
  add(name: string, type: string, text: string): string;
  themeStyles: string;
  /** Text of custom-elements.json. */
  elements: string;
}

/** What the page begins with. */
const figure = "score_variance";

export function authorPages(input: AuthorInput): Page[] {
  const { language, words, entries, document } = input;
  const catalogue = catalogueOf(input);
  const groups = new Map(
    [...grouped(entries)].map(([name, members]) => [
      name,
      members.map((entry) => ({ id: entry.description.id, title: titleOf(entry) })),
    ]),
  );
  return [
    embedPage({
      ...{ language, words, groups, catalogue, figure, prose: document("embed") },
      catalogueFile: input.add(`embed-${language}`, "json", JSON.stringify(catalogue)),
      themesFile: input.add("themes", "css", input.themeStyles),
      printed: input.printed(figure),
    }),
    galleryPage({
      ...{ ...input, words: words[language], prose: document("gallery") },
      ...{ room: "embed", path: "embed/gallery/" },
      to: (id) => `../#embed&amp;embed.figure=${id}`,
    }),
    prosePage(language, "embed", document("recipes"), "", "recipes"),
    elementsPage({ ...input, prose: document("elements"), manifest: input.elements }),
  ];
}

function catalogueOf(input: AuthorInput): Catalogue {
  const { language, words, vocabulary, entries, elsewhere, results, hero } = input;
  const inBoth = (here: string, there: string): Record<Language, string> =>
    language === "en" ? { en: here, zh: there } : { en: there, zh: here };
  const known: [string, Catalogue[string]][] = entries.map(({ description, question }) => {
    const { figures, hash } = results.get(description.id)!;
    const names = [...new Set(figures.map(({ name }) => name))];
    return [
      description.id,
      {
        ...{ hash, page: `lab/${description.id}/` },
        titles: inBoth(question, elsewhere.get(description.id) ?? ""),
        defaults: linked({ description }, defaultTexts(description)),
        charts: names.map((name) => [name, word(vocabulary, "figures", name)]),
      },
    ];
  });
  const titles = { en: words.en.title, zh: words.zh.title };
  known.push(["hero", { titles, defaults: heroDefaults, charts: [], hash: hero.hash, page: "" }]);
  return Object.fromEntries(known);
}

export interface FramesInput {
  descriptions: readonly Description[];
  words: Readonly<Record<Language, PageWords>>;
  vocabularies: Readonly<Record<Language, Vocabulary>>;
  /** Of the figures in English. */
  thumbnails: ReadonlyMap<string, Thumbnail>;
  assets: FrameInput["assets"];
}

/** By their paths from the site's root. */
export function framePages(input: FramesInput): [string, string][] {
  const { descriptions, words, vocabularies, thumbnails, assets } = input;
  const each = <T>(of: (language: Language) => T): Record<Language, T> =>
    Object.fromEntries(languages.map((language) => [language, of(language)])) as Record<Language, T>;
  const frame = (id: string, titles: Record<Language, string>, page: string): [string, string] => {
    const pages = each((language) => `${language}/${page}`);
    return [`embed/${id}.html`, frameHtml({ id, titles, pages, picture: thumbnails.get(id), assets })];
  };
  return [
    ...descriptions.map(({ id }) =>
      frame(
        id,
        each((language) => vocabularies[language].questions[id] ?? ""),
        `lab/${id}/`,
      ),
    ),
    frame(
      "hero",
      each((language) => words[language].title),
      "",
    ),
  ];
}
