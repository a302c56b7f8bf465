// One browser; every page in a context, and so in a process, of its own.
import puppeteer from "puppeteer-core";
import { chromiumFlags, findBrowser } from "../../scripts/lib/browsers.mjs";

export const engines = ["chromium", "firefox"];

export async function launch(engine) {
  const browser = await puppeteer.launch({
    browser: engine === "firefox" ? "firefox" : "chrome",
    executablePath: findBrowser(engine),
    headless: true,
    args: engine === "chromium" ? chromiumFlags : [],
    protocolTimeout: 300_000,
  });
  return {
    version: await browser.version(),
    /** A page that holds the library `name`: `call(method, ...args)` runs a function of page.mjs. */
    async open(url, name) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const call = (method, ...args) =>
        page.evaluate((method, args) => globalThis.bench[method](...args), method, args);
      await page.goto(`${url}/page.html`);
      await page.waitForFunction("globalThis.bench !== undefined");
      await call("load", name).catch((error) => {
        throw new Error(`${name} does not load: ${error.message}`);
      });
      // A page that crashed cannot be closed.
      return { call, close: () => context.close().catch(() => undefined) };
    },
    close: () => browser.close(),
  };
}
