// axe-core finds nothing, in either language and theme, with everything folded out; the keyboard reaches
// and moves everything; a phone shows it without sideways scrolling.
import { expect, test } from "vitest";
import { violations } from "./axe.ts";
import { until, useBench } from "./bench.ts";
import { changedHash, hashOf, idOf, lab } from "./figure.ts";
import { allPages, samplePages } from "./pages.ts";
import { engineName, type Page } from "./drivers/index.ts";

declare global {
  var focused: { name: string; place: number; visible: boolean }[];
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

// Every page in both languages and themes; in other engines than Chromium, which has them all, pages of every kind.
const looks = ["en light", "zh dark", "en dark", "zh light"].slice(0, engineName === "chromium" ? 4 : 2);
const pagesOf = (look: string): readonly string[] =>
  engineName === "chromium" && ["en light", "zh dark"].includes(look) ? allPages : samplePages;
test.each(looks.flatMap((look) => pagesOf(look).map((path) => [look, path] as const)))(
  "axe: %s, /%s",
  async (look, path) => {
    const dark = look.endsWith("dark");
    const page = await bench.open(`${look.slice(0, 2)}/${path}`, { dark, reducedMotion: dark });
    if (dark) await nothingMoves(page);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await until(page, () => document.getAnimations().every(({ playState }) => playState !== "running"));
    expect(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)).toBe(dark);
    expect(await violations(page)).toEqual([]);
  },
);

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
        focused.push({
          name: `${element.tagName} ${element.id}`,
          place: [...document.querySelectorAll("*")].indexOf(element),
          visible: outlineStyle !== "none" || boxShadow !== "none",
        });
      });
      document.querySelector<HTMLElement>(".skip")?.focus();
    });
    let seen: typeof focused = [];
    for (let pressed = 0; pressed < wanted; pressed += 20) {
      await page.press("Tab", 20);
      seen = await page.evaluate(() => focused);
      const [first, ...others] = seen.map(({ place }) => place);
      const around = others.indexOf(first!) + 1;
      if (around > 0) seen.length = around;
      if (around > 0 || (await page.evaluate(() => document.activeElement === document.body))) break;
    }
    expect(seen.filter(({ visible }) => !visible)).toEqual([]);
    const places = seen.map(({ place }) => place);
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
} else {
  const paths = engineName === "chromium" ? allPages : samplePages;
  test.each(paths)("on a phone nothing scrolls sideways: /%s", async (path) => {
    const language = paths.indexOf(path) % 2 === 0 ? "en" : "zh";
    const page = await bench.open(`${language}/${path}`, { width: 360, height: 700 });
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    expect(await page.evaluate(() => innerWidth)).toBe(360);
    expect(await page.evaluate(sticksOut)).toEqual([]);
  });
}
