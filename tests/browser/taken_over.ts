// A page takes over its printed markup without a trace: no error, no violation, no digit and no line that moves.
import { expect } from "vitest";
import { ready, until, type Bench } from "./bench.ts";
import { engineName, type Page } from "./drivers/index.ts";

/** What stands in the elements as sent; `parser` is a page without a policy that forbids to parse. */
async function printed(parser: Page, path: string): Promise<string[]> {
  return parser.evaluate(async (path) => {
    const html = await (await fetch(path)).text();
    const parsed = new DOMParser().parseFromString(html, "text/html");
    for (const area of parsed.querySelectorAll("textarea")) area.remove(); // its text is a value
    return [...parsed.querySelectorAll("[prerendered]")].map((element) =>
      (element.textContent ?? "").replace(/\s+/g, " ").trim(),
    );
  }, path);
}

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly sources: readonly { readonly node: Node | null }[];
}

/** What has moved, of that which was in sight: all of it once two frames have been drawn in which nothing was left to do. */
function shiftsOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const shifts: string[] = [];
    const note = (entries: PerformanceEntryList): void => {
      for (const { value, sources } of entries as LayoutShift[]) {
        const moved = sources.map(({ node }) => (node as Element | null)?.outerHTML?.slice(0, 100));
        shifts.push(`${value}: ${moved.join(", ")}`);
      }
    };
    const observer = new PerformanceObserver((list) => note(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    for (let frame = 0; frame < 2; ++frame) {
      await new Promise((resolve) => requestIdleCallback(resolve));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve)); // the frame is drawn, and the observer told
    note(observer.takeRecords());
    return shifts;
  });
}

/** Once all is laid out. */
const heightsOf = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    document.documentElement.classList.remove("rolled-up");
    return [...document.querySelectorAll("main > *")].map((part) => part.clientHeight);
  });

/** Its script is asked for once it has been seen, or after two seconds. */
async function expectSeenFirst(page: Page): Promise<void> {
  const boot = (): PerformanceEntry | undefined =>
    performance.getEntriesByType("resource").find(({ name }) => /\/boot-[^/]*$/.test(name));
  await page.run(`globalThis.boot = ${boot.toString()}`);
  await until(page, () => (globalThis as unknown as { boot: typeof boot }).boot() !== undefined);
  const [seen, asked] = await page.evaluate(() => [
    Math.min(2000, performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity),
    (globalThis as unknown as { boot: typeof boot }).boot()!.startTime,
  ]);
  expect(asked).toBeGreaterThanOrEqual(seen);
}

/** What stands where the texts part, "" where they are the same. */
function firstDifference(a: string, b: string): string {
  if (a === b) return "";
  let i = 0;
  while (a[i] === b[i]) i++;
  return `“${a.slice(Math.max(0, i - 30), i + 30)}” became “${b.slice(Math.max(0, i - 30), i + 30)}”`;
}

/** Goes to `path` of the site at `base`, and looks on until the page's elements live. */
export async function expectTakenOver(
  page: Page,
  path: string,
  { bench, base, parser }: { bench: Bench; base: string; parser: Page },
): Promise<void> {
  const before = await printed(parser, path);
  const asked = bench.site.requests.length;
  await page.goto(bench.site.url + path);
  const heights = await heightsOf(page);
  await ready(page);
  await expectSeenFirst(page);
  if (engineName === "chromium") {
    expect(await shiftsOf(page)).toEqual([]);
    expect(await heightsOf(page)).toEqual(heights); // also what is out of sight
  }
  expect(await page.problems()).toEqual([]);
  const after = await page.evaluate(() =>
    [...document.querySelectorAll("[prerendered]")].map((element) => {
      const timed = element.matches("sqrtdk-figure") && !element.querySelector(".figure-hash");
      if (timed) return null; // never the same twice
      const copy = element.cloneNode(true) as Element;
      for (const part of copy.querySelectorAll(".tables, textarea")) part.remove();
      return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
    }),
  );
  const story = /^..\/$/.test(path);
  expect(before.length > 1).toBe(story); // the hero, the race and the chapters' figures
  if (!story) expect(before.length).toBe(/^..\/(lab\/.|(check|embed)\/$)/.test(path) ? 1 : 0);
  expect(after.length).toBe(before.length);
  expect(
    after
      .map((text, i) => (text === null ? "" : firstDifference(before[i]!, text)))
      .filter((text) => text !== ""),
  ).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(path.slice(0, 2));

  const outside = await page.evaluate(
    (root) =>
      performance
        .getEntriesByType("resource")
        .map((entry) => entry.name)
        .filter((name) => !name.startsWith(root) && !name.endsWith("/problems.js")),
    bench.site.url,
  );
  expect(outside).toEqual([]);
  const ours = ["/problems.js", "/favicon.ico"]; // the latter for parse.html
  expect(
    bench.site.requests.slice(asked).filter((path) => !path.startsWith(base) && !ours.includes(path)),
  ).toEqual([]);
}
