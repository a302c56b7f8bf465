import type { Description } from "../../bindings/api/types.ts";
import type { Language, Vocabulary } from "../words/vocabulary.ts";

type Words = Record<string, Record<string, string>>;
type Needs = Pick<Description, "id" | "module" | "params" | "presets" | "words">;

/** What the native command says of the experiments. */
export function descriptions(): readonly Description[];
/** The whole vocabulary. Throws where an experiment needs a word that is not there. */
export function vocabularyOf(language: Language, experiments?: readonly Description[]): Vocabulary;
/** Every key that an experiment needs, by topic. */
export function neededWords(experiment: Needs): Record<string, readonly string[]>;
/** A sentence for each word that an experiment needs and `file` lacks. */
export function missingWords(vocabulary: Words, experiments: readonly Needs[], file: string): string[];
/** The words that the experiments of the first module need, and the others. */
export function splitWords(vocabulary: Words, experiments?: readonly Needs[]): { first: Words; rest: Words };
/** A plug-in of bundlers. */
export function words(): {
  name: string;
  enforce: "pre";
  resolveId(id: string): string | null;
  load(id: string): { code: string; moduleType: "js" } | null;
};
