// Firefox over WebDriver BiDi. What a page option changes is a preference of the whole browser, so there
// is one browser for each set of options.
import puppeteer, { type Browser } from "puppeteer-core";
import { findBrowser } from "../../../scripts/lib/browsers.mjs";
import type { Engine, Page, PageOptions } from "./engine.ts";
import { wrapPage } from "./puppeteer.ts";

function preferences(options: PageOptions): Record<string, string | number | boolean> {
  return {
    "layout.css.prefers-color-scheme.content-override": options.dark ? 0 : 1,
    "ui.prefersReducedMotion": options.reducedMotion ? 1 : 0,
    "ui.useOverlayScrollbars": 1,
    "intl.accept_languages": options.lang === "zh" ? "zh-CN,zh" : "en-US,en",
    "javascript.enabled": options.javascript ?? true,
  };
}

export function launchFirefox(): Promise<Engine> {
  const browsers = new Map<string, Promise<Browser>>();
  function browserFor(options: PageOptions): Promise<Browser> {
    const prefs = preferences(options);
    const key = JSON.stringify(prefs);
    let browser = browsers.get(key);
    if (!browser) {
      browser = puppeteer.launch({
        browser: "firefox",
        executablePath: findBrowser("firefox"),
        headless: true,
        extraPrefsFirefox: prefs,
      });
      browsers.set(key, browser);
    }
    return browser;
  }
  return Promise.resolve({
    name: "firefox",
    async open(options: PageOptions = {}): Promise<Page> {
      const browser = await browserFor(options);
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport({ width: options.width ?? 1280, height: options.height ?? 900 });
      return wrapPage(page, () => context.close());
    },
    async close() {
      for (const browser of browsers.values()) await (await browser).close();
    },
  });
}
