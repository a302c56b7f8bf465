import { launchChromium } from "./chromium.ts";
import type { Engine } from "./engine.ts";
import { launchFirefox } from "./firefox.ts";
import { launchWebkit } from "./webkit.ts";

export type { Engine, Page, PageOptions } from "./engine.ts";

const launchers = { chromium: launchChromium, firefox: launchFirefox, webkit: launchWebkit };
export type EngineName = keyof typeof launchers;

/** The engine under test: the variable ENGINE, Chromium if it is not set. */
export const engineName = (process.env.ENGINE ?? "chromium") as EngineName;

export function launch(name: EngineName = engineName): Promise<Engine> {
  return launchers[name]();
}
