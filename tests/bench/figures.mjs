// From measured rows to figures: what the report prints and the check judges.
import { flopsPerRun } from "./adapters/peak.mjs";
import { peers } from "./libraries.mjs";
import { median } from "./median.mjs";

/**
 * { fresh, reused, view, before, peak, rate, share, best, ratio, onnxruntime, disturbed }: rows of sqrtdk by variant;
 * those of the build before it; the row of the peak; GFLOP/s or elements per ns, and share of the peak, with the result left where it is (a new array would be
 * mostly page faults); the fastest row of another library whose result is right; sqrtdk's times over its { fresh, reused }; the most exact row of onnxruntime.
 * two: with two threads the row of sqrtdk, that with one, how many times as fast it is, the best row of another, and the ratio to it.
 * What was not measured is undefined.
 */
export function figuresOf(workload, rows) {
  const done = rows.filter((row) => row.workload === workload.id && !row.failed);
  const variantsOf = (library) =>
    ["fresh", "reused", "view"].map((variant) =>
      done.find((row) => row.library === library && row.variant === variant),
    );
  const [fresh, reused, view] = variantsOf("sqrtdk");
  const [freshBefore, reusedBefore, viewBefore] = variantsOf("before");
  const others = done.filter((row) => peers.includes(row.library) && !isWrong(row));
  const best = least(others, "ms");
  const peak = done.find((row) => row.library === "peak");
  const alone = view ?? fresh;
  const rate = alone && rateOf(workload, alone.ms);
  return {
    ...{ fresh, reused, view, peak, rate, best },
    before: { fresh: freshBefore, reused: reusedBefore, view: viewBefore },
    share: peak && alone && workload.flops && rate / (flopsPerRun / peak.ms / 1e6),
    ratio: { fresh: fresh && best && fresh.ms / best.ms, reused: reused && best && reused.ms / best.ms },
    onnxruntime: least(
      others.filter((row) => row.library === "onnxruntime"),
      "absolute",
    ),
    two: twoThreads(fresh, reused, done),
    disturbed: [fresh, best, workload.flops && peak].some((row) => row?.disturbed),
  };
}

function twoThreads(fresh, reused, done) {
  const rows = done.filter((row) => row.library.endsWith(" x2") && !isWrong(row));
  const isOwn = ({ library }) => library === "sqrtdk x2";
  const own = least(
    rows.filter((row) => isOwn(row) && row.variant !== "view"),
    "ms",
  );
  const best = least(
    rows.filter((row) => !isOwn(row)),
    "ms",
  );
  const one = least([fresh, reused].filter(Boolean), "ms");
  return { one, own, speedup: one && own && one.ms / own.ms, best, ratio: own && best && own.ms / best.ms };
}

/** Further from the reference than rounding explains, measured against the largest value. */
export const isWrong = ({ relative }) => !(relative < 1e-4);

/** GFLOP/s, or elements per nanosecond. */
export const rateOf = ({ flops, elements }, ms) => (flops ?? elements) / ms / 1e6;

/** GFLOP/s of the peak over all workloads. */
export function peakOf(rows) {
  const rates = rows
    .filter((row) => row.library === "peak" && !row.failed)
    .map(({ ms }) => flopsPerRun / ms / 1e6);
  return rates.length ? median(rates) : undefined;
}

/** The exponent p of y = c x^p, fitted by least squares on logarithms. */
export function exponentOf(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (i) => logs.reduce((total, point) => total + point[i], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const sum = (f) => logs.reduce((total, point) => total + f(point), 0);
  return sum(([a, b]) => (a - x) * (b - y)) / sum(([a]) => (a - x) ** 2);
}

const least = (rows, key) => rows.reduce((a, b) => (a && a[key] <= b[key] ? a : b), undefined);
