// What an author chooses to embed, and its place in the page's address: entries of an element "embed" beside those of
// the figure itself, e.g. #embed&embed.figure=softmax_saturation&embed.controls=few&softmax_saturation.d=64.
import type { Language } from "../words/vocabulary.ts";

export const controls = ["all", "few", "none"] as const;
export const themes = ["", "light", "dark"] as const;

export interface Choice {
  /** An experiment, or "hero". */
  figure: string;
  /** The texts of parameters that differ from the defaults. */
  params: Readonly<Record<string, string>>;
  controls: (typeof controls)[number];
  /** Names of the charts to show; none: all. */
  charts: readonly string[];
  /** "": the page's own. */
  theme: (typeof themes)[number];
  lang: Language;
}

/** What the address says of a choice, beside the figure's parameters. */
export type Look = Omit<Choice, "params">;

/** The address's texts where it says nothing. */
export function lookDefaults(figure: string, lang: Language): Record<string, string> {
  return { figure, controls: "all", charts: "", theme: "", lang };
}

/** Whatever an address says: what means nothing is the default. `known`: the figures that there are. */
export function readLook(
  texts: Readonly<Record<string, string>>,
  known: ReadonlySet<string>,
  defaults: Readonly<Record<string, string>>,
): Look {
  const one = <T extends string>(name: string, among: readonly T[]): T =>
    among.find((each) => each === texts[name]) ?? (defaults[name] as T);
  const { figure = "", charts = "" } = texts;
  return {
    figure: known.has(figure) ? figure : (defaults["figure"] ?? ""),
    controls: one("controls", controls),
    charts: charts.split(",").filter((name) => /^\w+$/.test(name)),
    theme: one("theme", themes),
    lang: one("lang", ["en", "zh"] as const),
  };
}

export function lookTexts({ figure, controls, charts, theme, lang }: Look): Record<string, string> {
  return { figure, controls, charts: charts.join(","), theme, lang };
}

/** The texts that differ from `defaults`. */
export function changed(
  texts: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== defaults[name]));
}
