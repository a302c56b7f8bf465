// An attention map without labels, small enough to stand in a lane: each cell as dark as its weight, so that one can watch
// it sharpen or stay as it is.
import { html, svg, type TemplateResult } from "lit/html.js";
import type { AttentionMap } from "../../bindings/api/trainer.ts";
import { formatWeight } from "../charts/format.ts";
import { attentionName, raceWord } from "./race_words.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

/** Of longer texts the first tokens. */
const shown = 24;

export function smallMap(map: AttentionMap, name: string, vocabulary: Vocabulary): TemplateResult {
  const { nQ, nK, weights, attention } = map;
  const [rows, columns] = [Math.min(nQ, shown), Math.min(nK, shown)];
  const share = formatWeight(meanOfLargest(map));
  const said = { name, attention: attentionName(attention, vocabulary), share };
  return html`<svg
    class="race-map"
    viewBox="0 0 ${columns} ${rows}"
    role="img"
    aria-label=${raceWord(vocabulary, "map_said", said)}
  >
    ${Array.from({ length: rows * columns }, (_, cell) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const weight = weights[row * nK + column] ?? 0;
      return svg`<rect x=${column} y=${row} width="1" height="1" fill-opacity=${Math.round(weight * 100) / 100}></rect>`;
    })}
  </svg>`;
}

/** 1: every query looks at a single key. */
export function meanOfLargest({ nQ, nK, weights }: AttentionMap): number {
  let sum = 0;
  for (let row = 0; row < nQ; ++row) sum += Math.max(...weights.subarray(row * nK, (row + 1) * nK));
  return sum / nQ;
}
