// Several runs as one, and least times instead of medians.
import { median } from "./median.mjs";

/** Rows as of one run: medians of the runs' medians, least of their least; of the first run everything else. Of one processor. */
export function merged(results) {
  const processors = [...new Set(results.map(({ cpu }) => cpu))];
  if (processors.length > 1) throw new Error(`runs of different processors: ${processors.join("; ")}`);
  const groups = new Map();
  for (const row of results.flatMap(({ rows }) => rows)) {
    const key = [row.workload, row.library, row.variant].join();
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const rows = [...groups.values()].map((all) => {
    const done = all.filter(({ failed }) => !failed);
    if (!done.length) return all[0];
    return {
      ...done[0],
      ms: median(done.map(({ ms }) => ms)),
      min: Math.min(...done.map(({ min }) => min)),
      samples: done.reduce((count, { samples }) => count + samples, 0),
      disturbed: done.every(({ disturbed }) => disturbed),
    };
  });
  return { ...results[0], rows };
}

/** Of each row the least time of a call: what other work on the machine, which only adds to it, leaves most alone. */
export const leastOf = (result) => ({
  ...result,
  rows: result.rows.map((row) => (row.failed ? row : { ...row, ms: row.min, disturbed: false })),
});
