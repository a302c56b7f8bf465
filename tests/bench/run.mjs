// One browser with a page for every library, and everything that was chosen measured in it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { install, installation, versionOf, withTwo } from "./libraries.mjs";
import { measure, memoryOf } from "./measure.mjs";
import { processor } from "./processor.mjs";
import { label } from "./report.mjs";
import { serve } from "./server.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** { date, browser, cpu, versions, rows, memory }; prints each row as it comes. */
export async function run({ chosen, peers, threads, engine, packages, ...effort }) {
  if (peers.length) install();
  return withBrowser({ engine, packages }, async ({ result, open, answers }) => {
    const own = packages.before ? ["sqrtdk", "before"] : ["sqrtdk"];
    const pages = {};
    const two = threads ? withTwo(peers) : [];
    for (const name of [...own, ...peers, ...two, "peak"]) {
      result.versions[name] = versionOf(name, packages);
      pages[name] = await open(name);
    }
    for (const workload of chosen) {
      const names = [...own];
      names.push(...(workload.peers === false ? two.slice(0, 1) : [...peers, ...two]));
      if (workload.flops) names.push("peak");
      for (const row of await measure(workload, names, { pages, open, answers, ...effort })) {
        result.rows.push(row);
        print(row);
      }
    }
    for (const workload of chosen.filter(({ growth }) => growth)) {
      const page = await open("sqrtdk");
      result.memory.push(await memoryOf(workload, page).finally(page.close));
    }
    return result;
  });
}

/** Runs `body` with { result, open(name), answers }: see page.mjs and server.mjs. */
export async function withBrowser({ engine, packages }, body) {
  const answers = { "/page.html": readFileSync(`${here}page.html`), "/favicon.ico": "" };
  const folders = {
    "/bench/": here,
    "/package/": packages.sqrtdk,
    "/before/": packages.before,
    "/node_modules/": `${installation}node_modules`,
  };
  const server = await serve(folders, answers);
  const browser = await launch(engine);
  const result = {
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    browser: browser.version,
    cpu: processor(),
    versions: {},
    rows: [],
    memory: [],
  };
  try {
    return await body({ result, open: (name) => browser.open(server.url, name), answers });
  } finally {
    await browser.close();
    server.close();
  }
}

function print(row) {
  const outcome = row.failed ?? `${row.ms.toPrecision(4)} ms${row.disturbed ? " (disturbed)" : ""}`;
  console.error(`${row.workload.padEnd(26)} ${label(row).padEnd(26)} ${outcome}`);
}
