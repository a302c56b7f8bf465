// Prose: one Markdown file per subject and language becomes an introduction, at most one figure, and parts.
//   ---
//   title: …            fields, one a line
//   ---
//   paragraphs, lists   $formulas$ and, on lines of their own, $$displayed formulas$$
//   > …                 a side note, beside the paragraph that follows it
//   <sqrtdk-figure …>   alone on its line
//   ## …                a part: a heading in the margin and its text
//   ```language         code with a button that copies it
import createMarkdown, { type MarkdownIt } from "markdown-it";
import type { Formulas } from "./formulas.ts";

export interface Part {
  heading: string;
  html: string;
}

export interface Prose {
  fields: Record<string, string>;
  intro: string;
  figure: string; // experiment id; "" where there is no figure
  parts: Part[];
}

export interface ProseWords {
  copy: string;
  copied: string;
}

// A displayed formula, or one in the line with the punctuation that must not leave it.
const formula = /\$\$([^$]+)\$\$|\$([^$\n]+)\$([.,;:)!?，。；：、）”]*)/g;

export class ProseReader {
  readonly #markdown: MarkdownIt;
  readonly #formulas: Formulas;

  constructor(words: ProseWords, formulas: Formulas) {
    this.#formulas = formulas;
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
    this.#markdown = markdown;
  }

  read(source: string): Prose {
    const { fields, body } = frontMatter(source);
    const [intro = "", ...rest] = body.split(/^## /m);
    const tag = /^<sqrtdk-figure experiment="(\w+)"><\/sqrtdk-figure>$/m.exec(intro);
    const parts = rest.map((text) => {
      const end = text.indexOf("\n");
      return { heading: this.inline(text.slice(0, end).trim()), html: this.block(text.slice(end)) };
    });
    return { fields, intro: this.block(intro.replace(tag?.[0] ?? "", "")), figure: tag?.[1] ?? "", parts };
  }

  block(text: string): string {
    return this.#withFormulas(text, (rest) => this.#markdown.render(rest));
  }

  inline(text: string): string {
    return this.#withFormulas(text, (rest) => this.#markdown.renderInline(rest));
  }

  /** Formulas stand aside while Markdown is read, so that their `_` and `\` stay their own. */
  #withFormulas(text: string, render: (rest: string) => string): string {
    const pieces: string[] = [];
    const rest = text.replace(formula, (_, display?: string, inline?: string, punctuation?: string) => {
      const math = this.#formulas.render(display ?? inline ?? "", display !== undefined);
      pieces.push(punctuation ? `<span class="keep">${math}${punctuation}</span>` : math);
      return `\uE000${pieces.length - 1}\uE001`;
    });
    return render(rest).replace(/\uE000(\d+)\uE001/g, (_, index: string) => pieces[Number(index)] ?? "");
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
