// A chart in one sentence, from the same arrays: its caption, and what screen readers hear.
import type { Figure } from "../../bindings/api/types.ts";
import type { Vocabulary } from "../words/vocabulary.ts";
import { typeset } from "./format.ts";
import { kindOf } from "./kinds.ts";

export function summary(figure: Figure, vocabulary: Vocabulary): string {
  return typeset(kindOf(figure).summary(figure, vocabulary));
}
