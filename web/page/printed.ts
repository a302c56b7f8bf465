// Templates as text, in the very markup that the elements will draw again.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import type { TemplateResult } from "lit";
import type { FigureState } from "../elements/figure_state.ts";
import { escape } from "./document.ts";

/** Without spaces that mean nothing, which are a kilobyte, but for texts that keep them. */
export function dense(html: string): string {
  return html
    .split(/(<(?:pre|textarea)[\s>].*?<\/(?:pre|textarea)>)/s)
    .map((text, index) =>
      index % 2 === 1 ? text : text.replace(/[ \n]+(\/?>)?/g, (_, end?: string) => end ?? " "),
    )
    .join("");
}

/** `more`: what the printed markup needs beside its view. */
export function element(
  tag: string,
  attributes: Record<string, string>,
  view: TemplateResult,
  more = "",
): string {
  const text = Object.entries({ ...attributes, prerendered: "" }).map(
    ([name, value]) => ` ${name}="${escape(value)}"`,
  );
  return `<${tag}${text.join("")}>${printed(view)}${more}</${tag}>`;
}

/** With their texts in the text areas, which lit-html leaves out. */
export function filled(html: string, texts: FigureState["texts"]): string {
  return html.replace(
    /(<textarea[^>]* name="(\w+)"[^>]*>)(?=<\/textarea>)/g,
    (open, _, name: string) => open + escape(texts[name] ?? ""),
  );
}

/** Without the marks of lit-html's parts: the elements draw anew, with the same result, instead of hydrating. */
export function printed(view: TemplateResult): string {
  return collectResultSync(render(view)).replace(/<!--.*?-->|<\?[^>]*>/gs, "");
}
