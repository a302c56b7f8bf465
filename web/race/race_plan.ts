// Who races: one racer per number of heads and scale, each with every seed.
import { camelCase } from "../../bindings/api/camel_case.ts";

type Texts = Readonly<Record<string, string>>;

export interface RacerPlan {
  readonly scale: string;
  readonly n_heads: string;
  /** The trainers' configs, one per seed. */
  readonly configs: readonly Texts[];
}

/** A learning rate that begins after so many steps. */
export interface RateChange {
  readonly step: number;
  readonly rate: number;
}

export interface RacePlan {
  /** The texts of the experiment's parameters. */
  readonly texts: Texts;
  readonly racers: readonly RacerPlan[];
  readonly steps: number;
  readonly record_every: number;
  /** The number of examples of each record's evaluation. */
  readonly examples: number;
  /** In the order of their steps. */
  readonly rateChanges: readonly RateChange[];
}

/** Parameters of the race that are no fields of a trainer's config. */
const ofRace = new Set(["scale", "n_heads", "seeds", "steps", "rate_changes", "record_every", "examples"]);

function items(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((item) => item.trim() || []);
}

/** The plan for texts that the experiment accepts; the racers in the order of `raceResult`. */
export function racePlan(texts: Texts): RacePlan {
  const own = Object.entries(texts)
    .filter(([name]) => !ofRace.has(name))
    .map(([name, text]) => [camelCase(name), text] as const);
  // As in C++: what continues a text is a decoder, and no other task has a text.
  const implied = texts["task"] === "characters" ? { topology: "decoder" } : { text: "" };
  const config = { ...Object.fromEntries(own), ...implied, nonFinite: "skip" };
  const racers = items(texts["n_heads"]).flatMap((n_heads) =>
    items(texts["scale"]).map((scale): RacerPlan => {
      const configs = items(texts["seeds"]).map((seed) => ({ ...config, nHeads: n_heads, scale, seed }));
      return { scale, n_heads, configs };
    }),
  );
  const [steps, record_every, examples] = ["steps", "record_every", "examples"].map((name) =>
    Number(texts[name]),
  );
  return {
    ...{ texts, racers, steps: steps!, record_every: Math.min(record_every!, steps!), examples: examples! },
    rateChanges: items(texts["rate_changes"]).map((item): RateChange => {
      const [step, rate] = item.split(":").map(Number);
      return { step: step!, rate: rate! };
    }),
  };
}

/** The same race with another learning rate after `step` steps. */
export function withRate(plan: RacePlan, step: number, rate: number): RacePlan {
  const others = plan.rateChanges.filter((change) => change.step !== step);
  const rateChanges = [...others, { step, rate }].sort((a, b) => a.step - b.step);
  const rate_changes = rateChanges.map((change) => `${change.step}:${change.rate}`).join(",");
  return { ...plan, rateChanges, texts: { ...plan.texts, rate_changes } };
}

/** The learning rate of the step after so many. */
export function rateAfter({ texts, rateChanges }: RacePlan, steps: number): string {
  const last = rateChanges.findLast(({ step }) => step <= steps);
  return last ? String(last.rate) : (texts["learning_rate"] ?? "");
}

/** The racers wait for each other after so many steps, at most. */
const stride = 10;

/** After how many steps they next wait for each other: at records, where a learning rate changes, and in between. */
export function nextMeeting({ record_every, rateChanges }: RacePlan, steps: number, target: number): number {
  const record = (Math.floor(steps / record_every) + 1) * record_every;
  const changes = rateChanges.map(({ step }) => step).filter((step) => step > steps);
  return Math.min(steps + stride, record, target, ...changes);
}

/** Whether a run with `texts` would be this very race. */
export function sameRace(plan: RacePlan, texts: Texts): boolean {
  return Object.entries(texts).every(([name, text]) => plan.texts[name] === text);
}

/** From look inside to look inside, in steps: a record or 2, 4, 8 .., so that there are at most `most`. */
export function lookEvery({ steps, record_every }: RacePlan, most: number): number {
  let every = record_every;
  while (steps / every > most) every *= 2;
  return every;
}
