// Measures sqrtdk's package beside other libraries in one browser, one thread each: see scripts/bench for the options.
//
// Inputs are resident in each library, results are Float32Arrays in JavaScript. A library lives in a page of its own;
// beside them a page measures the peak of 128-bit multiplications and additions (adapters/peak.mjs). Every result is
// compared with a reference in double precision. A sample is a warm-up and then calls for --budget ms; samples during
// which other programs held the cores are repeated (contention.mjs); what is reported is the median of the medians.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkText, judge } from "./check.mjs";
import { decoding } from "./decoding.mjs";
import { isWrong } from "./figures.mjs";
import { readOptions } from "./options.mjs";
import { leastOf, merged } from "./merged.mjs";
import { readmeTable, readmeTableOfTwo } from "./readme.mjs";
import { report } from "./report.mjs";
import { run } from "./run.mjs";

const { chosen, from, least, update, check, markdown, json, decode, ...options } = readOptions();
if (decode) {
  try {
    console.log(await decoding({ ...options, json, markdown }));
    process.exit();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

const measured = from
  ? merged(from.map((file) => JSON.parse(readFileSync(file, "utf8"))))
  : await run({ chosen, ...options });
const result = least ? leastOf(measured) : measured;
if (json) writeFileSync(json, `${JSON.stringify(measured, null, 1)}\n`);
console.log(report(result, markdown));
if (update) {
  const [put, readme] = ["scripts/lib/put_table.mjs", "README.md"].map((path) =>
    fileURLToPath(new URL(`../../${path}`, import.meta.url)),
  );
  const [title, input] = options.threads
    ? ["speed with two threads", readmeTableOfTwo(result)]
    : ["speed", readmeTable(result)];
  execFileSync("node", [put, readme, `${title}: ${result.cpu}`, "--update"], { input });
}
const ours = result.rows.filter((row) => row.library === "sqrtdk");
let failed = ours.some((row) => row.failed || isWrong(row));
if (check) {
  const verdicts = judge(chosen, result);
  console.log(`\n${checkText(verdicts)}`);
  failed ||= verdicts.some(({ met }) => !met);
}
process.exit(failed ? 1 : 0);
