// The words of the elements. web/content/{en,zh}/vocabulary.json holds one `Vocabulary` per language;
// a word that is missing there shows as its key, so that a new experiment works before it is translated.
// Words may hold {placeholders}, listed beside their keys.

export type Language = "en" | "zh";

/** Words that the templates themselves use. */
export const uiKeys = [
  "controls", // name of the group of controls
  "more_settings", // summary of the second group
  "new_seed", // button
  "custom_scale", // label of the text field for a number as scale
  "replaced", // "{names}": settings without an effect beside the reader's own data
  "matrix_hint", // how to write one's own numbers: rows on lines, columns by commas; CSV or .npy
  "choose_file", // label of the file field
  "drop_here", // shown while a file is dragged over the field
  "preset", // label of the choice of presets
  "preset_none", // the defaults as one of the presets
  "preset_own", // the choice where the settings are neither
  "reset", // button: back to the defaults
  "running", // "computing, {percent}"
  "cancel", // button
  "cancelled", // said after cancel
  "computed_here", // said in place of the progress: computed on this device
  "loading", // the kernels are being loaded
  "load_failed", // "{message}": the kernels did not load; the printed figure stays
  "holds", // the claim agrees with what was computed
  "fails", // it does not
  "stale", // said above what belongs to other settings than these
  "unjudged", // neither: chance explains it, or there is nothing to compare
  "equal_at", // verdict where the division changes largest weights, but not those at "{d}"
  "hash", // label of the 16 hex digits
  "hash_hint", // what the digits are good for (title)
  "apparatus", // summary of what is folded below the charts: lines, captions, tables, exports, hash
  "show_data", // summary of the tables
  "printed_lines", // heading of the lines in the article's format
  "scalars", // heading of the table of scalars
  "name", // table heads
  "at",
  "value",
  "standard_error",
  "expected",
  "spread", // 10th, 50th and 90th percentile over trials
  "copy_lines", // buttons
  "copied",
  "copy_failed",
  "copy_link",
  "copy_tag",
  "export", // name of the group of export buttons
  "export_failed", // "{message}"
  "link_too_long",
  "scaled", // the two meanings
  "unscaled",
  "at_item", // "{name} = {value}", e.g. d = 32
  "list_separator", // between items of a list
  "summary_bars", // "{figure}{at}: largest {y}: {items}."
  "summary_lines", // "{figure}{at}, from {x} = {first} to {last}: {items}."
  "summary_lines_item", // "{series} from {from} to {to}"; also {x}, {first}, {last}
  "summary_lines_none", // "{item} (no value at {x} = {values})": where a line has a gap
  "summary_histogram", // "{figure}{at}: {items}."
  "summary_histogram_item", // "{series} from {first} to {last}, highest at {peak}"
  "summary_empty", // "{figure}{at}: no finite value."
  "summary_item", // "{series} {value}"
  "summary_at", // " ({items})"
  "bands", // what the bands of the charts show: lowest to highest
  "error_bars", // what the bars of the charts show: ± 2 standard errors
  "timed_here", // whose times these are: this device's
  "timed_where_built", // printed ones, until this device has its own
  "max", // of weights, in a chart
  "heat_keys", // how the keyboard moves over a heat map
  "heat_keys_among", // the same where there are several
  "heat_logarithmic", // "{name}": what the colours show, on a logarithmic scale
  "heat_place", // "{row}, {col}", e.g. query cat, key sat
  "heat_cell", // "{place}: {value}"
  "heat_peak", // "largest {most}: {place}", under one of many maps
  "heat_masked", // in place of a weight that is not there
  "heat_missing", // in place of any other value
  "heat_traced", // "{items}": what a cell that is pointed at comes from, and what comes of it
  "rows_cut", // "{rows} of {n_rows}": the table shows the first ones
  "summary_heatmap", // "{figure}{at}: {n_rows} × {n_cols}, {least} to {most}, {place}{missing}"
  "summary_heatmap_empty", // the same without a value
  "summary_missing", // "; {count} masked"
  "summary_without", // "; {count} without a value"
  "summary_broken", // "; {count} infinite or no number"
  "file_hint", // that the reader's files stay here
  "remove_file", // button
  "copied_no_file", // said in place of "copied" where the reader's file is not part of it
  "hero_label", // name of the hero's figure
  "hero_scaled", // row names, e.g. softmax(q·k / √d)
  "hero_unscaled",
  "hero_max", // "largest weight"
  "hero_range", // "{low}", "{high}": between which eight of ten draws lie
  "hero_summary", // "d = {d}: largest weight {scaled} scaled, {unscaled} unscaled."
  "hero_d", // label of the slider
] as const;
export type UiKey = (typeof uiKeys)[number];

/** Words per name that experiments use; unlisted names show as themselves. */
export interface Vocabulary {
  ui: Partial<Record<UiKey, string>>;
  questions: Record<string, string>; // experiment id
  params: Record<string, string>; // d n_keys scale distribution trials seed rng draws q k mean correlation nu
  hints: Record<string, string>; // below a control: what it takes
  symbols: Record<string, string>; // the same, short, for "d = 32": d → d, n_keys → n
  groups: Record<string, string>; // of settings: model, optimizer …
  presets: Record<string, string>;
  choices: Record<string, string>; // normal … philox torch independent paired; none 1/sqrt(d) 1/(2*sqrt(d)) 1/d
  scalars: Record<string, string>; // softmax_max …
  figures: Record<string, string>; // weights variance_over_d …
  axes: Record<string, string>; // key weight d …, and key_sorted
  series: Record<string, string>; // scaled unscaled measured …
  verdicts: Record<string, string>; // verdict key
  race: Record<string, string>; // of the training race
  check: Record<string, string>; // of the reader's check
  errors: Record<string, string>; // code: "{argument} … {expected} … {got}"; other = any other code: "{message}"
  /** What errors expected or got, where it is words: "integer", "at least {n} value", "{value} in row {row}, …". */
  expected: Record<string, string>;
}

export type Topic = Exclude<keyof Vocabulary, "ui">;

export const emptyVocabulary: Vocabulary = {
  ui: {},
  questions: {},
  params: {},
  hints: {},
  symbols: {},
  groups: {},
  presets: {},
  choices: {},
  scalars: {},
  figures: {},
  axes: {},
  series: {},
  verdicts: {},
  race: {},
  check: {},
  errors: {},
  expected: {},
};

/** A part of a vocabulary. */
export type Words = Partial<Vocabulary>;

export function withWords(parts: readonly Words[]): Vocabulary {
  const all: Record<string, Record<string, string>> = { ...emptyVocabulary };
  for (const part of parts) {
    for (const [topic, words] of Object.entries(part)) all[topic] = { ...all[topic], ...words };
  }
  return all as unknown as Vocabulary;
}

/** The word for `key`, or `key` itself. */
export function word(vocabulary: Vocabulary, topic: Topic, key: string): string {
  const words = vocabulary[topic];
  return Object.hasOwn(words, key) ? (words[key] ?? key) : key;
}

/** What a parameter takes, or nothing. */
export function hint({ hints }: Vocabulary, name: string): string {
  return Object.hasOwn(hints, name) ? (hints[name] ?? "") : "";
}

/** Replaces {name} by `values.name`; unknown placeholders stay. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

export function ui(
  vocabulary: Vocabulary,
  key: UiKey,
  values: Readonly<Record<string, string>> = {},
): string {
  return fill(vocabulary.ui[key] ?? key, values);
}

/** "zh-CN" → zh; everything that is not Chinese is English. */
export function languageOf(tag: string | null | undefined): Language {
  return /^zh\b/i.test(tag ?? "") ? "zh" : "en";
}
