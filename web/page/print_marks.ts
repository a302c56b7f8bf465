// What a chapter marks for its readers on paper, as Pandoc writes it:
//   [Drag the scores.]{.screen}     a sentence for who can do so: not printed
//   [The scores are drawn.]{.print}  one that stands in its place on paper
//   [@vaswani2017]                  cites one of web/content/references.json
import type { MarkdownIt } from "markdown-it";
import { citation } from "./references.ts";

export function printMarks(markdown: MarkdownIt): void {
  markdown.inline.ruler.before("link", "print_marks", (state, silent) => {
    const rest = state.src.slice(state.pos, state.posMax);
    const [cited, id = ""] = /^\[@(\w+)\]/.exec(rest) ?? [];
    const [marked, text = "", medium = ""] =
      /^\[((?:[^[\]]|\[@\w+\])+)\]\{\.(screen|print)\}/.exec(rest) ?? [];
    const push = (html: string): void => {
      if (!silent) state.push("html_inline", "", 0).content = html;
    };
    if (cited !== undefined) {
      push(citation(id));
      state.pos += cited.length;
      return true;
    }
    if (marked === undefined) return false;
    const [end, last] = [state.pos + marked.length, state.posMax];
    push(`<span class="${medium}-only">`);
    if (!silent) {
      state.pos += 1;
      state.posMax = state.pos + text.length;
      state.md.inline.tokenize(state);
    }
    push("</span>");
    [state.pos, state.posMax] = [end, last];
    return true;
  });
}
