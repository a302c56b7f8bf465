// The tables of README.md: what this package takes beside the fastest of the others, and with two threads.
import { figuresOf } from "./figures.mjs";
import { titles } from "./libraries.mjs";
import { digits, fixed, markdownTable } from "./report.mjs";
import { workloads } from "./workloads.mjs";

export function readmeTable({ rows }) {
  const head = ["work", "ms", "share of peak", "fastest other", "ratio", "into a reused array"];
  return tableOf(head, (workload) => {
    const { fresh, share, best, ratio } = figuresOf(workload, rows);
    if (!fresh) return;
    return [
      digits(fresh.ms),
      share ? `${(100 * share).toFixed(0)} %` : "",
      besides(best),
      fixed(ratio.fresh),
      fixed(ratio.reused),
    ];
  });
}

export function readmeTableOfTwo({ rows }) {
  const head = ["work", "one thread, ms", "two, ms", "times as fast", "fastest other with two", "ratio"];
  return tableOf(head, (workload) => {
    const { one, own, speedup, best, ratio } = figuresOf(workload, rows).two;
    return own && [digits(one.ms), digits(own.ms), fixed(speedup), besides(best), fixed(ratio)];
  });
}

function tableOf(head, cells) {
  const body = workloads.flatMap((workload) => {
    const onlyGrowth = workload.growth && !workload.goals?.fresh;
    const row = onlyGrowth ? undefined : cells(workload);
    return row ? [[workload.id.replace(/(?<=\d)x(?=\d)/g, "×").replaceAll("_", " "), ...row]] : [];
  });
  return markdownTable(head, body);
}

const besides = (best) => (best ? `${digits(best.ms)} (${titles[best.library.replace(" x2", "")]})` : "");
