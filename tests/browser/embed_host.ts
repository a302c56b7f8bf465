// Somebody else's pages, of another origin than the site whose script they load.
import { afterAll, beforeAll } from "vitest";
import { serve, type Answer } from "../../scripts/lib/serve.mjs";
import { until, type Bench } from "./bench.ts";
import type { Page, PageOptions } from "./drivers/index.ts";
import { problemsScript, withCollector } from "./site.ts";

export interface HostPage {
  body: string;
  /** A style sheet of the page. */
  style?: string;
  lang?: string;
  /** Before the elements' script. */
  script?: string;
  /** How the elements' script is there. */
  kind?: "module" | "classic" | "none";
}

export interface Host {
  /** A page of this kind, as it is once its elements are drawn, or `loaded` false at once. */
  show(page: HostPage, options?: PageOptions & { loaded?: boolean }): Promise<Page>;
}

/** Call at the top of a test file. */
export function useHost(bench: Bench): Host {
  const pages: Record<string, Answer> = {
    "/problems.js": { type: "text/javascript", body: problemsScript },
    "/favicon.ico": { type: "image/x-icon", body: "" },
  };
  let host: { url: string; close(): Promise<void> };
  let count = 0;
  beforeAll(async () => {
    host = await serve({ root: "build/site/embed", answer: (path) => pages[path] });
  });
  afterAll(() => host.close());
  return {
    async show(
      { body, style = "", lang = "en", script = "", kind = "module" },
      { loaded = true, ...options } = {},
    ) {
      const name = `page${++count}.html`;
      const type = kind === "module" ? 'type="module"' : "";
      const module =
        kind === "none" ? "" : `<script ${type} src="${bench.site.url}embed/sqrtdk.auto.js"></script>`;
      const html = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>Somebody else's page</title>
        <style>${style}</style><script>${script}</script>${module}</head><body>${body}</body></html>`;
      pages[`/${name}`] = { type: "text/html; charset=utf-8", body: withCollector(html) };
      const page = await bench.blank(options);
      await page.goto(`${host.url}${name}`);
      if (loaded) await drawn(page);
      return page;
    },
  };
}

/** Waits until every figure of the page has been seen and drawn, and nothing is under way. */
export function drawn(
  page: Page,
  selector = "sqrtdk-figure, sqrtdk-hero, sqrtdk-race, sqrtdk-check",
): Promise<void> {
  return until(
    page,
    (selector) => {
      const late = [...document.querySelectorAll(selector)].find(
        ({ shadowRoot }) =>
          !shadowRoot?.querySelector(".alive") || shadowRoot.querySelector('[aria-busy="true"]'),
      );
      late?.scrollIntoView();
      if (!late) scrollTo(0, 0);
      return !late;
    },
    selector,
  );
}
