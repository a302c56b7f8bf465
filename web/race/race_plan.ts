// Who races: one racer per number of heads and scale, each with every seed.

type Texts = Readonly<Record<string, string>>;

export interface RacerPlan {
  readonly scale: string;
  readonly n_heads: string;
  /** The trainers' configs, one per seed. */
  readonly configs: readonly Texts[];
}

export interface RacePlan {
  /** The texts of the experiment's parameters. */
  readonly texts: Texts;
  readonly racers: readonly RacerPlan[];
  readonly steps: number;
  readonly record_every: number;
  /** The number of examples of each record's evaluation. */
  readonly examples: number;
}

/** Parameters of the race that are no fields of a trainer's config. */
const ofRace = new Set(["scale", "n_heads", "seeds", "steps", "record_every", "examples"]);

function items(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((item) => item.trim() || []);
}

/** The plan for texts that the experiment accepts; the racers in the order of `race_result`. */
export function racePlan(texts: Texts): RacePlan {
  const own = Object.entries(texts).filter(([name]) => !ofRace.has(name));
  const config = { ...Object.fromEntries(own), non_finite: "skip" };
  const racers = items(texts["n_heads"]).flatMap((n_heads) =>
    items(texts["scale"]).map((scale): RacerPlan => {
      const configs = items(texts["seeds"]).map((seed) => ({ ...config, n_heads, scale, seed }));
      return { scale, n_heads, configs };
    }),
  );
  const [steps, record_every, examples] = ["steps", "record_every", "examples"].map((name) =>
    Number(texts[name]),
  );
  return { texts, racers, steps: steps!, record_every: Math.min(record_every!, steps!), examples: examples! };
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
