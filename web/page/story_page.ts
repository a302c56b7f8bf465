// The front page of a language: the hero, and the story in chapters.
import { guessesPlace, type Chapter } from "./chapter.ts";
import packageJson from "../../package.json" with { type: "json" };
import { escape, type Language, type Page, type PageWords } from "./document.ts";
import { referencesHtml } from "./references.ts";
import { titleHtml } from "./title.ts";

export interface StoryInput {
  language: Language;
  words: PageWords;
  /** HTML, with its formula. */
  title: string;
  answer: string;
  hero: string;
  chapters: readonly Chapter[];
  /** Experiments with a page, and its title. */
  titles: ReadonlyMap<string, string>;
}

export function storyPage(input: StoryInput): Page {
  const { language, words, title, answer, hero, chapters, titles } = input;
  const main = `      <div class="reading" aria-hidden="true"></div>
      <div class="hero" id="hero">
        <h1>${title}</h1>
        <p class="byline print-only">${escape(words.byline)} · sqrtdk ${packageJson.version}<span class="byline-date"></span></p>
        <p class="answer">${answer}</p>
        ${hero}
        <p class="caption">${escape(words.hero_caption)}</p>
        <noscript><p class="caption">${escape(words.noscript)}</p></noscript>
      </div>
${contents(chapters, words)}${paperOffer(language, words)}${chapters.map((chapter) => chapterHtml(chapter, chapters, input)).join("")}${referencesHtml(language, words)}      <p class="keep-offline" data-kept="${escape(words.kept_offline)}" data-failed="${escape(words.keep_failed)}" hidden><button type="button" class="button">${escape(words.keep_offline)}</button> <span role="status"></span></p>
`;
  const moved = [...titles.keys(), "about"];
  return { language, path: "", title: words.title, description: words.description, main, wasm: true, moved };
}

/** The chapters in the groups of page.json. Throws where a chapter is in none. */
function contents(chapters: readonly Chapter[], words: PageWords): string {
  const lost = chapters.find(({ group }) => !(group in words.groups));
  if (lost) throw new Error(`page.json: groups.${lost.group} is missing`);
  const link = ({ name, number, title }: Chapter): string =>
    `              <li value="${number}"><a href="#${name}">${escape(title)}</a></li>\n`;
  const groups = Object.entries(words.groups)
    .map(([group, heading]) => ({ heading, members: chapters.filter((chapter) => chapter.group === group) }))
    .filter(({ members }) => members.length > 0)
    .map(
      ({ heading, members }) => `          <li>
            <span class="contents-group">${escape(heading)}</span>
            <ol>
${members.map(link).join("")}            </ol>
          </li>
`,
    );
  return `      <nav class="contents" aria-label="${escape(words.contents)}">
        <ul>
${groups.join("")}        </ul>
      </nav>
`;
}

function chapterHtml(
  chapter: Chapter,
  all: readonly Chapter[],
  { language, words, titles }: StoryInput,
): string {
  const { name, number, title, question, next, lab } = chapter;
  const page = (id: string): string => {
    const text = titles.get(id);
    if (text === undefined) throw new Error(`chapter ${name}: there is no experiment ${id}`);
    return `<a href="lab/${id}/">${escape(text)}</a>`;
  };
  const more =
    lab.length > 0
      ? `<p class="to-lab">${escape(words.to_lab)}${escape(words.separator)}${lab.map(page).join("\u00a0· ")}</p>\n`
      : "";
  const following = all.find((each) => each.number === number + 1);
  const leads = following ? `<p class="leads-on"><a href="#${following.name}">${next}</a></p>` : "";
  return `      <section class="chapter claim" id="${name}" aria-labelledby="${name}-title">
        <p class="chapter-label"><span class="chapter-number">${number}</span> ${titleHtml(language, title)}</p>
        <h2 id="${name}-title">${question}</h2>
${chapter.body.replace(guessesPlace, () => guessesHtml(all, words))}        <div class="text">
${more}${leads}
        </div>
      </section>
`;
}

/** All that was asked, what the reader guessed, and what is so. */
function guessesHtml(chapters: readonly Chapter[], words: PageWords): string {
  const rows = chapters
    .flatMap(({ guesses }) => guesses)
    .map(
      ({ name, ask, answer }) =>
        `<tr><th scope="row">${ask}</th><td data-guess="${name}">–</td><td>${answer}</td></tr>\n`,
    );
  const heads = [words.guess_asked, words.guess_guessed, words.guess_measured];
  return `<div class="guesses" id="guess">
<table>
<thead><tr>${heads.map((head) => `<th scope="col">${escape(head)}</th>`).join("")}</tr></thead>
<tbody>
${rows.join("")}</tbody>
</table>
<button type="button" class="button" data-copied="${escape(words.copied)}" hidden>${escape(words.guess_link)}</button>
</div>
`;
}

/** Links to the story on paper. The build takes away what it has no paper for (scripts/lib/papers.mjs). */
function paperOffer(language: Language, words: PageWords): string {
  const link = (name: string, text: string): string =>
    `<a href="../paper/sqrtdk-${language}${name}.pdf">${escape(text)}</a>`;
  return `      <p class="paper-offer">${escape(words.paper)} ${link("", words.paper_a4)} ${link("-letter", words.paper_letter)}</p>
`;
}
