// Every figure of an independent Monte-Carlo simulation that ours computes too, at all of its d and scales.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RunResult } from "../../bindings/types.ts";
import { reference, runJson, scalar } from "./command.ts";

interface Mean {
  mean: number;
  se_mean: number;
  std: number;
  quantiles_value_lo95_hi95: Record<"p10" | "p50" | "p90", [value: number, low: number, high: number]>;
}
interface Share {
  p: number;
  se: number;
}
type ByScale = Record<string, Record<string, Mean | Share>> & { n_k: number; distribution: string };

const path = reference + "/statistics.json";
const byD = existsSync(path)
  ? (JSON.parse(readFileSync(path, "utf8")) as { by_d: Record<string, ByScale> }).by_d
  : {};
const scales = ["none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d"];
const names = {
  score_variance: ["logit_mean_per_trial", "logit_variance_per_trial", "logit_mean_square_per_trial"],
  softmax_saturation: [
    ...["softmax_max", "softmax_min", "entropy_nats", "effective_keys_exp_entropy"],
    ...["frac_max_gt_0.9", "frac_max_gt_0.99", "frac_max_gt_0.999"],
  ],
};
const trials = 10000;

/** Four standard errors: those of the reference and, with its spread, our own. */
function compareMean(result: RunResult, name: string, at: Record<string, string>, theirs: Mean) {
  const ours = scalar(result, name, at);
  const se = Math.hypot(theirs.se_mean, theirs.std / Math.sqrt(trials));
  expect(Math.abs(ours.value! - theirs.mean), `${name} ${JSON.stringify(at)}`).toBeLessThan(4 * se);
  expect(ours.se).toBeCloseTo(ours.std! / Math.sqrt(trials), 12);
}

/** The intervals are ±1.96 standard errors of theirs; ours are √(20000 / trials) as wide. */
function compareQuantiles(result: RunResult, name: string, at: Record<string, string>, theirs: Mean) {
  const ours = scalar(result, name, at);
  const log = name === "softmax_min" ? Math.log : (x: number) => x;
  for (const p of ["p10", "p50", "p90"] as const) {
    const [value, low, high] = theirs.quantiles_value_lo95_hi95[p].map(log) as [number, number, number];
    const se = ((high - low) / 2 / 1.96) * Math.sqrt(1 + 20000 / trials);
    expect(Math.abs(log(ours[p]!) - value), `${name} ${p} ${JSON.stringify(at)}`).toBeLessThanOrEqual(4 * se);
  }
}

function compareShare(result: RunResult, name: string, at: Record<string, string>, theirs: Share) {
  const ours = scalar(result, name, at);
  const pooled = (theirs.p * 20000 + ours.value! * trials) / (20000 + trials);
  const se = Math.sqrt(pooled * (1 - pooled) * (1 / 20000 + 1 / trials));
  expect(Math.abs(ours.value! - theirs.p), `${name} ${JSON.stringify(at)}`).toBeLessThanOrEqual(4 * se);
}

describe.skipIf(Object.keys(byD).length === 0)("the reference's statistics", () => {
  test.each(Object.keys(byD).flatMap((d) => Object.entries(names).map(([id, list]) => ({ d, id, list }))))(
    "$id at d = $d",
    ({ d, id, list }) => {
      const theirs = byD[d]!;
      const words = [
        "--d",
        d,
        "--n_keys",
        String(theirs.n_k),
        "--scale",
        scales.join(),
        "--trials",
        String(trials),
      ];
      const result = runJson(id, ...words);
      let compared = 0;
      for (const scale of scales) {
        for (const name of list) {
          const at = { d, scale };
          const figure = theirs[scale]![name]!;
          ++compared;
          if ("p" in figure) {
            compareShare(result, name, at, figure);
          } else {
            compareQuantiles(result, name, at, figure);
            // Unscaled, the smallest weight has too heavy a tail for its mean to be compared.
            if (name !== "softmax_min" || scale !== "none") compareMean(result, name, at, figure);
          }
        }
      }
      expect(compared).toBe(scales.length * list.length);
    },
  );
});
