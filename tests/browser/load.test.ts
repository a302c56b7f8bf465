// Pages take over their printed markup without a trace: no error, no violation, no digit that moves.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { labPages } from "./pages.ts";
import { engineName } from "./drivers/index.ts";

const base = "/some/sub/path/";
const bench = useBench(base, {
  [`${base}parse.html`]: `<!doctype html><html lang="en"><head><title>parse</title></head></html>`,
});
const languages = ["en", "zh"] as const;
// Each in one language, and Chromium in both.
const paths = ["", ...labPages, "check/"].flatMap((path, index) =>
  languages
    .filter(
      (_, which) => engineName === "chromium" || which === (index + (engineName === "webkit" ? 1 : 0)) % 2,
    )
    .map((language) => `${language}/${path}`),
);

/** What stands in the elements as sent, read by a page without scripts of its own. */
async function printed(path: string): Promise<string[]> {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}parse.html`);
  return page.evaluate(async (path) => {
    const html = await (await fetch(path)).text();
    const parsed = new DOMParser().parseFromString(html, "text/html");
    for (const area of parsed.querySelectorAll("textarea")) area.remove(); // its text is a value
    return [...parsed.querySelectorAll("[prerendered]")].map((element) =>
      (element.textContent ?? "").replace(/\s+/g, " ").trim(),
    );
  }, path);
}

/** What stands where the texts part, "" where they are the same. */
function firstDifference(a: string, b: string): string {
  if (a === b) return "";
  let i = 0;
  while (a[i] === b[i]) i++;
  return `“${a.slice(Math.max(0, i - 30), i + 30)}” became “${b.slice(Math.max(0, i - 30), i + 30)}”`;
}

test.each(paths)(
  "/%s works from a sub-path, shows what was printed, and asks for nothing else",
  async (path) => {
    const before = await printed(path);
    const asked = bench.site.requests.length;
    const page = await bench.open(path);
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
    expect(before.length).toBe(1);
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
  },
);

test("old addresses of a section lead to its page, with its state", async () => {
  const page = await bench.blank();
  for (const [from, to] of [
    [
      "en/#score_variance&score_variance.seed=5",
      "en/lab/score_variance/#score_variance&score_variance.seed=5",
    ],
    ["zh/#encoder_layer", "zh/lab/encoder_layer/#encoder_layer"],
    ["en/#about", "en/check/"],
  ]) {
    await page.goto("about:blank");
    await page.goto(`${bench.site.url}${from}`);
    await until(page, (wanted) => location.href === wanted, `${bench.site.url}${to}`);
  }
  expect(await page.problems()).toEqual([]);
});

if (engineName !== "webkit") {
  // WebKit's driver has no way to set the preferred language.
  test.each(languages)(
    "the front page sends a reader of %s on, with the state of the address",
    async (lang) => {
      const page = await bench.blank({ lang });
      await page.goto(`${bench.site.url}#score_variance&score_variance.seed=5`);
      const wanted = `${bench.site.url}${lang}/lab/score_variance/#score_variance&score_variance.seed=5`;
      await until(page, (wanted) => location.href === wanted, wanted);
    },
  );
}
