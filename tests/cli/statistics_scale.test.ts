// Figures of an independent simulation of the scale beyond the articles against ours, within four standard errors.
import { existsSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { RunResult } from "../../bindings/api/types.ts";
import { reference, runJson, scalar } from "./command.ts";

interface Figure {
  readonly experiment: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, number | string>>;
  readonly value: number | null;
  readonly se: number | null;
  readonly trials: number | null;
  readonly per_seed?: readonly (number | null)[];
}

const path = reference + "/statistics_scale.json";
const records = existsSync(path)
  ? (JSON.parse(readFileSync(path, "utf8")) as { records: Figure[] }).records
  : undefined;
const skipped = records ? "" : ` (skipped: there is no ${path})`;

const measures: Readonly<Record<string, string>> = {
  entropy_over_ln_n: "entropy_share",
  max_p: "softmax_max",
  effective_keys_expH: "effective_keys_exp_entropy",
  "share_maxp_gt_0.99": "frac_max_gt_0.99",
};
/** Of normal scores at beta = 1. */
const level: Readonly<Record<string, string>> = {
  "scaled.ln_n_minus_H": "entropy_deficit",
  "scaled.effective_share": "keys_kept",
  "needle.lead_for_half": "lead_for_half",
};

const ofKeys = (records ?? []).filter(({ experiment }) => experiment === "number_of_keys");
const counts = [...new Set(ofKeys.map(({ parameters }) => parameters["n"]))].sort(
  (a, b) => Number(a) - Number(b),
);

/** What theirs is called here, and where it belongs; undefined where it is another experiment's. */
function placeOf({ name, parameters }: Figure): [name: string, at: Record<string, string>] | undefined {
  const n_keys = String(parameters["n"]);
  const dot = name.indexOf(".");
  const kind = name.slice(0, dot);
  const measure = measures[name.slice(dot + 1)];
  if (kind === "rem" && measure) return [measure, { n_keys, beta_ratio: String(parameters["ratio"]) }];
  if (kind === "dot" && measure) return [measure, { n_keys, d: String(parameters["d"]), scale: "none" }];
  if (level[name] && parameters["beta"] === 1) return [level[name], { n_keys }];
  return undefined;
}

describe.skipIf(!records)(`the reference's number_of_keys${skipped}`, () => {
  const deviations: { deviation: number; figure: string }[] = [];
  afterAll(() => {
    const size = ({ deviation }: { deviation: number }): number => Math.abs(deviation);
    const worst = [...deviations].sort((a, b) => size(b) - size(a))[0];
    console.log(
      `${deviations.length} figures compared; the worst, ${worst?.figure}, is off by ${worst?.deviation}`,
    );
  });

  test.each(counts)("%i keys", (n) => {
    const found = ofKeys
      .filter(({ parameters }) => parameters["n"] === n)
      .flatMap((record) => {
        const place = placeOf(record);
        return place ? [{ record, place }] : [];
      });
    if (found.length === 0) return;
    const widths = [...new Set(found.flatMap(({ place: [, at] }) => at["d"] ?? []))];
    const words = ["--n_keys", String(n), "--d", widths.join() || "8", "--scale", "none", "--trials", "4000"];
    const result: RunResult = runJson("number_of_keys", ...words);
    for (const { record, place } of found) {
      const [name, at] = place;
      const ours = scalar(result, name, at);
      const figure = `${name} ${JSON.stringify(at)}`;
      // A share that is rare here has a standard error of 0 where none was met.
      const rows = name.startsWith("frac") ? 4000 * Math.min(1, 512 / Number(n)) : 0;
      const rare = rows ? Math.sqrt((record.value! * (1 - record.value!)) / rows) : 0;
      const se = Math.hypot(record.se!, Math.max(ours.se!, rare), rows ? 1 / rows : 0);
      const deviation = (ours.value! - record.value!) / se;
      deviations.push({ deviation, figure });
      expect(Math.abs(deviation), figure).toBeLessThanOrEqual(4);
    }
  });

  test("most of them are this experiment's", () => {
    expect(deviations.length).toBeGreaterThan(180);
  });
});

describe.skipIf(!records)(`the reference's scale_in_the_weights${skipped}`, () => {
  /** The steps that the reference's seeds took to 90 %. */
  const theirs = (variant: string): number[] =>
    (records ?? [])
      .filter(({ experiment, name }) => experiment === "scale_in_the_weights" && name === "train.steps_to_90")
      .filter(
        ({ parameters: { optimizer, lr, variant: of } }) =>
          optimizer === "adam" && lr === 0.001 && of === variant,
      )
      .flatMap(({ per_seed = [] }) => per_seed.filter((steps) => steps !== null));

  test("Adam takes as many steps to 90 % with the scale in the formula as corrected in W_Q", () => {
    const result = runJson("scale_in_the_weights", "--steps", "350", "--seed", "2");
    const steps = (scale_place: string): number => scalar(result, "steps_to_90", { scale_place }).value!;
    const expected = theirs("i_forward");
    expect(expected.length).toBeGreaterThan(0);
    expect(steps("in_formula")).toBeGreaterThanOrEqual(Math.min(...expected) - 60);
    expect(steps("in_formula")).toBeLessThanOrEqual(Math.max(...expected) + 60);
    expect(steps("in_queries_corrected")).toBe(steps("in_formula"));
    expect(scalar(result, "differing_parameters", { scale_place: "in_queries_corrected" }).value).toBe(0);
  });
});
