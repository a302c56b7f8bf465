// The races of this session, kept to be compared: one entry per racer.
import type { RunResult } from "../../bindings/api/types.ts";
import type { Race } from "./race.ts";

export interface RunEntry {
  readonly id: string;
  /** Every setting of its race. */
  readonly texts: Readonly<Record<string, string>>;
  readonly scale: string;
  readonly n_heads: string;
  readonly steps: number;
  /** The median over the seeds; null: never. */
  readonly steps_to_90: number | null;
  readonly accuracy: number | null;
  /** The hash of the first seed's weights. */
  readonly hash: string;
}

/** The entries of a race at this moment, whose result is `result`. */
export function runEntries(race: Race, result: RunResult | undefined): Promise<RunEntry[]> {
  const { texts } = race.plan;
  return Promise.all(
    race.racers.map(async (racer, index): Promise<RunEntry> => {
      const { scale, n_heads } = racer.plan;
      const scalar = (name: string): number | null =>
        result?.scalars.filter((one) => one.name === name && !("seed" in one.at))[index]?.value ?? null;
      const hash = await racer.weightHash().catch(() => "");
      const numbers = {
        steps: racer.steps,
        steps_to_90: scalar("steps_to_90"),
        accuracy: scalar("token_accuracy"),
      };
      return { id: `${race.id}-${index}`, texts, scale, n_heads, ...numbers, hash };
    }),
  );
}

const key = "sqrtdk.race.runs";
const most = 60;

function isEntry(entry: unknown): entry is RunEntry {
  const { id, texts, scale, n_heads, steps, hash } = (entry ?? {}) as Record<string, unknown>;
  const words = [id, scale, n_heads, hash].every((text) => typeof text === "string");
  return words && typeof steps === "number" && typeof texts === "object" && !!texts;
}

/** Where nothing may be kept, or something else was, there are no entries. */
export function readRuns(storage: () => Storage = () => sessionStorage): RunEntry[] {
  try {
    const entries: unknown = JSON.parse(storage().getItem(key) ?? "[]");
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

export function writeRuns(entries: readonly RunEntry[], storage: () => Storage = () => sessionStorage): void {
  try {
    storage().setItem(key, JSON.stringify(entries));
  } catch {
    // forbidden or full: they last as long as the page
  }
}

/** `entries` with `added` in the places of those with the same id, or at the end; the oldest go. */
export function withRuns(entries: readonly RunEntry[], added: readonly RunEntry[]): RunEntry[] {
  const kept = entries.filter(({ id }) => !added.some((entry) => entry.id === id));
  return [...kept, ...added].slice(-most);
}

/** What sets `entry` apart from the defaults, beside its scale and heads. */
export function ownSettings(
  { texts }: RunEntry,
  defaults: Readonly<Record<string, string>>,
): [name: string, text: string][] {
  const shown = (name: string): boolean => name !== "scale" && name !== "n_heads";
  return Object.entries(texts).filter(
    ([name, text]) => shown(name) && name in defaults && text !== defaults[name],
  );
}
