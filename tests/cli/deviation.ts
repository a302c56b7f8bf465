// How far a Monte-Carlo figure of ours is from another's, in standard errors of their difference.
import type { Scalar } from "../../bindings/api/types.ts";

const quantiles = ["p10", "p50", "p90"] as const;

export interface Mean {
  readonly mean: number;
  readonly se_mean: number;
  readonly std: number;
  /** Intervals of ±1.96 standard errors. */
  readonly quantiles_value_lo95_hi95: Readonly<
    Record<(typeof quantiles)[number], readonly [number, number, number]>
  >;
}

export interface Share {
  readonly p: number;
  readonly se: number;
}

/** With their spread for ours. */
export function meanDeviation(ours: number, trials: number, { mean, se_mean, std }: Mean): number {
  return (ours - mean) / Math.hypot(se_mean, std / Math.sqrt(trials));
}

export function quantileDeviations(
  ours: Scalar,
  trials: number,
  { quantiles_value_lo95_hi95 }: Mean,
  theirTrials: number,
  logarithmic = false,
): [name: string, deviation: number][] {
  const scale = logarithmic ? Math.log : (x: number): number => x;
  return quantiles.map((p) => {
    const [value, low, high] = quantiles_value_lo95_hi95[p].map(scale) as [number, number, number];
    const se = ((high - low) / 2 / 1.96) * Math.sqrt(1 + theirTrials / trials);
    const difference = scale(ours[p]!) - value;
    // Where all of theirs are 0, numbers cancelled: a root of squares is known to the root of double's precision.
    const equal = difference === 0 || (se === 0 && value === 0 && Math.abs(difference) < 2 ** -26);
    return [p, equal ? 0 : difference / se];
  });
}

/** With the share of both together. */
export function shareDeviation(ours: number, trials: number, theirs: number, theirTrials: number): number {
  const pooled = (theirs * theirTrials + ours * trials) / (theirTrials + trials);
  const se = Math.sqrt(pooled * (1 - pooled) * (1 / theirTrials + 1 / trials));
  return ours === theirs ? 0 : (ours - theirs) / se;
}

/** A standard error of `from` trials, with `to` of them. */
export function smaller(se: number, from: number, to: number): number {
  return se * Math.sqrt(from / to);
}
