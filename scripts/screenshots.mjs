#!/usr/bin/env node
// Pictures of the built site into build/screenshots: phone and desktop, both languages, light and dark.
// usage: scripts/screenshots.mjs [PAGE...]     e.g. scripts/screenshots.mjs lab/ 'lab/score_variance/#score_variance&score_variance.seed=7'
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { chromiumFlags, findBrowser } from "./lib/browsers.mjs";
import { serve } from "./lib/serve.mjs";

const path = (relative) => fileURLToPath(new URL(`../build/${relative}`, import.meta.url));
const { url, close } = await serve({ root: path("site") });
const browser = await puppeteer.launch({
  executablePath: findBrowser("chromium"),
  args: chromiumFlags,
});
mkdirSync(path("screenshots"), { recursive: true });
const pages = process.argv.length > 2 ? process.argv.slice(2) : [""];
for (const address of pages) {
  const name = address.replace(/#.*/, "").replaceAll(/\W+/g, "-").replace(/-$/, "");
  for (const language of ["en", "zh"]) {
    for (const theme of ["light", "dark"]) {
      for (const [device, width, deviceScaleFactor] of [
        ["phone", 360, 2],
        ["desktop", 1280, 1],
      ]) {
        const page = await browser.newPage();
        await page.setViewport({ width, height: 800, deviceScaleFactor });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
        await page.goto(`${url}${language}/${address}`, { waitUntil: "networkidle0" });
        const file = path(`screenshots/${[name || "home", language, theme, device].join("-")}.png`);
        await page.screenshot({ path: file, fullPage: true });
        await page.close();
        console.log(file);
      }
    }
  }
}
await browser.close();
await close();
