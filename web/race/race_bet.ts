// The reader's bet on who is first to have 90 % right: kept on this device, and what became of it.
import type { Learned } from "./race_learned.ts";
import type { RacerPlan } from "./race_plan.ts";

/** The bet that no racer arrives. */
export const nobody = "nobody";

/** What a racer is called in a bet: the same whatever the other settings are. */
export function betOn({ scale, n_heads }: Pick<RacerPlan, "scale" | "n_heads">): string {
  return `${scale}|${n_heads}`;
}

/** How a race ended for who had bet on it, or on nothing (""). */
export interface Outcome {
  /** The racers that were first, by their places in the plan; none where nobody has arrived. */
  readonly first: readonly number[];
  /** After how many steps. */
  readonly steps: number | null;
  /** Undefined without a bet on somebody who ran. */
  readonly right: boolean | undefined;
  /** Who was bet on, and when it arrived; undefined for a bet on nobody, or none. */
  readonly backed: { readonly place: number; readonly steps: number | null } | undefined;
}

export function outcomeOf(
  racers: readonly Pick<RacerPlan, "scale" | "n_heads">[],
  learned: readonly Pick<Learned, "reached">[],
  bet: string,
): Outcome {
  const reached = learned.map((each) => each.reached ?? Infinity);
  const least = Math.min(...reached);
  const first = least < Infinity ? reached.flatMap((steps, place) => (steps === least ? [place] : [])) : [];
  const place = racers.findIndex((racer) => betOn(racer) === bet);
  const backed = place < 0 ? undefined : { place, steps: learned[place]?.reached ?? null };
  const right =
    bet === nobody ? first.length === 0 : backed === undefined ? undefined : first.includes(place);
  return { first, steps: least < Infinity ? least : null, right, backed };
}

const key = "sqrtdk.race.bet";

/** "" where there is none, or nothing may be read. */
export function readBet(storage: () => Storage = () => localStorage): string {
  try {
    return storage().getItem(key) ?? "";
  } catch {
    return "";
  }
}

export function writeBet(bet: string, storage: () => Storage = () => localStorage): void {
  try {
    storage().setItem(key, bet);
  } catch {
    // refused or full: it lasts as long as the page
  }
}
