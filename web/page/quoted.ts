// The numbers that sentences quote, each in one place for both languages: web/content/quoted/<experiment>.json. A number
// comes with what derives it, so that tests/web/page/quoted.test.ts can derive it again:
//   { "params": { "d": "512", "trials": "100000" },    a run of the native command
//     "short": { "trials": "4000" },                    what the test changes, where the whole run takes long
//     "seeds": 16, "vary": "seed",                      or that many runs, from seed 0 on, of which the test repeats one
//     "values": { "max_512": { "path": "softmax_max[d=512]", "value": 0.956, "se": 0.0003 },    see value_path.ts
//                 "gained": { "path": …, "less": …, "runs": [0.31, 0.29] },  of every run; `less`, `over`: another path
//                 "bound": { "formula": "1 / (1 + 7 * exp(-2))", "value": 0.51 } } }       or arithmetic
// A value without an error and without runs is exact: the same from every seed. scripts/update_quoted writes the numbers.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RunResult } from "../../bindings/api/types.ts";
import { formatNumber, formatWithError } from "../charts/format.ts";
import { valueAt } from "../elements/value_path.ts";
import type { QuotedNumber, Values } from "./markdown.ts";

export interface QuotedRun {
  params?: Readonly<Record<string, string>>;
  short?: Readonly<Record<string, string>>;
  seeds?: number;
  vary?: string;
  /** Minutes a run: only scripts/update_quoted repeats it. */
  slow?: boolean;
  values: Record<string, Quoted>;
}

export interface Quoted {
  path?: string;
  less?: string;
  over?: string;
  formula?: string;
  value?: number;
  se?: number;
  /** `null`: of this run there is none. */
  runs?: (number | null)[];
}

/** What a sentence may ask of a quoted number. */
const measures: Readonly<Record<string, (quoted: Quoted) => number | undefined>> = {
  value: (quoted) => quoted.value ?? mean(quoted.runs ?? []),
  se: (quoted) => quoted.se ?? standardError(quoted.runs ?? []),
  low: ({ runs }) => runs && Math.min(...all(runs)),
  high: ({ runs }) => runs && Math.max(...all(runs)),
  median: ({ runs }) => runs && median(all(runs)),
};

export class Quotations {
  readonly byExperiment: ReadonlyMap<string, readonly QuotedRun[]>;

  constructor(byExperiment: ReadonlyMap<string, readonly QuotedRun[]>) {
    this.byExperiment = byExperiment;
  }

  static in(folder: string): Quotations {
    const files = readdirSync(folder).sort();
    const read = (file: string): [string, QuotedRun[]] => [
      file.replace(".json", ""),
      JSON.parse(readFileSync(join(folder, file), "utf8")) as QuotedRun[],
    ];
    return new Quotations(new Map(files.map(read)));
  }

  /** "name", "name:low" or "experiment/name". */
  find(text: string, experiment: string): { quoted: Quoted; measure: string } {
    const [, of = experiment, name = "", measure = "value"] =
      /^(?:(\w+)\/)?(\w+)(?::(\w+))?$/.exec(text) ?? [];
    const found = (this.byExperiment.get(of) ?? []).flatMap(({ values }) => values[name] ?? []);
    const [quoted] = found;
    if (!quoted || found.length > 1)
      throw new Error(`web/content/quoted/${of}.json has not one number ${text}`);
    return { quoted, measure };
  }

  /** Its standard error; undefined where the number is exact. */
  error(name: string, experiment: string): number | undefined {
    return measures["se"]?.(this.find(name, experiment).quoted);
  }

  readonly number: Values["quoted"] = (text, experiment): QuotedNumber => {
    const { quoted, measure } = this.find(text, experiment);
    const value = measures[measure]?.(quoted);
    if (value === undefined || !Number.isFinite(value)) throw new Error(`no ${text} is known`);
    const { se, low, high } = measures;
    const mean = measures["value"]?.(quoted);
    if (!quoted.runs) return { value, note: quoted.se ? formatWithError(mean, quoted.se) : "" };
    const range = `${formatNumber(low?.(quoted), 3)} … ${formatNumber(high?.(quoted), 3)}`;
    return { value, note: `${formatWithError(mean, se?.(quoted))}; n = ${quoted.runs.length}: ${range}` };
  };
}

function all(runs: readonly (number | null)[]): number[] {
  return runs.map((run) => run ?? NaN);
}

function mean(runs: readonly (number | null)[]): number {
  return all(runs).reduce((sum, run) => sum + run, 0) / runs.length;
}

function median(runs: readonly number[]): number {
  const sorted = runs.toSorted((a, b) => a - b);
  return ((sorted[(runs.length - 1) >> 1] ?? NaN) + (sorted[runs.length >> 1] ?? NaN)) / 2;
}

function standardError(runs: readonly (number | null)[]): number | undefined {
  if (runs.length === 0) return undefined;
  const squares = all(runs).reduce((sum, run) => sum + (run - mean(runs)) ** 2, 0);
  return Math.sqrt(squares / (runs.length - 1) / runs.length);
}

/** Of one run: what a quotation's path leads to. */
export function measured(result: RunResult, { path = "", less, over }: Quoted): number | undefined {
  const value = valueAt(result, path);
  const other = less === undefined && over === undefined ? undefined : valueAt(result, less ?? over ?? "");
  if (value === undefined || (less === undefined && over === undefined)) return value;
  if (other === undefined) return undefined;
  return less === undefined ? value / other : value - other;
}

/** Values of the results that stand on the pages, by experiment. */
export function boundIn(results: ReadonlyMap<string, RunResult>): Values["bound"] {
  return (of, path) => {
    const result = results.get(of);
    const value = result && valueAt(result, path);
    if (value === undefined) throw new Error(`the result of ${of} has nothing, or several, at ${path}`);
    return value;
  };
}
