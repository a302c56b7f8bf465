// The race's result from records that trainers here made is that of the race itself, and rows of any shape are refused.
import { beforeAll, describe, expect, it } from "vitest";
import { ShapeError, SqrtdkError, ValueError, load } from "../../bindings/entry/full.ts";
import type { RaceRows, Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

const race = {
  ...{
    task: "sort",
    length: 4,
    symbols: 5,
    d_model: 16,
    batch: 4,
    learning_rate: 0.002,
    init: "xavier_uniform",
  },
  ...{ scale: ["1/sqrt(d)", "none"], n_heads: [1, 2], seeds: 2, steps: 20, record_every: 10, examples: 16 },
};

let sqrtdk: Sqrtdk;
let rows: Float64Array[][][];
beforeAll(async () => {
  sqrtdk = await load();
  const seeds = seedsOf();
  rows = race.n_heads.flatMap((nHeads) =>
    race.scale.map((scale) => seeds.map((seed) => recordsOf(scale, nHeads, seed))),
  );
});

/** Which seeds run. */
function seedsOf(): string[] {
  const { params } = sqrtdk.experiments.get("training_race").run({ ...race, steps: 10 });
  return (params.seeds ?? "").split(",");
}

function recordsOf(scale: string, nHeads: number, seed: string): Float64Array[] {
  const { task, length, symbols, d_model: dModel, batch, learning_rate: learningRate, init } = race;
  const trainer = sqrtdk.train.trainer({
    ...{ task, length, symbols, dModel, batch, learningRate, init },
    ...{ scale, nHeads, seed, nonFinite: "skip" },
  });
  const records: Float64Array[] = [];
  const { examples, record_every: recordEvery, steps } = race;
  trainer.run(steps, { examples, recordEvery, onRecord: (row) => records.push(row) });
  trainer.dispose();
  return records;
}

describe("raceResult", () => {
  it("is the race's own, to the last bit", () => {
    expect(sqrtdk.train.raceResult(race, rows)).toEqual(sqrtdk.experiments.get("training_race").run(race));
  });

  it("draws a race under way, or one that has not begun", () => {
    const cut = rows.map((seeds, racer) => seeds.map((records) => records.slice(0, racer)));
    for (const some of [cut, rows.map((seeds) => seeds.map(() => []))]) {
      const result = sqrtdk.train.raceResult(race, some);
      expect(result.experiment).toBe("training_race");
      expect(result.figures.length).toBeGreaterThan(0);
    }
    const rowsOfNumbers = rows.map((seeds) => seeds.map((records) => records.map((row) => [...row])));
    const plain = sqrtdk.train.raceResult(race, rowsOfNumbers as unknown as RaceRows);
    expect(plain).toEqual(sqrtdk.train.raceResult(race, rows));
  });

  it("refuses rows of another race, and what are no rows", () => {
    const short = rows.map((seeds) => seeds.map((records) => records.map((row) => row.slice(1))));
    const shapes = [short, rows.slice(1), rows.map((seeds) => seeds.slice(1)), [...rows, ...rows]];
    for (const wrong of shapes)
      expect(thrown(() => sqrtdk.train.raceResult(race, wrong))).toBeInstanceOf(ShapeError);
    const wild = [
      null,
      {},
      [5],
      [[5]],
      [[[5]]],
      [[["text"]]],
      [[[{ length: 1e9 }]]],
      [[[new DataView(new ArrayBuffer(8))]]],
      "rows",
    ];
    for (const wrong of wild) {
      expect(thrown(() => sqrtdk.train.raceResult(race, wrong as never))).toBeInstanceOf(ValueError);
    }
    const unknown = { ...race, racers: 5 };
    expect(thrown(() => sqrtdk.train.raceResult(unknown, rows))).toMatchObject({ code: "unknown_name" });
    const strange = rows.map((seeds) => seeds.map((records) => records.map((row) => row.map(() => NaN))));
    try {
      sqrtdk.train.raceResult(race, strange);
    } catch (error) {
      expect(error).toBeInstanceOf(SqrtdkError);
    }
    for (const value of [Infinity, -1, 1e300, 0.5]) {
      const odd = rows.map((seeds) => seeds.map((records) => records.map((row) => row.map(() => value))));
      try {
        sqrtdk.train.raceResult(race, odd);
      } catch (error) {
        expect(error).toBeInstanceOf(SqrtdkError);
      }
    }
  });
});
