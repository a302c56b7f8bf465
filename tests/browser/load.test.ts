// The page takes over its printed markup without a trace: no error, no violation, no digit that moves.
import { expect, test } from "vitest";
import { ready, until, useBench } from "./bench.ts";
import { engineName } from "./drivers/index.ts";

const base = "/some/sub/path/";
const bench = useBench(base, {
  [`${base}parse.html`]: `<!doctype html><html lang="en"><head><title>parse</title></head></html>`,
});
const languages = ["en", "zh"] as const;

/**
 * What stands in the figures as sent, with what stands in the pictures of their charts, read by a page without scripts
 * of its own; and whether all but tables is sent: exports and folded settings come later where charts are pictures.
 */
async function printed(language: string): Promise<{ text: string; whole: boolean }[]> {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}parse.html`);
  return page.evaluate(async (path) => {
    const parser = new DOMParser();
    const read = async (address: string) => (await fetch(address)).text();
    const parsed = parser.parseFromString(await read(path), "text/html");
    const pictured = new Set<Element | null>();
    for (const image of parsed.querySelectorAll<HTMLImageElement>("picture img")) {
      pictured.add(image.closest("sqrtdk-figure, sqrtdk-race"));
      const [file = "", view = ""] = image.getAttribute("src")!.split("#");
      const drawn = parser.parseFromString(await read(path + file), "image/svg+xml");
      const views = [...drawn.querySelectorAll("view:not(.dark)")];
      const index = views.findIndex(({ id }) => id === view);
      const chart = drawn.querySelectorAll(".chart-svg")[index];
      image.parentElement!.replaceWith(chart?.textContent ?? `no ${view} in ${file}`);
    }
    return [...parsed.querySelectorAll("sqrtdk-hero, sqrtdk-figure, sqrtdk-race")].map((element) => ({
      text: (element.textContent ?? "").replace(/\s+/g, " ").trim(),
      whole: !pictured.has(element),
    }));
  }, `${language}/`);
}

/** What stands where the texts part, "" where they are the same. */
function firstDifference(a: string, b: string): string {
  if (a === b) return "";
  let i = 0;
  while (a[i] === b[i]) i++;
  return `“${a.slice(Math.max(0, i - 30), i + 30)}” became “${b.slice(Math.max(0, i - 30), i + 30)}”`;
}

for (const language of languages) {
  test(`/${language}/ works from a sub-path, shows what was printed, and asks for nothing else`, async () => {
    const before = await printed(language);
    const page = await bench.open(`${language}/`);
    await ready(page);
    expect(await page.problems()).toEqual([]);
    const whole = before.map((figure) => figure.whole);
    const after = await page.evaluate(
      (whole) =>
        [...document.querySelectorAll("sqrtdk-hero, sqrtdk-figure, sqrtdk-race")].map((element, i) => {
          const timed = element.matches("sqrtdk-figure") && !element.querySelector(".figure-hash");
          if (timed) return null; // never the same twice
          const copy = element.cloneNode(true) as Element;
          const later = whole[i] ? ".tables" : ".tables, .exports, .more > .control-bar";
          for (const part of copy.querySelectorAll(later)) part.remove();
          return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
        }),
      whole,
    );
    expect(before.length).toBeGreaterThan(12); // the hero, and a figure for each experiment
    expect(after.length).toBe(before.length);
    expect(
      after
        .map((text, i) => (text === null ? "" : firstDifference(before[i]!.text, text)))
        .filter((text) => text !== ""),
    ).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(language);

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
    expect(bench.site.requests.filter((path) => !path.startsWith(base) && !ours.includes(path))).toEqual([]);
  });
}

if (engineName !== "webkit") {
  // WebKit's driver has no way to set the preferred language.
  test.each(languages)(
    "the front page sends a reader of %s on, with the state of the address",
    async (lang) => {
      const page = await bench.blank({ lang });
      await page.goto(`${bench.site.url}#score_variance&score_variance.seed=5`);
      const wanted = `${bench.site.url}${lang}/#score_variance&score_variance.seed=5`;
      await until(page, (wanted) => location.href === wanted, wanted);
    },
  );
}
