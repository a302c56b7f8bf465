// Prose: one Markdown file per subject and language becomes an introduction, at most one figure, and parts.
//   ---
//   title: …            fields, one a line
//   ---
//   paragraphs, lists   $formulas$ and, on lines of their own, $$displayed formulas$$
//   > …                 a side note, beside the paragraph that follows it
//   <sqrtdk-figure …>   alone on its line, and before its end a list: - `chart`: the sentence beside that chart
//   ## …                a part: a heading in the margin and its text
//   [words](d=64&n=8)   in an experiment's prose: sets the figure's controls
//   ```language         code with a button that copies it
//   {share_128 .1%}     a quoted number (quoted.ts) in a format (value_text.ts); {softmax_saturation/share_128 .1%} where it
//                       is another experiment's; {share_128:se .3}, {share_128:low .1%}: what else is known of it
//   {= path .3}         a number of the figure (value_path.ts): follows the result of the page's own experiment
//   {= #name path .3}   or of the element with this id, or of this experiment
import createMarkdown, { type MarkdownIt } from "markdown-it";
import math from "markdown-it-math/no-default-renderer";
import { valueFormat, valueText } from "../elements/value_text.ts";
import type { Formulas } from "./formulas.ts";
import { printMarks } from "./print_marks.ts";

export interface Part {
  heading: string;
  html: string;
}

export interface Prose {
  fields: Record<string, string>;
  intro: string;
  figure: string; // experiment id; "" where there is no figure
  notes: Record<string, string>; // sentences beside its charts, by their names
  parts: Part[];
}

/** An experiment and the names of what can be set. */
export interface Settable {
  id: string;
  params: readonly string[];
}

/** Where the numbers in sentences come from. Each throws where there is no such number. */
export interface Values {
  /** Of the result that is printed in the element with this id or, first on the page, of this experiment. */
  bound(of: string, path: string): number;
  /** `experiment`: the page's own. */
  quoted(name: string, experiment: string): QuotedNumber;
}

export interface QuotedNumber {
  value: number;
  /** How sure it is, for those who ask. */
  note: string;
}

const noValues: Values = {
  bound: (of, path) => {
    throw new Error(`no result here for ${of}: ${path}`);
  },
  quoted: (name) => {
    throw new Error(`no numbers here to quote: ${name}`);
  },
};

export interface ProseWords {
  copy: string;
  copied: string;
}

/** No line ends beside these signs. */
const whole = (html: string): string =>
  html.replaceAll(/(?:^|>)[^<]+/g, (text) => text.replaceAll(/ ([±×]) (?=[\d.−]|$)/g, "\u00a0$1\u00a0"));

/** What must not leave the formula before it when a line ends. */
const punctuation = /^[.,;:)!?，。；：、）”]+/;

/** Here a line may end without a space; before a formula, Firefox has to be told. */
const fullWidth = /[，。；：、）]$/;

export class ProseReader {
  readonly #markdown: MarkdownIt;
  #experiment: Settable | undefined;
  #values = noValues;

  constructor(words: ProseWords, formulas: Formulas) {
    const markdown = createMarkdown({ html: false, typographer: false });
    const { escapeHtml } = markdown.utils;
    markdown.renderer.rules["blockquote_open"] = () => `<div class="note" role="note">\n`;
    markdown.renderer.rules["blockquote_close"] = () => "</div>\n";
    markdown.renderer.rules.fence = (tokens, index) => {
      const token = tokens[index];
      const code = `<pre tabindex="0"><code>${escapeHtml(token?.content.trimEnd() ?? "")}</code></pre>`;
      const button = `<button type="button" data-copied="${escapeHtml(words.copied)}" hidden>${escapeHtml(words.copy)}</button>`;
      return `<div class="code" data-language="${escapeHtml(token?.info ?? "")}">${code}${button}</div>\n`;
    };
    markdown.renderer.rules["link_open"] = (tokens, index, options, _, self) => {
      const token = tokens[index]!;
      const settings = /^\w+=.*$/.exec(String(token.attrGet("href") ?? ""))?.[0];
      if (settings !== undefined) {
        token.attrSet("href", this.#settingsLink(settings));
        token.attrSet("class", "setting");
      }
      return self.renderToken(tokens, index, options);
    };
    // GPT-2 and post-LN do not end a line at their hyphens.
    markdown.renderer.rules["text"] = (tokens, index) =>
      escapeHtml(tokens[index]?.content ?? "").replace(
        /\b(?:[A-Za-z]+-[A-Z]{1,2}|[A-Z][A-Za-z]*-\d)\b/g,
        `<span class="keep">$&</span>`,
      );
    // A Latin term in a Chinese sentence is no Chinese.
    markdown.renderer.rules["em_open"] = (tokens, index) => {
      const isHan = (each: (typeof tokens)[number]): boolean => /\p{Script=Han}/u.test(each.content);
      const length = tokens.slice(index).findIndex(({ type }) => type === "em_close");
      const isLatin = tokens.some(isHan) && !tokens.slice(index, index + length).some(isHan);
      return isLatin ? `<em lang="en">` : "<em>";
    };
    markdown.inline.ruler.before("escape", "value", (state, silent) => {
      const found = /^\{(=?) *(?:#(\w+) )?([^{}]+?) ([.g,][\d%]*)\}/.exec(state.src.slice(state.pos));
      if (!found) return false;
      const [all, bound, of = this.#experiment?.id ?? "", name = "", format = ""] = found;
      if (!valueFormat.test(format)) throw new Error(`not a format: ${all}`);
      if (!silent) {
        const token = state.push("html_inline", "", 0);
        token.content = bound ? this.#bound(of, name, format) : this.#quoted(name, format);
      }
      state.pos += all.length;
      return true;
    });
    markdown.use(printMarks);
    markdown.use(math, {
      inlineDelimiters: "$",
      blockRenderer: (tex: string) => `<p>${formulas.render(tex, true)}</p>`,
    });
    markdown.renderer.rules["math_inline"] = (tokens, index) => {
      const formula = formulas.render(tokens[index]?.content ?? "", false);
      const before = fullWidth.test(tokens[index - 1]?.content ?? "") ? "<wbr>" : "";
      const next = tokens[index + 1];
      const kept = next?.type === "text" ? punctuation.exec(next.content)?.[0] : undefined;
      if (!next || !kept) return before + formula;
      next.content = next.content.slice(kept.length);
      const another = next.content === "" && tokens[index + 2]?.type === "math_inline";
      const after = another && fullWidth.test(kept) ? "<wbr>" : "";
      return `${before}<span class="keep">${formula}${kept}</span>${after}`;
    };
    this.#markdown = markdown;
  }

  /** `experiment`: whose controls the links of this prose set, and whose numbers it tells. */
  read(source: string, experiment?: Settable, values = noValues): Prose {
    const { fields, body } = frontMatter(source);
    this.#experiment = experiment;
    this.#values = values;
    const [intro = "", ...rest] = body.split(/^## /m);
    const tag = /^<sqrtdk-figure experiment="(\w+)">(.*?)<\/sqrtdk-figure>$/ms.exec(intro);
    const parts = rest.map((text) => {
      const end = text.indexOf("\n");
      return { heading: this.inline(text.slice(0, end).trim()), html: this.block(text.slice(end)) };
    });
    return {
      fields,
      intro: this.block(intro.replace(tag?.[0] ?? "", "")),
      figure: tag?.[1] ?? "",
      notes: this.#notes(tag?.[2] ?? ""),
      parts,
    };
  }

  #notes(list: string): Record<string, string> {
    const notes: Record<string, string> = {};
    for (const line of list.split("\n").filter((text) => text.trim() !== "")) {
      const [, name, sentence] = /^- `(\w+)`: (.+)$/.exec(line) ?? [];
      if (!name || !sentence) throw new Error(`not a chart and its sentence: ${line}`);
      if (Object.hasOwn(notes, name)) throw new Error(`two sentences for the chart ${name}`);
      notes[name] = this.inline(sentence);
    }
    return notes;
  }

  /** "d=64&n=8" as the address of the page's figure with these settings. Throws where it has no such control. */
  #settingsLink(settings: string): string {
    const { id, params } = this.#experiment ?? { id: "", params: [] };
    const entries = new URLSearchParams();
    for (const [name, text] of new URLSearchParams(settings)) {
      if (!params.includes(name)) throw new Error(`${id}: the prose sets ${name}, which is no parameter`);
      entries.append(`${id}.${name}`, text);
    }
    return `#${id}&${entries.toString()}`;
  }

  #bound(of: string, path: string, format: string): string {
    const { escapeHtml } = this.#markdown.utils;
    const text = valueText(this.#values.bound(of, path), format);
    return `<sqrtdk-value of="${of}" path="${escapeHtml(path)}" format="${format}">${text}</sqrtdk-value>`;
  }

  #quoted(name: string, format: string): string {
    const { value, note } = this.#values.quoted(name, this.#experiment?.id ?? "");
    const title = note ? ` title="${this.#markdown.utils.escapeHtml(note)}"` : "";
    return `<data value="${value}"${title}>${valueText(value, format)}</data>`;
  }

  block(text: string): string {
    return whole(this.#markdown.render(text));
  }

  inline(text: string): string {
    return whole(this.#markdown.renderInline(text));
  }
}

function frontMatter(source: string): { fields: Record<string, string>; body: string } {
  const match = /^---\n(.*?)\n---\n/s.exec(source);
  if (!match) throw new Error("prose must start with its fields between --- lines");
  const fields: Record<string, string> = {};
  for (const line of (match[1] ?? "").split("\n")) {
    const colon = line.indexOf(": ");
    if (colon < 0) throw new Error(`not a field: ${line}`);
    fields[line.slice(0, colon)] = line.slice(colon + 2).trim();
  }
  return { fields, body: source.slice(match[0].length) };
}
