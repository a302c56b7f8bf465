// What a reader takes away from a figure: copies of its printed lines, its link, or markup that shows it elsewhere; files.
import type { UrlStore } from "../state/url_store.ts";
import type { CodeKind } from "./code_export.ts";
import { defaultTexts, type CopyKind, type ExportKind, type FigureState } from "./figure_state.ts";
import { lookFlags, lookTexts } from "./look.ts";
import type { Files } from "./setup.ts";
import { ui } from "../words/vocabulary.ts";

/** Markup that shows the figure on another page. */
export function tagText(name: string, attributes: readonly (readonly [string, string])[]): string {
  const written = attributes.map(
    ([key, text]) => ` ${key}="${text.replace(/[&"<]/g, (c) => `&#${c.charCodeAt(0)};`)}"`,
  );
  return `<${name}${written.join("")}></${name}>`;
}

/** What an address and a tag may hold: all but files. */
export function linked(
  { description }: Pick<FigureState, "description">,
  texts: FigureState["texts"],
): Record<string, string> {
  const names = description.params.filter(({ type }) => type !== "file").map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, texts[name] ?? ""]));
}

/** Whether the reader gave a file, which is in no link and no tag. */
export function hasFile({ texts, description }: FigureState): boolean {
  return description.params.some(({ name, type }) => type === "file" && texts[name] !== "");
}

/** Undefined where it would be too long. `element`: whose markup is copied. */
export function copyText(
  kind: CopyKind,
  state: FigureState,
  element: Pick<HTMLElement, "getAttribute"> & { readonly experiment: string; readonly tag: string },
  language: string,
  store: UrlStore | undefined,
): string | undefined {
  if (kind === "lines") return state.result?.lines.join("\n");
  const texts = linked(state, state.texts);
  if (kind === "link") return store?.link(element.experiment, texts, linked(state, state.defaults));
  const own = defaultTexts(state.description);
  const changed = Object.entries(texts).filter(([name, text]) => text !== own[name]);
  const kept = ["experiment", ...lookTexts, ...lookFlags].flatMap((name): [string, string][] => {
    const text = element.getAttribute(name);
    return text === null ? [] : [[name, text]];
  });
  return tagText(element.tag, [...kept, ...changed, ["lang", language]]);
}

/** Copies the text, and gives what the reader is told of it. */
export async function copied(kind: CopyKind, text: string | undefined, state: FigureState): Promise<string> {
  const { vocabulary } = state;
  if (text === undefined) return ui(vocabulary, "link_too_long");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return `${ui(vocabulary, "copy_failed")} ${kind === "lines" ? "" : text}`; // refused, or no clipboard here
  }
  return ui(vocabulary, kind !== "lines" && hasFile(state) ? "copied_no_file" : "copied");
}

/** Saves the result as a file of this kind; `root` holds its charts. */
export function saved(
  kind: ExportKind | CodeKind,
  { result, description }: FigureState,
  { saveAs, programs }: Files,
  root: ParentNode,
): Promise<void> | undefined {
  if (!result) return undefined;
  if (kind === "numpy" || kind === "torch" || kind === "cpp")
    return programs?.save(kind, description, result);
  return saveAs(kind, result, [...root.querySelectorAll<SVGSVGElement>(".chart-svg")]);
}
