// Every page as a reader meets it: it takes over its printed markup without a trace, axe-core finds nothing in it with
// everything folded out, every text stands out in either theme, and a phone shows it without sideways scrolling.
import { afterAll, expect, test } from "vitest";
import { otherContrasts, violations } from "./axe.ts";
import { until, useBench } from "./bench.ts";
import { lowContrasts } from "./contrast.ts";
import { engineName, type Page } from "./drivers/index.ts";
import { allPages, samplePages } from "./pages.ts";
import { expectTakenOver } from "./taken_over.ts";

const base = "/some/sub/path/";
const bench = useBench(base, {
  [`${base}parse.html`]: `<!doctype html><html lang="en"><head><title>parse</title></head></html>`,
  "/phone.html": `<!doctype html><html lang="en"><head><title>phone</title></head>
    <body><iframe id="phone" src="${base}zh/lab/attention_steps/" width="360" height="700"></iframe></body></html>`,
});
let parser: Promise<Page> | undefined;
afterAll(async () => (await parser)?.close());

/** A page without scripts of its own, and without a policy. */
async function openParser(): Promise<Page> {
  const page = await bench.engine.open();
  await page.goto(`${bench.site.url}parse.html`);
  return page;
}

/** For those who asked for reduced motion. */
async function nothingMoves(page: Page): Promise<void> {
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return [transitionDuration, animationDuration].some((text) =>
          text.split(",").some((one) => parseFloat(one) > 0),
        );
      })
      .map((element) => `${element.tagName}.${element.getAttribute("class") ?? ""}`),
  );
  expect(moving).toEqual([]);
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe("auto");
}

async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
}

async function still(page: Page): Promise<void> {
  await until(page, () => document.getAnimations().every(({ playState }) => playState !== "running"));
}

/** Formulas, with the punctuation after them, in a line that is too short for them. */
function tooWide(): string[] {
  return [...document.querySelectorAll("main math:not([display=block]), main .keep")]
    .filter((formula) => {
      let line = formula.parentElement!;
      while (/^(inline$|contents)/.test(getComputedStyle(line).display)) line = line.parentElement!;
      const { right, width } = formula.getBoundingClientRect();
      return width > 0 && right > line.getBoundingClientRect().right + 1;
    })
    .map(({ textContent }) => textContent);
}

/** Elements that stick out of the window sideways, other than in a box that scrolls by itself. */
function sticksOut(): string[] {
  const width = document.documentElement.clientWidth;
  const found =
    document.documentElement.scrollWidth > width ? [`page ${document.documentElement.scrollWidth}`] : [];
  for (const element of document.querySelectorAll("body *")) {
    const { right, width: own } = element.getBoundingClientRect();
    if (own === 0 || right <= width + 1) continue;
    let box: Element | null = element;
    while (box && !/auto|scroll|hidden|clip/.test(getComputedStyle(box).overflowX)) box = box.parentElement;
    if (!box || box === document.body)
      found.push(`${element.tagName}#${element.id}.${element.className} to ${right}`);
  }
  return found;
}

// In Chromium every page in both languages; in the others in one, and those of every kind in both, which axe looks at. The
// widths alternate; Chinese pages are dark, for readers who asked for reduced motion.
const all = engineName === "chromium";
const visits = allPages.flatMap((path, index) =>
  ["en", "zh"].flatMap((language, which) => {
    const byAxe = all || samplePages.includes(path);
    if (!byAxe && (which + index + (engineName === "webkit" ? 1 : 0)) % 2 !== 0) return [];
    const width = (which + Math.floor(index / 2)) % 2 === 0 ? 360 : 1280;
    return [[`${language}/${path}`, width, { dark: language === "zh", byAxe }] as const];
  }),
);

test.each(visits)("/%s of %i px", async (path, width, { dark, byAxe }) => {
  const parsing = await (parser ??= openParser()); // first: in Firefox, what is opened last is seen
  const page = await bench.blank({ dark, width, reducedMotion: dark });
  await expectTakenOver(page, path, { bench, base, parser: parsing });
  await unfold(page);
  const fits = async (): Promise<void> => {
    expect(await page.evaluate(() => innerWidth)).toBe(360);
    expect(await page.evaluate(sticksOut)).toEqual([]);
    expect(await page.evaluate(tooWide)).toEqual([]);
  };
  if (engineName === "firefox" && width === 360) await fits();
  if (!byAxe) return;
  // Only colours change with the theme, so that of the rules only that of contrast is looked at again.
  for (const [turn, darkNow] of (all ? [dark, !dark] : [dark]).entries()) {
    await page.change?.({ dark: darkNow, reducedMotion: darkNow });
    await still(page);
    expect(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)).toBe(darkNow);
    if (darkNow) await nothingMoves(page);
    expect(await (turn === 0 ? violations(page) : lowContrasts(page))).toEqual([]);
    if (all && turn === 0 && samplePages.includes(path.slice(3)))
      expect(await otherContrasts(page)).toEqual([]);
  }
  await page.change?.({ width: 360, height: 700 });
  if (all) await fits();
});

if (engineName === "webkit") {
  test("on a phone nothing scrolls sideways", async () => {
    const page = await bench.blank({ width: 600 });
    await page.goto(new URL("/phone.html", bench.site.url).href);
    const widths = await page.evaluate(() => {
      const { documentElement } = document.querySelector<HTMLIFrameElement>("#phone")!.contentDocument!;
      return [documentElement.clientWidth, documentElement.scrollWidth];
    });
    expect(widths[0]).toBeLessThanOrEqual(360);
    expect(widths[1]).toBe(widths[0]);
  });
}
