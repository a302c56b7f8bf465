// Judges the goals of workloads.mjs.
import { figuresOf } from "./figures.mjs";

/**
 * { id, goal, wanted, got, met, disturbed } of every goal of the workloads that were chosen; got is undefined where
 * nothing was measured. A library that failed at a workload altogether misses a goal too: it might have been the best.
 */
export function judge(chosen, { rows, memory }) {
  return chosen.flatMap((workload) => {
    const { id, goals = {} } = workload;
    const { ratio, share, fresh, onnxruntime, disturbed } = figuresOf(workload, rows);
    const judges = {
      fresh: (limit) => atMost("ratio to the best peer", ratio.fresh, limit),
      reused: (limit) => atMost("ratio to the best peer, reused array", ratio.reused, limit),
      peak: (limit) => ({
        goal: "share of the peak",
        got: share,
        wanted: `>= ${limit}`,
        met: share >= limit,
      }),
      error: () => atMost("largest error, beside onnxruntime's", fresh?.absolute, onnxruntime?.absolute),
      memory: (limit) =>
        atMost("bytes of wasm memory", memory.find((row) => row.workload === id)?.after, limit),
    };
    const timed = ["fresh", "reused", "peak"];
    const verdicts = Object.entries(goals).map(([goal, limit]) => ({
      id,
      disturbed: disturbed && timed.includes(goal),
      ...judges[goal](limit),
    }));
    const lost = lostOf(rows.filter((row) => row.workload === id));
    return [
      ...verdicts,
      ...lost.map((library) => ({ id, goal: `result of ${library}`, wanted: "any", met: false })),
    ];
  });
}

/** Libraries that failed in all their variants. */
function lostOf(rows) {
  const libraries = [...new Set(rows.map((row) => row.library))];
  return libraries.filter((name) => rows.every((row) => row.library !== name || row.failed));
}

const atMost = (goal, got, limit) => ({ goal, got, wanted: `<= ${short(limit)}`, met: got <= limit });
const short = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "not measured");

export function checkText(verdicts) {
  const lines = verdicts.map(
    ({ id, goal, wanted, got, met, disturbed }) =>
      `${met ? "ok    " : "MISSED"}  ${id}: ${goal} ${short(got)} (${wanted})${disturbed ? " ~" : ""}`,
  );
  const missed = verdicts.filter(({ met }) => !met).length;
  return [...lines, `${verdicts.length - missed} goals met, ${missed} missed`].join("\n");
}
