// The records of a race as C++ reads them.
import { unsupported } from "./given.ts";
import { requestText } from "./params.ts";
import type { Border } from "./raw.ts";
import * as operators from "./signatures.ts";
import type { RaceRows } from "./trainer.ts";
import type { RunParams, RunResult } from "./types.ts";

const id = "training_race";

export function raceResult(border: Border, params: RunParams, rows: RaceRows): RunResult {
  const numbers = numbersOf(rows);
  const bytes = new Uint8Array(numbers.buffer);
  const result = border.withText(id, requestText(id, params), (request) =>
    border.withBytes(id, bytes, (placed) => border.call("", operators.raceResult, { request, rows: placed })),
  );
  return JSON.parse(result) as RunResult;
}

/** How many racers; of each how many seeds; of each how many records; of each how many numbers, and those. */
function numbersOf(rows: RaceRows): Float64Array<ArrayBuffer> {
  const numbers: number[] = [];
  const list = <T>(values: readonly T[]): readonly T[] => {
    const given: unknown = values;
    if (!Array.isArray(given)) throw unsupported(id, "rows", "rows[racer][seed][record]", given);
    numbers.push(values.length);
    return values;
  };
  for (const seeds of list(rows)) {
    for (const records of list(seeds)) {
      for (const row of list(records)) {
        if (!(ArrayBuffer.isView(row) && "length" in row) && !Array.isArray(row))
          throw unsupported(id, "rows", "a Float64Array for each record", row);
        numbers.push(row.length);
        for (let i = 0; i < row.length; ++i) numbers.push(Number(row[i]));
      }
    }
  }
  return Float64Array.from(numbers);
}
