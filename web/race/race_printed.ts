// The finished race as the site's build prints it: its result, and one look into each racer at the end. In JSON a map's
// weights are plain numbers.
import type { RunResult } from "../../bindings/api/types.ts";
import type { Train } from "../../bindings/api/trainer.ts";
import { racePlan } from "./race_plan.ts";
import { examples, type Look } from "./racer.ts";
import type { PrintedRace } from "./race_state.ts";

/** By result: training takes as long as rendering every page, and scripts/dev renders the same result often. */
const known = new WeakMap<RunResult, Look[]>();

/** What a look into the first seed of each racer shows at the end of the race of `result`, which this trains for it. */
export function looksAtTheEnd({ trainer }: Pick<Train, "trainer">, result: RunResult): Look[] {
  const plan = racePlan(result.params);
  const look = ({ configs }: (typeof plan.racers)[number]): Look => {
    const model = trainer(configs[0]);
    for (const { step, rate } of plan.rateChanges) {
      model.run({ until: Math.min(step, plan.steps) });
      model.learningRate = rate;
    }
    model.run({ until: plan.steps });
    const seen = { maps: model.attentionMaps(0), answers: model.answers(examples) };
    model.dispose();
    return seen;
  };
  const looks = known.get(result) ?? plan.racers.map(look);
  known.set(result, looks);
  return looks;
}

export function printedText({ result, looks }: PrintedRace): string {
  return JSON.stringify({ result, looks }, (_, value: unknown) =>
    value instanceof Float32Array ? [...value] : value,
  );
}

/** Throws where there is none at this address. */
export async function readPrinted(address: URL): Promise<PrintedRace> {
  const response = await fetch(address);
  const { result, looks } = (await response.json()) as { result: RunResult; looks: Look[] };
  return {
    result,
    looks: looks.map(({ maps, answers }) => ({
      answers,
      maps: maps.map((map) => ({ ...map, weights: Float32Array.from(map.weights) })),
    })),
  };
}
