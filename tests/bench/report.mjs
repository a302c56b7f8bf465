// Tables of what was measured, for the terminal or as Markdown.
import { exponentOf, figuresOf, isWrong, peakOf, rateOf } from "./figures.mjs";
import { find, workloads } from "./workloads.mjs";

export function report(result, markdown = false) {
  const { rows, memory } = result;
  const ids = new Set(rows.map((row) => row.workload));
  const measured = workloads.filter(({ id }) => ids.has(id));
  const withPeers = rows.some(({ library }) => !/^(sqrtdk( x2)?|before|peak)$/.test(library));
  const peak = peakOf(rows);
  const sections = [
    `${result.browser}, one thread, ${result.cpu}, ${result.date}`,
    Object.values(result.versions).join(", ") + (peak ? `: ${digits(peak)} GFLOP/s` : ""),
    table(...overview(measured, rows, withPeers), markdown),
    rows.some(({ library }) => library === "before")
      ? table(...beforeAndAfter(measured, rows), markdown)
      : "",
    rows.some(({ library }) => library === "sqrtdk x2") ? ofTwoThreads(measured, rows, markdown) : "",
    withPeers ? standing(measured, rows) : "",
    withPeers ? table(...everyone(measured, rows), markdown) : "",
    memory.length ? growth(rows, memory, markdown) : "",
    notes(rows),
  ];
  return sections.filter(Boolean).join("\n\n");
}

function overview(measured, rows, withPeers) {
  const head = ["work", "ms", "reused", "view", "rate", "of peak", "largest error"];
  const more = ["best peer", "ms", "ratio", "reused", "onnxruntime's error"];
  const body = measured.map((workload) => {
    const { fresh, reused, view, rate, share, peak, best, ratio, onnxruntime } = figuresOf(workload, rows);
    const own = [
      workload.id,
      ...[fresh, reused, view].map(time),
      rate ? `${digits(rate)} ${workload.flops ? "GFLOP/s" : "elements/ns"}` : "",
      share ? `${(100 * share).toFixed(0)} %${peak.disturbed ? " ~" : ""}` : "",
      error(fresh),
    ];
    if (!withPeers) return own;
    const beside = [best ? label(best) : "", time(best), fixed(ratio.fresh), fixed(ratio.reused)];
    return [...own, ...beside, error(onnxruntime)];
  });
  return [withPeers ? [...head, ...more] : head, body];
}

/** Times over those of the build before: of the medians, and of the least. */
function beforeAndAfter(measured, rows) {
  const body = measured.flatMap((workload) => {
    const figures = figuresOf(workload, rows);
    return Object.entries(figures.before).flatMap(([variant, before]) => {
      const now = figures[variant];
      if (!before || !now) return [];
      const ratios = [fixed(now.ms / before.ms), fixed(now.min / before.min)];
      return [[workload.id, variant, time(before), time(now), ...ratios]];
    });
  });
  return [["work", "variant", "ms before", "ms", "ratio", "of the least"], body];
}

/** Where this package, with the result in a new or a reused array, takes less time than every other, and where it does not. */
function standing(measured, rows) {
  const compared = measured.flatMap((workload) => {
    const { fresh, reused } = figuresOf(workload, rows).ratio;
    const ratio = Math.min(fresh ?? Infinity, reused ?? Infinity);
    return Number.isFinite(ratio) ? [{ id: workload.id, ratio }] : [];
  });
  const behind = compared.filter(({ ratio }) => ratio >= 1);
  const names = behind.map(({ id, ratio }) => `${id} (${fixed(ratio)})`).join(", ");
  return `rows ahead: ${compared.length - behind.length}, rows behind: ${behind.length}${names && `: ${names}`}`;
}

/** With two threads, result in the better of a new and a reused array, and how many rows gain as much as they should. */
function ofTwoThreads(measured, rows, markdown) {
  const found = measured.map((workload) => ({ id: workload.id, ...figuresOf(workload, rows).two }));
  const done = found.filter(({ speedup }) => speedup);
  const head = ["work", "ms of two threads", "times as fast as one", "ratio to the best peer of two"];
  const body = done.map(({ id, own, speedup, ratio }) => [id, time(own), fixed(speedup), fixed(ratio)]);
  const gain = 1.85;
  const enough = done.filter(({ speedup }) => speedup >= gain).length;
  const summary = `two threads: ${enough} of ${done.length} rows are at least ${gain} times as fast as with one`;
  return `${table(head, body, markdown)}\n\n${summary}`;
}

/** Every library and variant. */
function everyone(measured, rows) {
  const body = measured.flatMap((workload) => {
    const mine = rows.filter((row) => row.workload === workload.id && row.library !== "peak");
    const { best } = figuresOf(workload, rows);
    return mine
      .sort((a, b) => (a.ms ?? Infinity) - (b.ms ?? Infinity))
      .map((row) => {
        if (row.failed) return [workload.id, label(row), "failed", "", "", "", "", ""];
        const figures = [time(row), digits(row.min), digits(rateOf(workload, row.ms))];
        const beside = best ? fixed(row.ms / best.ms) : "";
        return [workload.id, label(row), ...figures, beside, error(row), row.relative.toExponential(1)];
      });
  });
  const head = [
    "work",
    "library",
    "median ms",
    "least ms",
    "rate",
    "x best peer",
    "largest error",
    "relative",
  ];
  return [head, body];
}

/** How time and memory grow with n. */
function growth(rows, memory, markdown) {
  const points = memory.map(({ workload, before, after }) => {
    const { n_q } = find(workload);
    const { fresh } = figuresOf(find(workload), rows);
    return { n: n_q, ms: fresh?.ms, before, after };
  });
  const body = points.map(({ n, ms, before, after }) => [
    String(n),
    ms === undefined ? "" : digits(ms),
    `${(before / 1e6).toFixed(1)} MB`,
    `${(after / 1e6).toFixed(1)} MB`,
  ]);
  const lines = [table(["n", "ms", "module loaded", "after attention 1 x n x 64"], body, markdown)];
  const times = points.filter(({ ms }) => ms !== undefined).map(({ n, ms }) => [n, ms]);
  if (times.length > 2) lines.push(`Time grows as n^${exponentOf(times).toFixed(2)}.`);
  return lines.join("\n\n");
}

function notes(rows) {
  const failures = rows.filter((row) => row.failed);
  const lines = failures.map((row) => `${row.workload}, ${label(row)}: ${row.failed.slice(0, 200)}`);
  if (rows.some((row) => row.disturbed)) {
    lines.push(
      "~ in every sample a thread waited for a core for over 5 % of the time; median of the faster half.",
    );
  }
  return lines.join("\n");
}

export const label = ({ library, variant }) =>
  variant && variant !== "plain" ? `${library} (${variant})` : library;
export const fixed = (ratio) => (ratio === undefined ? "" : ratio.toFixed(2));
const error = (row) =>
  row?.absolute === undefined ? "" : row.absolute.toExponential(1) + (isWrong(row) ? " WRONG" : "");
const time = (row) => (row ? `${digits(row.ms)}${row.disturbed ? " ~" : ""}` : "");

/** Three significant digits, no exponent. */
export function digits(value) {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(value)))));
}

export const markdownTable = (head, body) => table(head, body, true);

export function table(head, body, markdown) {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column].length)));
  const line = (row) => {
    const cells = row.map((cell, column) =>
      column && /^[\d.-]/.test(cell) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
    );
    return markdown ? `| ${cells.join(" | ")} |` : cells.join("  ").trimEnd();
  };
  const rule = widths.map((width) => "-".repeat(width));
  return [line(head), markdown ? `| ${rule.join(" | ")} |` : line(rule), ...body.map(line)].join("\n");
}
