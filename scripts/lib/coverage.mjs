// coverage.mjs LINES BRANCHES [FILE...] <JSON of llvm-cov export: a table of the sources with the most branches that no test
// takes, and of each FILE what was not run; fails below these percentages. A branch of a template is one, of however many
// instances: it is taken where any of them takes it.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const [lineGoal, branchGoal, ...shown] = process.argv.slice(2);
const files = JSON.parse(readFileSync(0, "utf8")).data[0].files.filter(
  ({ filename }) => !relative("src", filename).startsWith(".."),
);

/** How often each line with code was run. */
function linesOf(segments) {
  const counts = new Map();
  let before; // the segment in which a line begins
  for (let i = 0; i < segments.length;) {
    const line = segments[i][0];
    const here = [];
    while (i < segments.length && segments[i][0] === line) here.push(segments[i++]);
    const starts = here.filter(([, , , counted, entry, gap]) => counted && entry && !gap);
    const inherited = before?.[3] ? [before] : [];
    if (starts.length > 0 || inherited.length > 0)
      counts.set(line, Math.max(...[...inherited, ...starts].map(([, , count]) => count)));
    before = here.at(-1);
    const next = segments[i]?.[0] ?? line + 1;
    if (before[3] && !before[5]) for (let l = line + 1; l < next; ++l) counts.set(l, before[2]);
  }
  return counts;
}

/** How often each condition was true and false, by its place. */
function branchesOf(branches) {
  const counts = new Map();
  for (const [line, column, , , yes, no] of branches) {
    const place = `${line}:${column}`;
    const [y, n] = counts.get(place) ?? [0, 0];
    counts.set(place, [y + yes, n + no]);
  }
  return counts;
}

const rows = files.map(({ filename, segments, branches }) => {
  const name = relative("src", filename);
  const lines = [...linesOf(segments)];
  const conditions = [...branchesOf(branches)];
  const missedLines = lines.filter(([, count]) => count === 0).map(([line]) => line);
  const missed = conditions.flatMap(([place, [yes, no]]) => [
    ...(yes === 0 ? [`${place} never true`] : []),
    ...(no === 0 ? [`${place} never false`] : []),
  ]);
  return { name, lines: lines.length, missedLines, branches: 2 * conditions.length, missed };
});

const share = (all, missed) => (all === 0 ? 100 : (100 * (all - missed)) / all);
const put = (name, ...cells) =>
  console.log(name.padEnd(56) + cells.map((c) => String(c).padStart(10)).join(""));
const total = (of) => rows.reduce((sum, row) => sum + of(row), 0);
const all = {
  lines: share(
    total((row) => row.lines),
    total((row) => row.missedLines.length),
  ),
  branches: share(
    total((row) => row.branches),
    total((row) => row.missed.length),
  ),
};

put("src/", "lines", "not run", "branches", "not taken");
for (const row of [...rows].sort((a, b) => b.missed.length - a.missed.length).slice(0, 20)) {
  if (row.missed.length + row.missedLines.length > 0)
    put(row.name, row.lines, row.missedLines.length, row.branches, row.missed.length);
}
put(
  `all ${rows.length} files`,
  total((row) => row.lines),
  total((row) => row.missedLines.length),
  total((row) => row.branches),
  total((row) => row.missed.length),
);
for (const path of shown) {
  for (const row of rows.filter(({ name }) => `src/${name}`.startsWith(path))) {
    for (const line of row.missedLines) console.log(`src/${row.name}:${line} not run`);
    for (const missed of row.missed) console.log(`src/${row.name}:${missed}`);
  }
}
// Rounded down: 97.0 is not less than 97.
const percent = (x) => (Math.floor(10 * x) / 10).toFixed(1);
console.log(`\nlines ${percent(all.lines)} %, branches ${percent(all.branches)} %`);
if (all.lines < Number(lineGoal) || all.branches < Number(branchGoal)) {
  console.error(`Less than ${lineGoal} % of the lines or ${branchGoal} % of the branches.`);
  process.exitCode = 1;
}
