// Actions at random, as of someone who presses everything: no page fails, each keeps what was typed and goes on, and what it
// shows in the end is what its address shows. SQRTDK_LONG=1: 10,000 actions.
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

/** Does `count` actions that follow from `seed`, in the page; gives what was done, and what was typed and is no longer there. */
async function act(seed: number, count: number): Promise<{ done: string[]; lost: string[] }> {
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
  const done: string[] = [],
    lost: string[] = [];
  for (let i = 0; i < count; ++i) {
    const kind = below(24);
    let typed: HTMLInputElement | HTMLTextAreaElement | undefined;
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
        if (!ranged) typed = element;
        element.value = ranged
          ? String(Number(min) + below(Number(max) - Number(min) + 1))
          : one(element.type === "number" ? numbers : texts);
        tell(element);
        done.push(`${place} = ${element.value.slice(0, 40)}`);
      } else if (element instanceof HTMLTextAreaElement) {
        typed = element;
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
    const text = typed?.value;
    await new Promise((resolve) => setTimeout(resolve, below(8) === 0 ? 30 : 0));
    if (typed?.value !== text) lost.push(`${done.at(-1)}, then ${typed?.value.slice(0, 40)}`);
  }
  return { done, lost };
}

/**
 * Of each figure of the page its settings, and, unless that is marked as of other settings, the verdict and the hash of what
 * it shows. A race goes on by itself.
 */
async function figures(): Promise<unknown[]> {
  const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const all: unknown[] = [];
  await rest(700); // until the address is written
  for (const element of document.querySelectorAll("sqrtdk-figure, sqrtdk-race")) {
    const figure = element as HTMLElement &
      Record<"params" | "stale", unknown> & { result?: { hash: string } };
    const shown: unknown[] = [figure.id, figure.getAttribute("experiment"), figure.params];
    if (figure.localName === "sqrtdk-figure") {
      figure.scrollIntoView(); // what is out of sight waits
      do await rest(100);
      while (figure.querySelector('[aria-busy="true"]'));
      const verdict = figure.querySelector(".verdict")?.textContent;
      shown.push(figure.stale || [figure.result?.hash, verdict]);
    }
    all.push(shown);
  }
  return all;
}

test.each(pages.map((path, i) => [path, i] as const))(
  "actions at random on /%s: no error, nothing lost, and its address shows the same",
  async (path, i) => {
    const language = i % 2 === 0 ? "en" : "zh";
    const page = await bench.open(`${language}/${path}`);
    let count = 0;
    for (let first = 0; first < inAll / pages.length; first += atOnce) {
      const { done, lost } = await page.evaluate(act, 1 + i * 100_000 + first, atOnce);
      count += done.length;
      expect(lost, done.join("\n")).toEqual([]);
      expect(await page.problems(), done.join("\n")).toEqual([]);
      expect(await page.evaluate(() => location.pathname)).toBe(`/${language}/${path}`);
    }
    const shown = await page.evaluate(figures);
    const hash = await page.evaluate(() => location.hash);
    const other = await bench.open(`${language}/${path}${hash}`);
    expect(await other.evaluate(figures), hash).toEqual(shown);
    console.log(`${count} actions on /${language}/${path}, ${shown.length} figures`);
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
