// What Chromium and Firefox share: a page driven by puppeteer-core.
import { writeFileSync } from "node:fs";
import type { KeyInput, Page as PuppeteerPage } from "puppeteer-core";
import { callText, type Page } from "./engine.ts";

/** Firefox says so of a formula of which it has laid out a part while the page is still arriving. */
const arriving = /Invalid markup: Incorrect number of children for <m/;

export function wrapPage(page: PuppeteerPage, close: () => Promise<void>): Page {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warn") {
      problems.push(`console: ${message.text()} ${message.location().url ?? ""}`);
    }
  });
  page.on("pageerror", (error) => {
    if (!arriving.test(String(error))) problems.push(`uncaught: ${String(error)}`);
  });
  return {
    async goto(url) {
      await page.goto(url, { waitUntil: "load" });
    },
    evaluate: (fn, ...args) => page.evaluate(callText(fn, args)) as Promise<never>,
    async run(source) {
      await page.evaluate(`${source};0`);
    },
    click: (selector) => page.click(selector),
    type: (text) => page.keyboard.type(text),
    async press(key, times = 1) {
      for (let i = 0; i < times; i++) await page.keyboard.press(key as KeyInput);
    },
    async screenshot(path) {
      const image = Buffer.from(await page.screenshot({ fullPage: true }));
      if (path) writeFileSync(path, image);
      return image;
    },
    async problems() {
      const seen = await page.evaluate("globalThis.__problems ?? []");
      return [...problems, ...(seen as string[])];
    },
    close,
  };
}
