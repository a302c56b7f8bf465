// What the page for authors knows of every figure before one is loaded.
import type { Language } from "../words/vocabulary.ts";

/** A figure that can be embedded. */
export interface Embeddable {
  /** Its question. */
  titles: Readonly<Record<Language, string>>;
  /** Its parameters' texts; none of a file, which no address holds. */
  defaults: Readonly<Record<string, string>>;
  /** Names and titles. */
  charts: readonly (readonly [name: string, title: string])[];
  /** Of the result with the defaults. */
  hash: string;
  /** The page that has it printed, from the language's folder. */
  page: string;
}

/** By experiment, and "hero". */
export type Catalogue = Readonly<Record<string, Embeddable>>;
