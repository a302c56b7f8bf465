// Derives quoted numbers anew with the native command; what a derivation must keep to.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { format } from "prettier";
import type { RunResult } from "../../../bindings/api/types.ts";
import { measured, type Quoted, type QuotedRun } from "../../../web/page/quoted.ts";
import { list, runJson } from "../../cli/command.ts";

export const folder = fileURLToPath(new URL("../../../web/content/quoted/", import.meta.url));

type Params = Readonly<Record<string, string>>;

function run(id: string, params: Params): RunResult {
  return runJson(id, ...Object.entries(params).flatMap(([name, text]) => [`--${name}`, text]));
}

function valueIn(result: RunResult, quoted: Quoted): number | null {
  return measured(result, quoted) ?? null;
}

export function calculated(formula: string): number {
  const names = Object.fromEntries(
    ["sqrt", "exp", "log", "log2", "PI"].map((name) => [name, Math[name as "exp"]]),
  );
  return Number(runInNewContext(formula, names));
}

/** The settings of one of its runs. */
export function settings({ params = {}, seeds, vary = "seed" }: QuotedRun, seed: number): Params {
  return seeds === undefined ? params : { ...params, [vary]: String(seed) };
}

const seeded = new Set(
  list()
    .filter(({ params }) => params.some(({ name }) => name === "seed"))
    .map(({ id }) => id),
);

/** How much the last printed digit counts. */
export function unitOf(format: string, value: number): number {
  const digits = Number(/\d/.exec(format)?.[0] ?? 0);
  if (format.startsWith("g")) return 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  return 10 ** -(digits + (format.endsWith("%") ? 2 : 0));
}

/** Must be the same with another seed. */
const isExact = ({ se, runs, formula }: Quoted): boolean => !se && !runs && formula === undefined;

function near(found: number | null, wanted: number | null | undefined): boolean {
  if (found === null || wanted === null || wanted === undefined) return found === wanted;
  return Math.abs(found - wanted) <= 1e-5 * Math.abs(wanted);
}

/** What is wrong with the numbers of these runs, by one short run each: nothing, if all is well. */
export function checkShort(id: string, group: QuotedRun): string[] {
  const { params = {}, short = {}, seeds, values } = group;
  const results = new Map<string, RunResult>();
  const of = (set: Params): RunResult => {
    const key = JSON.stringify(set);
    const result = results.get(key) ?? run(id, set);
    results.set(key, result);
    return result;
  };
  const wrong = ({ formula, ...quoted }: Quoted): string | undefined => {
    if (formula !== undefined)
      return near(calculated(formula), quoted.value) ? undefined : `${formula} is ${calculated(formula)}`;
    if (seeds !== undefined) {
      if (group.slow && quoted.runs?.length === seeds) return undefined;
      const seed = Object.keys(values).length % seeds; // not always the same
      const found = valueIn(of(settings(group, seed)), quoted);
      if (quoted.runs?.length !== seeds) return `has ${quoted.runs?.length ?? 0} runs of ${seeds}`;
      return near(found, quoted.runs[seed])
        ? undefined
        : `seed ${seed} gives ${found}, not ${quoted.runs[seed]}`;
    }
    const result = of({ ...params, ...short });
    const found = valueIn(result, quoted);
    if (isExact(quoted)) {
      const others = seeded.has(id) && params["seed"] === undefined ? [of({ ...params, seed: "77" })] : [];
      const all = [found, ...others.map((other) => valueIn(other, quoted))];
      return all.every((each) => near(each, quoted.value))
        ? undefined
        : `is ${all.join(" or ")}, not ${quoted.value}`;
    }
    const { se } = errorIn(result, quoted);
    if (found === null || se === null || quoted.value === undefined)
      return "is not there, or without its error";
    const apart = Math.abs(found - quoted.value) / Math.hypot(se, quoted.se ?? 0);
    return apart <= 4
      ? undefined
      : `is ${found} ± ${se}, which is ${apart.toFixed(1)} standard errors from ${quoted.value}`;
  };
  return Object.entries(values).flatMap(([name, quoted]) => {
    const found = wrong(quoted);
    return found === undefined ? [] : [`${id}/${name} ${found}`];
  });
}

/** The standard error that the result gives: of a median, 1.25 times that of the mean would assume a normal spread, so none. */
function errorIn(result: RunResult, { path = "", less, over }: Quoted): { se: number | null } {
  if (less !== undefined || over !== undefined) return { se: null };
  if (/:(?!value)/.test(path)) return { se: null };
  return { se: valueIn(result, { path: `${path}:se` }) };
}

/** The whole derivation: writes the numbers, or says which are others. */
export async function derive(id: string, write: boolean): Promise<string[]> {
  const file = join(folder, `${id}.json`);
  const groups = JSON.parse(readFileSync(file, "utf8")) as QuotedRun[];
  const before = JSON.stringify(groups);
  for (const group of groups) {
    const { seeds, params, values } = group;
    const results =
      params || seeds ? [...Array(seeds ?? 1).keys()].map((seed) => run(id, settings(group, seed))) : [];
    for (const quoted of Object.values(values)) fill(quoted, results, seeds);
  }
  if (!write)
    return JSON.stringify(groups) === before ? [] : [`${file} says otherwise than its long derivation`];
  writeFileSync(file, await format(JSON.stringify(groups), { parser: "json", printWidth: 110 }));
  return [];
}

function fill(quoted: Quoted, results: readonly RunResult[], seeds: number | undefined): void {
  const rounded = (value: number | null, digits = 6): number | null =>
    value === null ? null : Number(value.toPrecision(digits));
  if (seeds !== undefined) {
    quoted.runs = results.map((result) => rounded(valueIn(result, quoted)));
    return;
  }
  const found = quoted.formula === undefined ? valueIn(results[0]!, quoted) : calculated(quoted.formula);
  if (found === null) throw new Error(`nothing, or several, at ${quoted.path}`);
  const se = quoted.formula === undefined ? errorIn(results[0]!, quoted).se : null;
  quoted.value = rounded(found, se ? 6 : 12)!;
  if (se) quoted.se = rounded(se, 2)!;
}
