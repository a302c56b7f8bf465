// What every browser test starts from: the engine under test, the built site, and pages that are closed again.
import { afterAll, afterEach, beforeAll } from "vitest";
import { launch, type Engine, type Page, type PageOptions } from "./drivers/index.ts";
import { startSite, type Site } from "./site.ts";

export interface Bench {
  readonly site: Site;
  readonly engine: Engine;
  /** A new page at `path` of the site, once its elements answer. */
  open(path: string, options?: PageOptions): Promise<Page>;
  /** A new page, nowhere yet. */
  blank(options?: PageOptions): Promise<Page>;
}

/** Call at the top of a test file. `base`, `pages`, `quality` and `headers` as in startSite. */
export function useBench(
  base = "/",
  pages: Record<string, string> = {},
  quality?: number,
  headers?: Readonly<Record<string, string>>,
): Bench {
  let site: Site | undefined;
  let engine: Engine | undefined;
  const pagesOpen: Page[] = [];
  beforeAll(async () => {
    [site, engine] = await Promise.all([startSite(base, pages, quality, headers), launch()]);
  });
  afterEach(async () => {
    for (const page of pagesOpen.splice(0)) await page.close();
  });
  afterAll(async () => {
    await engine?.close();
    await site?.close();
  });
  return {
    get site() {
      return site!;
    },
    get engine() {
      return engine!;
    },
    async blank(options) {
      const page = await engine!.open(options);
      pagesOpen.push(page);
      return page;
    },
    async open(path, options) {
      const page = await this.blank(options);
      await page.goto(site!.url + path);
      if (options?.javascript ?? true) await ready(page);
      return page;
    },
  };
}

/**
 * Brings the elements into sight and points at them, which starts them; waits until all have taken over their printed
 * markup and computed what they show. The page is then at its top again.
 */
export async function ready(page: Page, selector = "sqrtdk-hero, sqrtdk-figure, sqrtdk-race"): Promise<void> {
  const isReady = (selector: string): boolean => {
    const elements = [...document.querySelectorAll(selector)];
    const late = elements.find((element) => !("_$litPart$" in element)); // Lit's mark on what it rendered into
    const busy = elements.find((element) => element.querySelector('[aria-busy="true"]'));
    late?.scrollIntoView();
    late?.dispatchEvent(new Event("pointerover"));
    if (!late) scrollTo(0, 0);
    return !late && !busy;
  };
  await until(page, isReady, selector);
}

/** Waits until `condition`, evaluated in the page now and then, is true: for states that last. */
export async function until<A extends unknown[]>(
  page: Page,
  condition: (...args: A) => boolean,
  ...args: A
): Promise<void> {
  const deadline = Date.now() + 200_000; // only what hangs takes so long, on whatever machine
  while (!(await page.evaluate(condition, ...args))) {
    if (Date.now() > deadline)
      throw new Error(`in vain waited for ${condition.toString()} ${JSON.stringify(args)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let watches = 0;

/**
 * Does `action` in the page when `condition` becomes true there, at once, for states that may pass before a test looks.
 * The promise is resolved when the page watches; what it gives waits until the action has been done.
 */
export async function whenever(
  page: Page,
  condition: () => boolean,
  action: () => void = () => undefined,
): Promise<() => Promise<void>> {
  const name = `watch${++watches}`;
  await page.run(`{
    const observer = new MutationObserver(look);
    function look() {
      if ("${name}" in globalThis || !(${condition.toString()})()) return;
      globalThis.${name} = true;
      observer.disconnect();
      (${action.toString()})();
    }
    observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    look();
  }`);
  return () => until(page, (name) => name in globalThis, name);
}
