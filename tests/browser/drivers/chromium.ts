// Chromium over its own protocol; every page has a context (cookies, caches, workers) of its own.
import puppeteer from "puppeteer-core";
import { chromiumFlags, findBrowser } from "../../../scripts/lib/browsers.mjs";
import type { Engine, Page, PageOptions } from "./engine.ts";
import { wrapPage } from "./puppeteer.ts";

export async function launchChromium(): Promise<Engine> {
  const browser = await puppeteer.launch({
    executablePath: findBrowser("chromium"),
    args: chromiumFlags,
  });
  return {
    name: "chromium",
    async open(options: PageOptions = {}): Promise<Page> {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const change = async ({ width = 1280, height = 900, dark, reducedMotion }: PageOptions) => {
        await page.setViewport({ width, height });
        await page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
          { name: "prefers-reduced-motion", value: reducedMotion ? "reduce" : "no-preference" },
        ]);
      };
      await change(options);
      await page.setJavaScriptEnabled(options.javascript ?? true);
      const session = await page.createCDPSession();
      await session.send("Emulation.setUserAgentOverride", {
        userAgent: await browser.userAgent(),
        acceptLanguage: options.lang === "zh" ? "zh-CN,zh" : "en-US,en",
      });
      return { ...wrapPage(page, () => context.close()), change };
    },
    close: () => browser.close(),
  };
}
