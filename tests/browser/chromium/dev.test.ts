// scripts/dev: what is changed in a copy of the sources shows in an open page by itself.
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../bench.ts";
import { lab } from "../figure.ts";
import { launch, type Engine, type Page } from "../drivers/index.ts";

const folder = mkdtempSync(join(tmpdir(), "sqrtdk-dev-"));
let server: ChildProcess;
let engine: Engine;
let page: Page;

beforeAll(async () => {
  for (const name of ["web", "bindings", "src", "scripts", "tests/golden", "package.json"])
    cpSync(name, join(folder, name), { recursive: true });
  for (const name of ["build", "node_modules"]) symlinkSync(join(process.cwd(), name), join(folder, name));
  server = spawn(process.execPath, [join(folder, "scripts/lib/dev.mjs"), "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    server.stdout!.on("data", (text: Buffer) => {
      said += text.toString();
      const [found] = /http:\S+/.exec(said) ?? [];
      if (found) resolve(found);
    });
    server.once("exit", () => reject(new Error(`scripts/dev ended: ${said}`)));
  });
  engine = await launch("chromium");
  page = await engine.open();
  await page.goto(`${url}${lab("score_variance")}`);
  await until(page, () => "_$litPart$" in document.querySelector("sqrtdk-figure")!);
});
afterAll(async () => {
  await engine.close();
  server.kill();
  await new Promise((ended) => server.once("exit", ended));
  rmSync(folder, { recursive: true });
});

/** The share of a core that is left for a program that wants it all, 1 where nothing else runs. */
function shareOfCore(): number {
  const [start, before] = [performance.now(), process.cpuUsage()];
  while (performance.now() < start + 100);
  const { user, system } = process.cpuUsage(before);
  return Math.min(1, (user + system) / 1000 / (performance.now() - start));
}

/**
 * The shortest of a few times, in ms, from a change until the page shows it, as it would be without what else the
 * machine computes. A file is changed by what `changed` makes of its first text.
 */
async function shortest(
  name: string,
  changed: (text: string, attempt: number) => string,
  shown: (attempt: number) => boolean,
): Promise<number> {
  const file = join(folder, name);
  const text = readFileSync(file, "utf8");
  const times: number[] = [];
  for (let attempt = 1; attempt <= 5; attempt++) {
    let start = -Infinity;
    const before = shareOfCore();
    do {
      // Again after a while: a page that is being loaded does not listen yet.
      if (performance.now() > start + 5000) {
        start = performance.now();
        writeFileSync(file, changed(text, attempt));
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    } while (!(await page.evaluate(shown, attempt).catch(() => false))); // as when it leaves for its next version
    const time = performance.now() - start;
    times.push(Math.round((time * (before + shareOfCore())) / 2));
  }
  console.log(`shown after ${times.join(", ")} ms`);
  return Math.min(...times);
}

test("a changed paragraph shows within a second", async () => {
  const time = await shortest(
    "web/content/en/lab/score_variance.md",
    (text, n) => `${text}\nParagraph ${n} of a test.\n`,
    (n) => document.querySelector("main")!.textContent.includes(`Paragraph ${n} of a test.`),
  );
  expect(time).toBeLessThan(1000);
});

test("a changed style shows within a second", async () => {
  const time = await shortest(
    "web/styles/page.css",
    (text, n) => `${text}\n:root { tab-size: ${n + 10} }\n`,
    (n) => getComputedStyle(document.documentElement).tabSize === String(n + 10),
  );
  expect(time).toBeLessThan(1000);
});

test("a changed element shows within two seconds", async () => {
  const time = await shortest(
    "web/page/define.ts",
    (text, n) => `${text}\ndocument.title = "${n}";\n`,
    (n) => document.title === String(n),
  );
  expect(time).toBeLessThan(2000);
});
