// A program's numbers against the native command's.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Labels } from "../../bindings/api/types.ts";
import { native, printed, shown } from "./programs.ts";

/** Of a number; and of the largest of its name, as what is small may be a difference of what is not. */
const relative = 1e-5;
const ofLargest = 1e-7;

function close(got: number, expected: number, largest: number): boolean {
  if (!Number.isFinite(expected)) return Object.is(got, expected);
  return Math.abs(got - expected) <= relative * Math.abs(expected) + ofLargest * largest;
}

function largestByName(numbers: ReadonlyMap<string, readonly number[]>): Map<string, number> {
  const largest = new Map<string, number>();
  for (const [key, values] of numbers) {
    const name = key.split(" ", 1)[0]!;
    for (const x of values) if (Math.abs(x) > (largest.get(name) ?? 0)) largest.set(name, Math.abs(x));
  }
  return largest;
}

/**
 * What the program at `path` printed: each of its numbers is that of the native command, and it has all scalars and
 * lines but those of which its text says that they are left out.
 */
export function compare(path: string, output: string, id: string, params: Labels): void {
  const result = native(id, params);
  const expected = shown(result);
  const got = printed(output);
  expect(got.lines).toEqual(result.lines);

  const wrong: string[] = [];
  for (const known of [expected.scalars, expected.rows]) {
    const largest = largestByName(known);
    for (const [key, values] of got.numbers) {
      const wanted = known.get(key);
      if (!wanted) continue;
      const scale = largest.get(key.split(" ", 1)[0]!) ?? 0;
      const alike = values.length === wanted.length && values.every((x, i) => close(x, wanted[i]!, scale));
      if (!alike) wrong.push(`${key} = ${values.join(" ")}, not ${wanted.join(" ")}`);
    }
  }
  expect(wrong).toEqual([]);

  const unknown = [...got.numbers.keys()].filter(
    (key) => !expected.scalars.has(key) && !expected.rows.has(key),
  );
  expect(unknown).toEqual([]);
  const leftOut = /^Left out: (.+)$/m.exec(readFileSync(path, "utf8"))?.[1]?.split(", ") ?? [];
  const missing = [...expected.scalars.keys()].filter((key) => !got.numbers.has(key));
  expect(missing.filter((key) => !leftOut.includes(key) && !leftOut.includes(key.split(" ", 1)[0]!))).toEqual(
    [],
  );
}
