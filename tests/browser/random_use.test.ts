// Actions at random, as of someone who presses everything: no page fails, and each goes on. SQRTDK_LONG=1: 10,000 actions.
import { expect, test } from "vitest";
import { useBench } from "./bench.ts";
import { change, lab } from "./figure.ts";

const bench = useBench();

const pages = [
  "",
  ...["article_snippet", "similarity_measures", "attention_steps", "training_race"].map((id) => `lab/${id}/`),
  ...["lab/", "embed/", "check/"],
];
const inAll = process.env.SQRTDK_LONG ? 10_000 : 320;
const atOnce = 40;

/** Does `count` actions that follow from `seed`, in the page; gives what was done. */
async function act(seed: number, count: number): Promise<string[]> {
  const texts = ["", "0", "-1", "1e999", "NaN", "32", "8,64", "1/d", "猫 sat", "<b>", "9".repeat(300)];
  const numbers = ["", "0", "-1", "0.5", "32", "1e300"]; // what a field of numbers takes
  const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "Home", "End", "PageDown", "Enter", "Escape", " "];
  const hashes = ["", "#%", "#__proto__&=1", "#article_snippet&article_snippet.d=0", `#${"x".repeat(1000)}`];
  let state = seed;
  const below = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const one = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const tell = (element: Element): void => {
    for (const type of ["input", "change"]) element.dispatchEvent(new Event(type, { bubbles: true }));
  };
  // What would leave the page, or ask the browser.
  globalThis.print = () => undefined;
  globalThis.open = () => null;
  HTMLAnchorElement.prototype.click = () => undefined;
  const done: string[] = [];
  for (let i = 0; i < count; ++i) {
    const kind = below(24);
    if (kind === 0) {
      scrollTo(0, below(document.documentElement.scrollHeight));
      done.push("scroll");
    } else if (kind === 1) {
      location.hash = one(hashes);
      done.push(`address ${location.hash.slice(0, 40)}`);
    } else {
      const all = [
        ...document.querySelectorAll<HTMLElement>(
          'button, input:not([type="file"]), select, textarea, summary, [role="slider"], svg, [tabindex]',
        ),
      ].filter((element) => element.checkVisibility());
      const element = all.length > 0 ? one(all) : document.body;
      const place = `${element.localName}#${element.id}`;
      if (element instanceof HTMLSelectElement) {
        element.selectedIndex = below(element.options.length);
        tell(element);
        done.push(`${place} = ${element.value}`);
      } else if (element instanceof HTMLInputElement && !/^(checkbox|radio)$/.test(element.type)) {
        const { min, max } = element;
        const ranged = element.type === "range";
        element.value = ranged
          ? String(Number(min) + below(Number(max) - Number(min) + 1))
          : one(element.type === "number" ? numbers : texts);
        tell(element);
        done.push(`${place} = ${element.value.slice(0, 40)}`);
      } else if (element instanceof HTMLTextAreaElement) {
        element.value = one(texts);
        tell(element);
        done.push(`${place} = ${element.value.slice(0, 40)}`);
      } else if (below(3) > 0 && !(element instanceof SVGElement)) {
        element.click();
        done.push(`${place} clicked`);
      } else {
        const key = one(keys);
        element.focus();
        const { left, top, width, height } = element.getBoundingClientRect();
        const at = { clientX: left + below(width + 1), clientY: top + below(height + 1), bubbles: true };
        for (const type of ["pointerover", "pointermove"]) element.dispatchEvent(new PointerEvent(type, at));
        for (const type of ["keydown", "keyup"])
          element.dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, cancelable: true }));
        done.push(`${place} ${key}`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, below(8) === 0 ? 30 : 0));
  }
  return done;
}

test.each(pages.map((path, i) => [path, i] as const))(
  "actions at random on /%s: no error, and the page goes on",
  async (path, i) => {
    const language = i % 2 === 0 ? "en" : "zh";
    const page = await bench.open(`${language}/${path}`);
    const done: string[] = [];
    for (let first = 0; first < inAll / pages.length; first += atOnce) {
      done.push(...(await page.evaluate(act, 1 + i * 100_000 + first, atOnce)));
      expect(await page.problems(), done.slice(-atOnce).join("\n")).toEqual([]);
      expect(await page.evaluate(() => location.pathname)).toBe(`/${language}/${path}`);
    }
    console.log(`${done.length} actions on /${language}/${path}`);
  },
);

test("after them a new page answers as before", async () => {
  const page = await bench.open(lab("article_snippet"));
  const before = await change(page, "article_snippet", "seed", "77");
  await page.evaluate(act, 5, atOnce);
  await page.goto("about:blank");
  await page.goto(`${bench.site.url}${lab("article_snippet")}`);
  expect(await change(page, "article_snippet", "seed", "77")).toBe(before);
  expect(await page.problems()).toEqual([]);
});
