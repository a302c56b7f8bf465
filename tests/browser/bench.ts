// What every browser test starts from: the engine under test, the built site, and pages that are closed again.
import { afterAll, afterEach, beforeAll } from "vitest";
import { launch, type Engine, type EngineName, type Page, type PageOptions } from "./drivers/index.ts";
import { startSite, type Site } from "./site.ts";

export interface Bench {
  readonly site: Site;
  readonly engine: Engine;
  /** A new page at `path` of the site, once its first elements answer. */
  open(path: string, options?: PageOptions): Promise<Page>;
  /** A new page, nowhere yet. */
  blank(options?: PageOptions): Promise<Page>;
}

/** Call at the top of a test file. `base` and `pages` as in startSite. */
export function useBench(base = "/", pages: Record<string, string> = {}, name?: EngineName): Bench {
  let site: Site | undefined;
  let engine: Engine | undefined;
  const pagesOpen: Page[] = [];
  beforeAll(async () => {
    [site, engine] = await Promise.all([startSite(base, pages), launch(name)]);
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
      if (options?.javascript ?? true) await ready(page, "sqrtdk-hero, #article_snippet sqrtdk-figure");
      return page;
    },
  };
}

/**
 * Brings the elements into sight, where they start; waits until all have taken over their printed markup and
 * computed what they show. The page is then at its top again. Without a selector all of a page's elements, which
 * takes a while: some of them train.
 */
export async function ready(page: Page, selector = "sqrtdk-hero, sqrtdk-figure, sqrtdk-race"): Promise<void> {
  const isReady = (selector: string): boolean => {
    const elements = [...document.querySelectorAll(selector)];
    const late = elements.find((element) => !("_$litPart$" in element)); // Lit's mark on what it rendered into
    const busy = elements.find((element) => element.querySelector('[aria-busy="true"]'));
    late?.scrollIntoView();
    if (!late) scrollTo(0, 0);
    return elements.length > 0 && !late && !busy;
  };
  await wait(page, isReady, [selector], 120);
}

/** Waits until `condition`, evaluated in the page, is true. */
export async function until<A extends unknown[]>(page: Page, condition: (...args: A) => boolean, ...args: A) {
  await wait(page, condition, args, 30);
}

async function wait<A extends unknown[]>(
  page: Page,
  condition: (...args: A) => boolean,
  args: A,
  seconds: number,
): Promise<void> {
  const deadline = Date.now() + 1000 * seconds;
  while (!(await page.evaluate(condition, ...args))) {
    if (Date.now() > deadline)
      throw new Error(`in vain waited for ${condition.toString()} ${JSON.stringify(args)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
