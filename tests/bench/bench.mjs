// Measures sqrtdk's package beside other libraries in one browser, one thread each: see scripts/bench for the options.
//
// Inputs are resident in each library, results are Float32Arrays in JavaScript. A library lives in a page of its own;
// beside them a page measures the peak of 128-bit multiplications and additions (adapters/peak.mjs). Every result is
// compared with a reference in double precision. A sample is a warm-up and then calls for --budget ms; samples during
// which other programs held the cores are repeated (contention.mjs); what is reported is the median of the medians.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { checkText, judge } from "./check.mjs";
import { isWrong } from "./figures.mjs";
import { install, installation, versionOf } from "./libraries.mjs";
import { measure, memoryOf } from "./measure.mjs";
import { readOptions } from "./options.mjs";
import { label, report } from "./report.mjs";
import { serve } from "./server.mjs";

const { chosen, peers, engine, ownPackage, check, markdown, json, ...effort } = readOptions();
if (peers.length) install();

const here = fileURLToPath(new URL(".", import.meta.url));
const answers = { "/page.html": readFileSync(`${here}page.html`), "/favicon.ico": "" };
const folders = { "/bench/": here, "/package/": ownPackage, "/node_modules/": `${installation}node_modules` };
const server = await serve(folders, answers);
const browser = await launch(engine);
const open = (name) => browser.open(server.url, name);

const result = {
  date: new Date().toISOString().slice(0, 16).replace("T", " "),
  browser: browser.version,
  cpu: cpus()[0].model,
  versions: {},
  rows: [],
  memory: [],
};

try {
  const pages = {};
  for (const name of ["sqrtdk", ...peers, "peak"]) {
    result.versions[name] = versionOf(name, ownPackage);
    pages[name] = await open(name);
  }
  for (const workload of chosen) {
    const names = ["sqrtdk"];
    if (workload.peers !== false) names.push(...peers);
    if (workload.flops) names.push("peak");
    for (const row of await measure(workload, names, { pages, open, answers, ...effort })) {
      result.rows.push(row);
      const outcome = row.failed ?? `${row.ms.toPrecision(4)} ms${row.disturbed ? " (disturbed)" : ""}`;
      console.error(`${row.workload.padEnd(26)} ${label(row).padEnd(26)} ${outcome}`);
    }
  }
  for (const workload of chosen.filter(({ growth }) => growth)) {
    const page = await open("sqrtdk");
    result.memory.push(await memoryOf(workload, page).finally(page.close));
  }
} finally {
  await browser.close();
  server.close();
}

if (json) writeFileSync(json, `${JSON.stringify(result, null, 1)}\n`);
console.log(report(result, markdown));
const ours = result.rows.filter((row) => row.library === "sqrtdk");
let failed = ours.some((row) => row.failed || isWrong(row));
if (check) {
  const verdicts = judge(chosen, result);
  console.log(`\n${checkText(verdicts)}`);
  failed ||= verdicts.some(({ met }) => !met);
}
process.exit(failed ? 1 : 0);
