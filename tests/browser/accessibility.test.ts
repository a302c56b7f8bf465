// The keyboard reaches and moves everything, and what is wrong is said to those who do not see. What axe-core says of every
// page: visits.test.ts.
import { expect, test } from "vitest";
import { violations } from "./axe.ts";
import { until, useBench } from "./bench.ts";
import { changedHash, hashOf, idOf, lab } from "./figure.ts";
import { engineName } from "./drivers/index.ts";

declare global {
  var focused: { element: HTMLElement; visible: boolean }[];
}

const bench = useBench();

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
      const before = seen.length;
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
      if (around > 0 || seen.length === before) break;
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
