// One tag puts the training race into somebody else's page, however strict that page's own policy is.
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve, type Answer } from "../../scripts/lib/serve.mjs";
import { runJson } from "../cli/command.ts";
import { until, useBench } from "./bench.ts";
import { idOf, lab, setText } from "./figure.ts";
import { problemsScript, withCollector } from "./site.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const id = idOf("training_race");
const pages: Record<string, Answer> = {
  "/problems.js": { type: "text/javascript", body: problemsScript },
  "/favicon.ico": { type: "image/x-icon", body: "" },
};
let host: { url: string; close(): Promise<void> };

/** A page of another origin around `markup`, whose script has this name. */
function addPage(path: string, markup: string, script = "sqrtdk.auto.js"): void {
  const site = bench.site.url;
  const policy =
    `default-src 'none'; script-src 'self' ${new URL(site).origin} 'wasm-unsafe-eval'; worker-src blob:; img-src 'self'; ` +
    "require-trusted-types-for 'script'; trusted-types lit-html sqrtdk; base-uri 'none'; form-action 'none'";
  const body =
    withCollector(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Somebody else's page</title>
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <script type="module" src="${site}embed/${script}"></script></head>
    <body><h1>Somebody else's page</h1>${markup}</body></html>`);
  pages[path] = { type: "text/html; charset=utf-8", body };
}

beforeAll(async () => {
  host = await serve({ root: "build/site/embed", answer: (path) => pages[path] });
});
afterAll(() => host.close());

async function openHost(path: string): Promise<Page> {
  const page = await bench.blank();
  await page.goto(`${host.url}${path.slice(1)}`);
  return page;
}

/** Waits until the race's button that starts and pauses says `name`. */
async function named(page: Page, name: string): Promise<void> {
  await until(
    page,
    (id, name) =>
      document.querySelector("sqrtdk-race")?.shadowRoot?.querySelector(`#${id}-run`)?.textContent.trim() ===
      name,
    id,
    name,
  );
}

/** Runs the race; gives the text inside its shadow root at the end. */
async function run(page: Page, start: string): Promise<string> {
  await named(page, start);
  await page.evaluate((id) => {
    document
      .querySelector("sqrtdk-race")!
      .shadowRoot!.querySelector<HTMLButtonElement>(`#${id}-run`)!
      .click();
  }, id);
  await until(page, () => document.querySelector("sqrtdk-race")!.shadowRoot!.querySelector("code") !== null);
  await named(page, start);
  return page.evaluate(() =>
    document.querySelector("sqrtdk-race")!.shadowRoot!.textContent.replace(/\s+/g, " "),
  );
}

function natively(...words: string[]): string {
  return runJson("training_race", ...words).hash;
}

test("a race in Chinese, its settings in attributes, ends with the bits of the native command", async () => {
  addPage("/zh.html", '<sqrtdk-race steps="40" seeds="0" scale="none,1/sqrt(d)" lang="zh"></sqrtdk-race>');
  const asked = bench.site.requests.length;
  const page = await openHost("/zh.html");
  const text = await run(page, "开始");
  expect(text).toMatch(/[\u4e00-\u9fff]/);
  expect(text).toContain(natively("--steps", "40", "--seeds", "0", "--scale", "none,1/sqrt(d)"));
  expect(bench.site.requests.slice(asked)).toEqual(["/embed/sqrtdk.auto.js", "/embed/sqrtdk.experiments.js"]);
  const look = await page.evaluate(() => {
    const root = document.querySelector("sqrtdk-race")!.shadowRoot!;
    const lane = root.querySelector(".race-lane")!;
    return { sheets: root.adoptedStyleSheets.length, display: getComputedStyle(lane).display };
  });
  expect(look).toEqual({ sheets: 1, display: "grid" });
  expect(await page.problems()).toEqual([]);
});

test("the tag that the site copies shows the same race elsewhere", async () => {
  const site = await bench.open(lab("training_race"));
  await site.evaluate((id) => document.querySelector(`#${id}-steps`)!.scrollIntoView(), id);
  await until(site, () => "_$litPart$" in document.querySelector("sqrtdk-race")!);
  await setText(site, `#${id}-steps`, "20");
  await setText(site, `#${id}-seeds`, "3");
  await site.evaluate(() => {
    const probe = globalThis as unknown as { copied: string };
    const writeText = (text: string): Promise<void> => {
      probe.copied = text;
      return Promise.resolve();
    };
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
  await until(site, () => {
    const buttons = [...document.querySelectorAll<HTMLElement>("sqrtdk-race .exports .button")];
    buttons.find((button) => button.textContent.trim() === "Copy tag")!.click(); // in vain while it is the printed one
    return "copied" in globalThis;
  });
  const tag = await site.evaluate(() => (globalThis as unknown as { copied: string }).copied);
  expect(tag).toContain('steps="20"');

  addPage("/pasted.html", tag);
  const page = await openHost("/pasted.html");
  expect(await run(page, "Start")).toContain(natively("--steps", "20", "--seeds", "3"));
  expect(await page.problems()).toEqual([]);
});

test("a race that is added later, by a file whose address has a query, runs as well", async () => {
  addPage("/later.html", "", "sqrtdk.auto.js?v=2");
  const page = await openHost("/later.html");
  await until(page, () => customElements.get("sqrtdk-figure") !== undefined);
  expect(await page.evaluate(() => customElements.get("sqrtdk-race") === undefined)).toBe(true);
  const asked = bench.site.requests.length;
  await page.evaluate(() => {
    const race = document.createElement("sqrtdk-race");
    race.setAttribute("steps", "20");
    race.setAttribute("seeds", "1");
    document.body.append(race);
  });
  await named(page, "Start");
  const before = await page.evaluate(
    () => document.querySelector("sqrtdk-race")!.shadowRoot!.querySelector(".race-note")!.textContent,
  );
  expect(before).toBe("Start trains the models on your device, all at the same time."); // nothing was printed
  expect(await run(page, "Start")).toContain(natively("--steps", "20", "--seeds", "1"));
  expect(bench.site.requests.slice(asked)).not.toContain("/embed/sqrtdk.auto.js");
  expect(await page.problems()).toEqual([]);
});
