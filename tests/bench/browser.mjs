// One browser; every page in a context, and so in a process, of its own.
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";

const programs = {
  chromium: [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"],
  firefox: [process.env.FIREFOX, "firefox-esr", "firefox"],
};
export const engines = Object.keys(programs);

const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

export async function launch(engine) {
  const browser = await puppeteer.launch({
    browser: engine === "firefox" ? "firefox" : "chrome",
    executablePath: findProgram(engine),
    headless: true,
    args: engine === "chromium" ? flags.split(" ") : [],
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

function findProgram(engine) {
  const folders = process.env.PATH.split(":");
  const candidates = programs[engine].filter(Boolean);
  const paths = candidates.flatMap((name) =>
    name.includes("/") ? [name] : folders.map((folder) => `${folder}/${name}`),
  );
  const found = paths.find(existsSync);
  if (!found) throw new Error(`none of these is installed: ${candidates.join(", ")} (scripts/setup --test)`);
  return found;
}
