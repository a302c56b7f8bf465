// axe-core finds nothing, in either language, with everything folded out, and every text stands out in either theme; the
// keyboard reaches and moves everything; a phone shows it without sideways scrolling.
import { expect, test } from "vitest";
import { otherContrasts, violations } from "./axe.ts";
import { until, useBench } from "./bench.ts";
import { lowContrasts } from "./contrast.ts";
import { changedHash, hashOf, idOf, lab } from "./figure.ts";
import { allPages, samplePages } from "./pages.ts";
import { engineName, type Page, type PageOptions } from "./drivers/index.ts";

declare global {
  var focused: { element: HTMLElement; visible: boolean }[];
}

const bench = useBench("/", {
  "/phone.html": `<!doctype html><html lang="en"><head><title>phone</title></head>
    <body><iframe id="phone" src="/zh/lab/attention_steps/" width="360" height="700"></iframe></body></html>`,
});

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

// Every page in both languages, in Chromium both themes of each: colours alone change with the theme, so that of the rules
// only that of contrast is looked at again. In the other engines, where a theme is chosen when a page is opened, pages of
// every kind.
const all = engineName === "chromium";
const visits = (["en", "zh"] as const).flatMap((language) =>
  (all ? allPages : samplePages).map((path) => [language, path] as const),
);
test.each(visits)("axe: /%s/%s", async (language, path) => {
  const themes = [language === "zh", language === "en"].slice(0, all ? 2 : 1); // dark or not
  const options = (dark: boolean): PageOptions => ({ dark, reducedMotion: dark });
  const page = await bench.open(`${language}/${path}`, options(themes[0]!));
  await unfold(page);
  for (const [turn, dark] of themes.entries()) {
    if (turn > 0) await page.change!(options(dark));
    await still(page);
    expect(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)).toBe(dark);
    if (dark) await nothingMoves(page);
    expect(await (turn === 0 ? violations(page) : lowContrasts(page))).toEqual([]);
    if (all && turn === 0 && samplePages.includes(path)) expect(await otherContrasts(page)).toEqual([]);
  }
  if (!all) return;
  await page.change!({ width: 360, height: 700 });
  expect(await page.evaluate(() => innerWidth)).toBe(360);
  expect(await page.evaluate(sticksOut)).toEqual([]);
});

test("axe: a figure with a wrong value", async () => {
  const page = await bench.open(`${lab("article_snippet")}#article_snippet&article_snippet.d=0`);
  expect(await violations(page)).toEqual([]);
});

test.each(["en/", lab("attention_steps"), lab("training_race")])(
  "every control of %s has a visible focus and is reached by Tab, in order",
  async (path) => {
    const page = await bench.open(path);
    const wanted = await page.evaluate(
      () =>
        [
          ...document.querySelectorAll<HTMLElement>(
            "a[href], button, input, select, textarea, summary, [tabindex]",
          ),
        ].filter(
          (element) =>
            element.tabIndex >= 0 &&
            element.checkVisibility() &&
            !element.matches(":disabled, [type=radio]:not(:checked)"), // of radios, Tab reaches the chosen one
        ).length,
    );
    // The page notes what gets the focus: to ask after each of the hundreds of keys takes long.
    await page.evaluate(() => {
      globalThis.focused = [];
      document.addEventListener("focusin", ({ target }) => {
        const element = target as HTMLElement;
        const { outlineStyle, boxShadow } = getComputedStyle(element);
        focused.push({ element, visible: outlineStyle !== "none" || boxShadow !== "none" });
      });
      document.querySelector<HTMLElement>(".skip")?.focus();
    });
    let seen: { name: string; place: number; visible: boolean }[] = [];
    for (let pressed = 0; pressed < wanted; pressed += 20) {
      await page.press("Tab", 20);
      // Their places now: what comes late moves those of others, or replaces what was printed, which has none then.
      seen = await page.evaluate(() => {
        const all = [...document.querySelectorAll("*")];
        return focused.map(({ element, visible }) => ({
          name: `${element.tagName} ${element.id}`,
          place: all.indexOf(element),
          visible,
        }));
      });
      const [first, ...others] = seen.map(({ place }) => place);
      const around = others.indexOf(first!) + 1;
      if (around > 0) seen.length = around;
      if (around > 0 || (await page.evaluate(() => document.activeElement === document.body))) break;
    }
    expect(seen.filter(({ visible }) => !visible)).toEqual([]);
    const places = seen.map(({ place }) => place).filter((place) => place >= 0);
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    // WebKit's Tab passes over links, as Safari's does.
    expect(seen.length).toBeGreaterThan(engineName === "webkit" ? 0 : wanted - 3);
  },
);

test("the arrow keys move a slider and the figure follows", async () => {
  const page = await bench.open(lab("score_variance"));
  const before = await hashOf(page, "score_variance");
  await page.evaluate(
    (selector) => {
      const slider = document.querySelector<HTMLElement>(selector)!;
      slider.scrollIntoView();
      slider.focus();
    },
    `#${idOf("score_variance")}-n_keys-slider`,
  );
  await page.press("ArrowRight");
  await changedHash(page, "score_variance", before);
});

test("the arrow keys move the hero's slider", async () => {
  const page = await bench.open("en/");
  const heroBefore = await page.evaluate(() => document.querySelector("sqrtdk-hero")!.textContent);
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('sqrtdk-hero input[type="range"]')!.focus();
  });
  await page.press("ArrowLeft");
  await until(page, (before) => document.querySelector("sqrtdk-hero")!.textContent !== before, heroBefore);
});

if (engineName === "webkit") {
  test("on a phone nothing scrolls sideways", async () => {
    const page = await bench.blank({ width: 600 });
    await page.goto(`${bench.site.url}phone.html`);
    const widths = await page.evaluate(() => {
      const { documentElement } = document.querySelector<HTMLIFrameElement>("#phone")!.contentDocument!;
      return [documentElement.clientWidth, documentElement.scrollWidth];
    });
    expect(widths[0]).toBeLessThanOrEqual(360);
    expect(widths[1]).toBe(widths[0]);
  });
} else if (!all) {
  test.each(samplePages)("on a phone nothing scrolls sideways: /%s", async (path) => {
    const language = samplePages.indexOf(path) % 2 === 0 ? "en" : "zh";
    const page = await bench.open(`${language}/${path}`, { width: 360, height: 700 });
    await unfold(page);
    expect(await page.evaluate(() => innerWidth)).toBe(360);
    expect(await page.evaluate(sticksOut)).toEqual([]);
  });
}
