// Chromium over its own protocol; every page has a context (cookies, caches, workers) of its own.
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import { findProgram, type Engine, type Page, type PageOptions } from "./engine.ts";
import { wrapPage } from "./puppeteer.ts";

const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync --hide-scrollbars";

export async function launchChromium(): Promise<Engine> {
  const browser = await puppeteer.launch({
    executablePath: findProgram(
      [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"],
      existsSync,
    ),
    headless: true,
    args: flags.split(" "),
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
