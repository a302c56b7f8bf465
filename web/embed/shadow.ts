// The style of elements in shadow roots: one sheet for all of them, which grows when more of them are loaded.
import { Frame, sheetOf } from "../elements/frame.ts";
import { frameTokens, inPixels } from "../elements/theme.ts";
import first from "../styles/first.css?text";
import tokens from "../styles/tokens.css?text";

let sheet: CSSStyleSheet | undefined;
let text = frameTokens(tokens) + first;

/** Adds the rules of elements that were not there before. */
export function addStyle(more: string): void {
  if (text.includes(more)) return;
  text += more;
  if (sheet) write(sheet);
}

function write(sheet: CSSStyleSheet): void {
  const isSmall = parseFloat(getComputedStyle(document.documentElement).fontSize) < 14;
  sheet.replaceSync(isSmall ? inPixels(text) : text);
}

/** `own`: the style of one's own elements. */
export function frameOf(host: HTMLElement, own: string): Frame {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    write(sheet);
  }
  return new Frame(host, own === "" ? [sheet] : [sheet, sheetOf(own)]);
}
