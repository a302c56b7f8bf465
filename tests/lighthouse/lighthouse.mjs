// Lighthouse's verdict on the built site, as a phone on a slow network meets it: see scripts/lighthouse for the options.
// One run's times swing with what else the machine does, so that medians of several runs count.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { lookup } from "mrmime";
import { serve } from "../../scripts/lib/serve.mjs";
import { median } from "../bench/median.mjs";

/** A page of every kind, each language on some. */
const everyKind = [
  ...["en/", "zh/", "en/lab/", "zh/lab/"],
  ...["en/lab/score_variance/", "zh/lab/encoder_layer/"], // whose figures need the first module and the large one
  ...["zh/articles/", "en/models/"],
];

/** What a page must have, worst to best. */
const goals = [
  { name: "performance", of: score("performance"), least: 98 },
  { name: "accessibility", of: score("accessibility"), least: 100 },
  { name: "best practices", of: score("best-practices"), least: 100 },
  { name: "SEO", of: score("seo"), least: 100 },
  { name: "LCP ms", of: measure("largest-contentful-paint"), most: 1500 },
  { name: "TBT ms", of: measure("total-blocking-time"), most: 50 },
  { name: "CLS", of: measure("cumulative-layout-shift"), most: 0.01, digits: 3 },
];

function score(category) {
  return ({ categories }) => 100 * categories[category].score;
}

function measure(audit) {
  return ({ audits }) => audits[audit].numericValue;
}

const path = (relative) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "5" } },
  allowPositionals: true,
});
const runs = Number(values.runs);
if (!(runs >= 1)) throw new Error(`--runs ${values.runs}: a number of runs, at least 1`);
const pages = positionals.length > 0 ? positionals : everyKind;

const reports = path("build/lighthouse/reports");
mkdirSync(reports, { recursive: true });
const answers = new Map();
const site = await serve({ root: path("build/site"), answer: (path) => fileOf(path) });
let failed = false;
try {
  console.log(["page".padEnd(26), ...goals.map(({ name }) => name.padStart(14))].join(""));
  for (const page of pages) {
    const results = [];
    await lookAt(page, 0); // after which all is compressed
    for (let run = 1; run <= runs; ++run) results.push(await lookAt(page, run));
    const figures = goals.map(({ of }) => median(results.map(of)));
    const cells = goals.map(
      ({ digits = 0 }, i) => `${figures[i].toFixed(digits)}${isMet(i, figures) ? " " : "✗"}`,
    );
    console.log([page.padEnd(26), ...cells.map((cell) => cell.padStart(14))].join(""));
    if (goals.every((_, i) => isMet(i, figures))) continue;
    failed = true;
    for (const line of failures(results)) console.log(`    ${line}`);
  }
} finally {
  await site.close();
}
if (failed) console.log(`below a goal (✗); the whole reports are in build/lighthouse/reports`);
process.exit(failed ? 1 : 0);

function isMet(index, figures) {
  const { least = -Infinity, most = Infinity } = goals[index];
  return figures[index] >= least && figures[index] <= most;
}

/**
 * Every file as it lies on a static host, compressed beforehand: what compressing takes would count as the server's time. A
 * page whose own address, where the site was built with one (SITE_URL), is the one that it is served from.
 */
function fileOf(path_) {
  const name = path_.endsWith("/") ? `${path_}index.html` : path_;
  const file = path(`build/site${name}`);
  if (!existsSync(file)) return undefined;
  if (!answers.has(name)) {
    const isPage = name.endsWith(".html");
    const data = isPage ? withAddress(readFileSync(file, "utf8"), path_) : readFileSync(file);
    const headers = { "Cache-Control": "no-cache", "Content-Encoding": "br" };
    const type = `${lookup(name) ?? "application/octet-stream"}${isPage ? "; charset=utf-8" : ""}`;
    answers.set(name, { type, body: brotliCompressSync(data), headers });
  }
  return answers.get(name);
}

function withAddress(html, path_) {
  const [, address] = /<link rel="canonical" href="([^"]*)">/.exec(html) ?? [];
  const root = address?.slice(0, address.length - path_.length + 1);
  return root ? html.replaceAll(root, site.url) : html;
}

async function lookAt(page, run) {
  const report = `${reports}/${page.replaceAll("/", "-")}${run}.json`;
  await promisify(execFile)(path("build/lighthouse/node_modules/.bin/lighthouse"), [
    site.url + page,
    "--quiet",
    ...["--output=json", `--output-path=${report}`],
    "--only-categories=performance,accessibility,best-practices,seo",
    "--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage",
  ]);
  const result = JSON.parse(readFileSync(report, "utf8"));
  if (result.runtimeError) throw new Error(`/${page}: ${result.runtimeError.message}`);
  return result;
}

/** What the runs found fault with, most often first; of the audits behind the scores alone. */
function failures(results) {
  const counts = new Map();
  for (const { categories, audits } of results) {
    const counted = Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs.filter(({ weight }) => weight > 0),
    );
    for (const { id } of counted) {
      const { score, title, displayValue = "" } = audits[id];
      if (score === null || score >= 0.9) continue;
      const line = `${title} (${id}) ${displayValue}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([line, count]) => `${count} of ${results.length}: ${line}`);
}
