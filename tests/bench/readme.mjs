// The table of README.md: what this package takes beside the fastest of the others, and how much less with two threads.
import { figuresOf } from "./figures.mjs";
import { titles } from "./libraries.mjs";
import { digits, fixed, markdownTable } from "./report.mjs";
import { workloads } from "./workloads.mjs";

export function readmeTable({ rows }) {
  const head = ["work", "ms", "share of peak", "fastest other", "ratio", "into a reused array"];
  const ofTwo = rows.some(({ library }) => library === "sqrtdk x2");
  if (ofTwo) head.push("two threads", "ratio of two");
  const body = workloads.flatMap((workload) => {
    const { fresh, share, best, ratio, two } = figuresOf(workload, rows);
    const onlyGrowth = workload.growth && !workload.goals?.fresh;
    if (!fresh || onlyGrowth) return [];
    return [
      [
        workload.id.replace(/(?<=\d)x(?=\d)/g, "×").replaceAll("_", " "),
        digits(fresh.ms),
        share ? `${(100 * share).toFixed(0)} %` : "",
        best ? `${digits(best.ms)} (${titles[best.library]})` : "",
        fixed(ratio.fresh),
        fixed(ratio.reused),
        ...(ofTwo ? [two.speedup ? `${fixed(two.speedup)} ×` : "", fixed(two.ratio)] : []),
      ],
    ];
  });
  return markdownTable(head, body);
}
