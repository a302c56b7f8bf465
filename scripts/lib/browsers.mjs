// Browsers, as every command and test here finds and starts them.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const programs = {
  chromium: ["chromium", "chromium-browser", "google-chrome"],
  firefox: ["firefox-esr", "firefox"],
};

/** Described in browsers.d.mts. */
export function findProgram(candidates) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = candidates.flatMap((name) =>
    name.includes("/") ? [name] : folders.map((folder) => join(folder, name)),
  );
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error(`none of these is installed: ${candidates.join(", ")} (scripts/setup --test)`);
  return found;
}

export function findBrowser(engine) {
  const named = process.env[engine.toUpperCase()];
  return findProgram(named ? [named, ...programs[engine]] : programs[engine]);
}

export const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--hide-scrollbars",
  // Each window would load two pages for its address bar, which takes as long as a page of ours.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
];
