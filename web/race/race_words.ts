// Words of the race: names of racers and of attentions, in the reader's language.
import type { Labels, Role, RunResult } from "../../bindings/api/types.ts";
import type { RacePlan, RacerPlan } from "./race_plan.ts";
import type { Look } from "./racer.ts";
import { formatNumber } from "../charts/format.ts";
import { figureName, seriesName } from "../charts/layout.ts";
import { fill, ui, word, type Vocabulary } from "../words/vocabulary.ts";

export function raceWord(
  vocabulary: Vocabulary,
  key: string,
  values: Readonly<Record<string, string>> = {},
): string {
  return fill(word(vocabulary, "race", key), values);
}

/** What tells a racer from the others. */
export function racerAt({ scale, n_heads }: RacerPlan, plan: RacePlan): Labels {
  return plan.racers.some((other) => other.n_heads !== n_heads) ? { scale, n_heads } : { scale };
}

/** unscaled; where the heads differ too: unscaled, h = 4 */
export function racerName(racer: RacerPlan, plan: RacePlan, vocabulary: Vocabulary): string {
  const named = word(vocabulary, "series", racer.scale);
  const name = named === racer.scale ? word(vocabulary, "choices", racer.scale) : named;
  const { n_heads } = racerAt(racer, plan);
  return n_heads === undefined ? name : `${name}, ${word(vocabulary, "symbols", "n_heads")} = ${n_heads}`;
}

export function racerRole({ scale }: Pick<RacerPlan, "scale">): Role {
  if (scale === "none") return "unscaled";
  return scale === "1/sqrt(d)" ? "scaled" : "other";
}

/** Who does not reach 90 % at which d_k: its line over d_k has no point there. */
export function neverNotes({ figures }: RunResult, vocabulary: Vocabulary): string[] {
  const figure = figures.find(({ name }) => name === "steps_over_d_k");
  if (!figure) return [];
  return figure.series.flatMap((series) => {
    const missing = series.x.filter((_, index) => typeof series.y[index] !== "number");
    if (missing.length === 0) return [];
    return raceWord(vocabulary, "never_at", {
      figure: figureName(figure, vocabulary),
      series: seriesName(series, vocabulary),
      x: word(vocabulary, "symbols", figure.x),
      values: missing.map((x) => formatNumber(x)).join(ui(vocabulary, "list_separator")),
    });
  });
}

/** The names of the attentions that the racers have. */
export function attentionsOf(lanes: readonly { readonly look?: Look | undefined }[]): string[] {
  return [...new Set(lanes.flatMap(({ look }) => look?.maps ?? []).map(({ attention }) => attention))];
}

/** "encoder.layers.0.self_attn": the encoder's layer 1; "decoder.layers.0.multihead_attn": …, to the source. */
export function attentionName(name: string, vocabulary: Vocabulary): string {
  const [, stack, layer, kind] = /^(?:(\w+)\.)?layers\.(\d+)\.(\w+)$/.exec(name) ?? [];
  if (layer === undefined) return name;
  const key = kind !== "self_attn" ? "cross_layer" : stack === undefined ? "layer" : `${stack}_layer`;
  return raceWord(vocabulary, key, { layer: String(Number(layer) + 1) });
}
