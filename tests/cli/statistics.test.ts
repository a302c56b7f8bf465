// Every figure of an independent Monte-Carlo simulation against ours, within four standard errors.
import { existsSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { RunResult } from "../../bindings/api/types.ts";
import { reference, runJson, scalar } from "./command.ts";
import { meanDeviation, quantileDeviations, shareDeviation, smaller } from "./deviation.ts";
import type { Mean, Share } from "./deviation.ts";

type Figures = Readonly<Record<string, Mean | Share>>;
interface HalfScores {
  readonly d: number;
  readonly std_of_q_and_k: number;
  readonly [figure: string]: number | Share;
}
interface Reference {
  readonly trials: number;
  readonly by_d: Readonly<Record<string, Readonly<Record<string, Figures>> & { n_k: number }>>;
  readonly fp16_overflow: readonly HalfScores[];
  readonly fp16_softmax_error: readonly {
    d: number;
    scale: string;
    max_abs_prob_error_from_rounding_logits_to_fp16: Mean;
  }[];
}

const path = reference + "/statistics.json";
const theirs = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Reference) : undefined;
const skipped = theirs ? "" : ` (skipped: there is no ${path})`;

const scales = ["none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d"];
const trials = 20000;
const byD: Readonly<Record<string, { figures: readonly string[]; words?: readonly string[] }>> = {
  score_variance: {
    figures: ["logit_mean_per_trial", "logit_variance_per_trial", "logit_mean_square_per_trial"],
  },
  softmax_saturation: {
    figures: [
      ...["softmax_max", "softmax_min", "entropy_nats", "effective_keys_exp_entropy"],
      ...["frac_max_gt_0.9", "frac_max_gt_0.99", "frac_max_gt_0.999"],
    ],
  },
  softmax_jacobian: { figures: ["jacobian_frobenius", "jacobian_trace"] },
  gradient_flow: {
    figures: ["grad_norm_wrt_scaled_logits", "grad_norm_wrt_raw_logits", "grad_norm_wrt_q"],
    words: ["--steps", "0"],
  },
};

/** Too heavy a tail, without the scale, for means to be compared. */
const heavy = (figure: string, scale: string): boolean =>
  scale === "none" && /softmax_min|grad_norm/.test(figure);

let compared = 0;
const used = new Set<string>();
let worst = { deviation: 0, figure: "" };

/** In standard errors. */
function check(deviation: number, figure: string): void {
  ++compared;
  used.add(figure.replace(/ p\d+$/, ""));
  if (Math.abs(deviation) > Math.abs(worst.deviation)) worst = { deviation, figure };
  expect(Math.abs(deviation), figure).toBeLessThanOrEqual(4);
}

function checkFigure(result: RunResult, figure: string, d: string, scale: string, their: Mean | Share): void {
  const n_keys = String(theirs!.by_d[d]!.n_k);
  const ours = scalar(result, figure, /jacobian/.test(figure) ? { d, n_keys, scale } : { d, scale });
  const name = `${figure} d=${d} scale=${scale}`;
  if ("p" in their) {
    check(shareDeviation(ours.value!, trials, their.p, theirs!.trials), name);
    return;
  }
  const log = figure === "softmax_min";
  for (const [p, deviation] of quantileDeviations(ours, trials, their, theirs!.trials, log))
    check(deviation, `${name} ${p}`);
  if (!heavy(figure, scale)) check(meanDeviation(ours.value!, trials, their), name);
}

describe.skipIf(!theirs)(`the reference's statistics${skipped}`, () => {
  afterAll(() => {
    const { deviation, figure } = worst;
    console.log(
      `${compared} figures compared; the worst, ${figure}, is off by ${deviation.toFixed(2)} standard errors`,
    );
  });

  test.each(Object.keys(theirs?.by_d ?? {}).flatMap((d) => Object.keys(byD).map((id) => ({ d, id }))))(
    "$id at d = $d",
    ({ d, id }) => {
      const { figures, words = [] } = byD[id]!;
      const n_keys = String(theirs!.by_d[d]!.n_k);
      const result = runJson(
        id,
        ...["--d", d, "--n_keys", n_keys, "--scale", scales.join(), "--trials", String(trials)],
        ...words,
      );
      for (const scale of scales)
        for (const figure of figures)
          checkFigure(result, figure, d, scale, theirs!.by_d[d]![scale]![figure]!);
    },
  );

  test("all of them were compared", () => {
    for (const [d, at] of Object.entries(theirs!.by_d)) {
      for (const scale of scales)
        for (const figure of Object.keys(at[scale]!))
          expect(used).toContain(`${figure} d=${d} scale=${scale}`);
    }
  });

  test.each([...new Set(theirs?.fp16_overflow.map(({ d }) => d))])("mixed_precision at d = %i", (d) => {
    // One key: as many independent scores as trials, as in the reference, whose products are rounded, too.
    const cells = theirs!.fp16_overflow.filter((cell) => cell.d === d);
    const n = 40000;
    const spreads = cells.map((cell) => cell.std_of_q_and_k).join();
    const words = ["--d", String(d), "--std", spreads, "--n_keys", "1", "--trials", String(n)];
    const result = runJson("mixed_precision", ...words, "--format", "fp16", "--products", "rounded");
    for (const cell of cells) {
      const at = { d: String(d), std: String(cell.std_of_q_and_k) };
      const name = `d=${d} std=${at.std}`;
      const share = (figure: string, ours: number): void =>
        check(shareDeviation(ours, n, (cell[figure] as Share).p, theirs!.trials), `${figure} ${name}`);
      const beyond = scalar(result, "scores_beyond_exactly", at);
      share("frac_abs_dot_gt_65504_exact", beyond.value!);
      expect(Math.abs(beyond.expected! - (cell["gaussian_prediction"] as number))).toBeLessThan(1e-7);
      ++compared;
      for (const [computed, figure] of [
        ["own_sum", "frac_nonfinite_fp16_sequential_accumulate"],
        ["fp32_sum", "frac_nonfinite_fp32_accumulate_then_fp16"],
        ["scaled_before", "frac_nonfinite_scale_q_first_fp16_accumulate"],
        ["scaled_after", "frac_nonfinite_scaled_after_fp16"],
      ] as const) {
        share(figure, scalar(result, "scores_not_finite", { ...at, computed }).value!);
      }
      for (const [computed, figure] of [
        ["own_sum", "rms_rel_error_fp16_sequential_vs_exact_rms"],
        ["fp32_sum", "rms_rel_error_fp32_accumulate_then_fp16"],
      ] as const) {
        const their = cell[figure] as number;
        const { value, se } = scalar(result, "rms_rel_error", { ...at, computed });
        if (value === null) {
          // Of no finite score there is no error; the reference says 0.
          expect([scalar(result, "scores_not_finite", { ...at, computed }).value, their]).toEqual([1, 0]);
          used.add(figure);
          continue;
        }
        const both = Math.hypot(se!, smaller(se!, n, theirs!.trials)); // theirs is not told
        check(value === their ? 0 : (value - their) / both, `${figure} ${name}`);
      }
    }
  });

  test.each(theirs?.fp16_softmax_error ?? [])(
    "what fp16 scores cost the weights at d = $d, scale $scale",
    (their) => {
      const { d, scale } = their;
      const result = runJson(
        "mixed_precision",
        "--d",
        String(d),
        "--std",
        "1",
        "--n_keys",
        "8",
        "--trials",
        "5000",
      );
      const figure = "max_abs_prob_error_from_rounding_logits";
      const ours = scalar(result, figure, { d: String(d), scale });
      const mean = their[`${figure}_to_fp16`];
      const name = `${figure} d=${d} scale=${scale}`;
      for (const [p, deviation] of quantileDeviations(ours, 5000, mean, theirs!.trials))
        check(deviation, `${name} ${p}`);
      check(meanDeviation(ours.value!, 5000, mean), name);
    },
  );
});
