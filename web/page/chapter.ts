// A chapter of the story: web/content/{en,zh}/story/NN-name.md. Prose as everywhere (markdown.ts), and:
//   title, question, group, lab, next   its fields: the contents' words, the heading, one of page.json's groups, the
//                                       experiments whose pages say more, and the sentence that leads on (the last two may be absent)
//   <story-some-name>       a figure of web/story/figures/some_name.ts, with the words that it says
//   word = text
//   </story-some-name>
//   ```guess name           asks before the figure tells:
//   ask: …                    the question
//   slider: min max step start,   or   choice value: words
//   answer: …                 in a few words, for the table of all guesses
//   …                         what is to be said of it
//   ```
//   <story-guesses>         the table of all guesses
//   </story-guesses>
//   <sqrtdk-race stage>     the training race, its stage alone
//   </sqrtdk-race>
//   {experiment/name .1%}   a quoted number (markdown.ts), with its experiment
//   ## …                    folded: a derivation, what an article leaves out
import { escape, type PageWords } from "./document.ts";
import { named } from "./formulas.ts";
import type { ProseReader, Values } from "./markdown.ts";

export interface Guess {
  name: string;
  ask: string; // HTML
  answer: string; // HTML
}

export interface Chapter {
  number: number;
  /** Its address on the page. */
  name: string;
  title: string;
  question: string; // HTML
  group: string;
  lab: readonly string[];
  next: string; // HTML
  body: string; // HTML
  guesses: readonly Guess[];
}

export interface ChapterInput {
  /** Name of its file. */
  file: string;
  source: string;
  prose: ProseReader;
  words: PageWords;
  /** What its sentences may quote. */
  values?: Values;
  /** The printed element of a figure with these words. */
  figure(name: string, words: Readonly<Record<string, string>>): string;
  /** The printed element of the race. */
  race(): string;
}

/** Where the table of all guesses goes, which needs all chapters. */
export const guessesPlace = "<!-- guesses -->";

const block =
  /^<story-([a-z-]+)>\n(.*?)^<\/story-\1>$|^```guess (\w+)\n(.*?)^```$|^<sqrtdk-race stage>\n<\/sqrtdk-race>$/ms;

/** Throws where a block is not as described above. */
export function readChapter({ file, source, prose, words, values, figure, race }: ChapterInput): Chapter {
  const [, number = "", name = ""] = /^(\d\d)-([a-z]+)\.md$/.exec(file) ?? [];
  if (!name) throw new Error(`a chapter's file is named NN-name.md, not ${file}`);
  const guesses: Guess[] = [];
  const blocks: string[] = [];
  // What is no Markdown stands for itself while the prose around it is read.
  const place = (index: number): string => `\n\n@@block-${index}@@\n\n`;
  let rest = source;
  for (let found = block.exec(rest); found; found = block.exec(rest)) {
    const [all, tag, said = "", guess, asked = ""] = found;
    rest = rest.replace(all, () => place(blocks.length));
    if (tag === "guesses") blocks.push(guessesPlace);
    else if (tag) blocks.push(figure(tag, wordsOf(said, file)));
    else if (guess === undefined) blocks.push(race());
    else {
      const read = readGuess(guess, asked, prose, words, file);
      guesses.push(read.guess);
      blocks.push(read.html);
    }
  }
  const { fields, intro, parts } = prose.read(rest, undefined, values);
  const field = (key: string): string => {
    const text = fields[key];
    if (text === undefined) throw new Error(`${file}: no field ${key}`);
    return text;
  };
  const folded = parts.map(
    ({ heading, html }) => `<details class="aside"><summary>${heading}</summary>\n${html}</details>\n`,
  );
  const text = (html: string): string => (html.trim() ? `<div class="text">\n${html}</div>\n` : "");
  const body = `${intro}${folded.join("")}`
    .split(/<p>@@block-(\d+)@@<\/p>\n?/)
    .map((part, index) => (index % 2 === 0 ? text(part) : (blocks[Number(part)] ?? "")))
    .join("");
  return {
    ...{ number: Number(number), name, body, guesses },
    title: field("title"),
    question: named(prose.inline(field("question")), field("question")),
    group: field("group"),
    lab: (fields["lab"] ?? "").split(/,\s*/).filter(Boolean),
    next: prose.inline(fields["next"] ?? ""),
  };
}

/** Lines "name = text". */
function wordsOf(text: string, file: string): Record<string, string> {
  return Object.fromEntries(
    text
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => {
        const [, name = "", words = ""] = /^(\w+) = (.*)$/.exec(line) ?? [];
        if (!name) throw new Error(`${file}: not a word of a figure: ${line}`);
        return [name, words];
      }),
  );
}

function readGuess(
  name: string,
  text: string,
  prose: ProseReader,
  words: PageWords,
  file: string,
): { guess: Guess; html: string } {
  const take = (key: RegExp): string[] => [...text.matchAll(key)].map((found) => (found[1] ?? "").trim());
  const [ask] = take(/^ask: (.*)$/gm);
  const [answer] = take(/^answer: (.*)$/gm);
  const [slider] = take(/^slider: (.*)$/gm);
  const choices = take(/^choice (.*)$/gm);
  if (!ask || !answer || (slider === undefined) === (choices.length === 0))
    throw new Error(`${file}: the guess ${name} needs ask:, answer:, and either slider: or choices`);
  const said = text.replace(/^(ask|answer|slider|choice \w+): .*\n/gm, "");
  const [question, told] = [prose.inline(ask), prose.inline(answer)];
  const html = `<fieldset class="guess" id="guess-${name}" data-guess="${name}">
<legend id="guess-${name}-legend">${question}</legend>
${slider === undefined ? choices.map((choice) => choiceHtml(name, choice, prose)).join("") : sliderHtml(name, slider)}<details><summary>${escape(words.guess_look)}</summary>
<p class="guess-yours" data-words="${escape(words.guess_yours)}" hidden></p>
<p class="guess-answer">${told}</p>
${prose.block(said)}</details>
</fieldset>
`;
  return { guess: { name, ask: question, answer: told }, html };
}

function choiceHtml(name: string, choice: string, prose: ProseReader): string {
  const [, value = "", words = ""] = /^(\w+): (.*)$/.exec(choice) ?? [];
  return `<label><input type="radio" name="guess-${name}" value="${value}"> ${prose.inline(words)}</label>\n`;
}

function sliderHtml(name: string, numbers: string): string {
  const [min, max, step, start] = numbers.split(/\s+/).map(Number);
  return `<div class="guess-slider"><input type="range" aria-labelledby="guess-${name}-legend" min="${min}" max="${max}" step="${step}" value="${start}"><output></output></div>\n`;
}
