// One file and one tag put a figure into somebody else's page, however strict that page's own policy is.
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve, type Answer } from "../../scripts/lib/serve.mjs";
import { until, useBench } from "./bench.ts";
import { lab } from "./figure.ts";
import { problemsScript, withCollector } from "./site.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
let host: { url: string; close(): Promise<void> };

const workersScript = `
  globalThis.__workers = 0;
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      globalThis.__workers += 1;
    }
  };
`;

function hostPage(site: string, figure: string): string {
  const policy =
    `default-src 'none'; script-src 'self' ${new URL(site).origin} 'wasm-unsafe-eval'; worker-src blob:; img-src 'self'; ` +
    "require-trusted-types-for 'script'; trusted-types lit-html sqrtdk; base-uri 'none'; form-action 'none'";
  return withCollector(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Somebody else's page</title>
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <script type="module" src="${site}embed/sqrtdk.auto.js"></script></head>
    <body><h1>Somebody else's page</h1>${figure}</body></html>`);
}

beforeAll(async () => {
  const html = (figure: string) => ({
    type: "text/html; charset=utf-8",
    body: hostPage(bench.site.url, figure),
  });
  const pages: Record<string, Answer> = {
    "/problems.js": { type: "text/javascript", body: problemsScript + workersScript },
    "/favicon.ico": { type: "image/x-icon", body: "" },
    "/zh.html": html('<sqrtdk-figure experiment="article_snippet" d="32,128,512" lang="zh"></sqrtdk-figure>'),
    "/wrong.html": html('<sqrtdk-figure experiment="article_snippet" d="0"></sqrtdk-figure>'),
    "/layers.html": html('<sqrtdk-figure experiment="multi_head" text="one two three"></sqrtdk-figure>'),
    "/plane.html": html('<sqrtdk-figure experiment="similarity_measures"></sqrtdk-figure>'),
    "/unknown.html": html('<sqrtdk-figure experiment="nonsense"></sqrtdk-figure>'),
    "/nameless.html": html("<sqrtdk-figure></sqrtdk-figure>"),
    "/narrow.html": html('<sqrtdk-figure experiment="score_variance" trials="1000"></sqrtdk-figure>'),
    "/long.html": html('<sqrtdk-figure experiment="score_variance" trials="100000"></sqrtdk-figure>'),
  };
  host = await serve({ root: "build/site/embed", answer: (path) => pages[path] });
});
afterAll(() => host.close());

/** The text inside the figure's shadow root. */
function inside(page: Page): Promise<string> {
  return page.evaluate(
    () => document.querySelector("sqrtdk-figure")?.shadowRoot?.textContent.replace(/\s+/g, " ") ?? "",
  );
}

async function openHost(path: string, pattern: RegExp): Promise<Page> {
  const page = await bench.blank();
  await page.goto(`${host.url}${path}`);
  await until(
    page,
    (source) =>
      new RegExp(source).test(document.querySelector("sqrtdk-figure")?.shadowRoot?.textContent ?? ""),
    pattern.source,
  );
  return page;
}

test("a figure with layers fetches their module from beside the file", async () => {
  const asked = bench.site.requests.length;
  const page = await openHost("layers.html", /[0-9a-f]{16}/);
  expect(await inside(page)).toContain("three");
  expect(bench.site.requests.slice(asked)).toEqual(["/embed/sqrtdk.auto.js", "/embed/sqrtdk.experiments.js"]);
  expect(await page.problems()).toEqual([]);
});

test("a figure's vectors can be moved there, too", async () => {
  const page = await openHost("plane.html", /[0-9a-f]{16}/);
  const moved = await page.evaluate(async () => {
    const root = document.querySelector("sqrtdk-figure")!.shadowRoot!;
    const said = (): string | null | undefined =>
      root.querySelector('.plane [role="slider"]')?.getAttribute("aria-valuetext");
    const before = said();
    root
      .querySelector('.plane [role="slider"]')!
      .dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, composed: true }));
    for (let frame = 0; said() === before && frame < 300; ++frame)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return [before, said()];
  });
  expect(moved[0]).toBeTruthy();
  expect(moved[1]).not.toBe(moved[0]);
  expect(await page.problems()).toEqual([]);
});

test("a figure in Chinese, computed in a page of another origin", async () => {
  const page = await openHost("zh.html", /[0-9a-f]{16}/);
  expect(await inside(page)).toMatch(/[\u4e00-\u9fff]/);
  expect(await page.problems()).toEqual([]);

  // The result is bit-identical to the site's.
  const site = await bench.open(lab("article_snippet", "zh"));
  const hash = await site.evaluate(
    () => document.querySelector("#article_snippet .figure-hash code")!.textContent,
  );
  expect(await inside(page)).toContain(hash);

  // It answers, and has its style.
  await page.evaluate(() => {
    const root = document.querySelector("sqrtdk-figure")!.shadowRoot!;
    const seed = root.querySelector<HTMLInputElement>('[name="seed"]')!;
    seed.value = "7";
    seed.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await until(
    page,
    (old) =>
      document.querySelector("sqrtdk-figure")!.shadowRoot!.querySelector(".figure-hash code")!.textContent !==
      old,
    hash,
  );
  const sheets = await page.evaluate(
    () => document.querySelector("sqrtdk-figure")!.shadowRoot!.adoptedStyleSheets.length,
  );
  expect(sheets).toBeGreaterThan(0);
  expect(await page.problems()).toEqual([]);
});

test("a long run works there too, in a worker", async () => {
  const page = await openHost("long.html", /[0-9a-f]{16}/);
  expect(await page.problems()).toEqual([]);
  expect(await page.evaluate(() => (globalThis as unknown as { __workers: number }).__workers)).toBe(1);
});

test("a wrong attribute gets a message", async () => {
  const page = await openHost("wrong.html", /16384/);
  expect(await page.problems()).toEqual([]);
});

test("an unknown experiment gets a message, and one that is forgotten, with those that are known", async () => {
  const unknown = await openHost(
    "unknown.html",
    /unknown experiment nonsense, expected one of .*score_variance/,
  );
  expect(await unknown.problems()).toEqual([]);
  const nameless = await openHost(
    "nameless.html",
    /no experiment is named, expected one of .*score_variance/,
  );
  expect(await nameless.problems()).toEqual([]);
});

test("in a column of 200 px every setting can be read, and none sticks out", async () => {
  const page = await openHost("narrow.html", /[0-9a-f]{16}/);
  const { fields, out } = await page.evaluate(() => {
    const figure = document.querySelector<HTMLElement>("sqrtdk-figure")!;
    figure.style.width = "200px";
    const { right } = figure.getBoundingClientRect();
    const shown = [...figure.shadowRoot!.querySelectorAll(".control-bar *")].filter((each) =>
      each.checkVisibility(),
    );
    return {
      fields: shown
        .filter((each) => each.matches('input[type="text"]'))
        .map((each) => each.getBoundingClientRect().width),
      out: shown
        .filter((each) => each.getBoundingClientRect().right > right + 0.5)
        .map((each) => `${each.tagName} ${each.className}`),
    };
  });
  expect(out).toEqual([]);
  expect(fields.length).toBeGreaterThan(2);
  expect(Math.min(...fields)).toBeGreaterThan(50);
});

test("nothing but the one file and the layers' was asked of the site", () => {
  const asked = bench.site.requests.filter((path) => path.includes("/embed/"));
  expect(new Set(asked)).toEqual(new Set(["/embed/sqrtdk.auto.js", "/embed/sqrtdk.experiments.js"]));
});
