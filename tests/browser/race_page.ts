// The training race as a reader uses it: what is pressed and read on its stage.
import { until, whenever } from "./bench.ts";
import { idOf } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

export const race = "training_race";
export const raceId = idOf(race);
export const run = `#${raceId}-run`;

/** Waits until the button that starts and pauses says `name`. */
export async function named(page: Page, name: string): Promise<void> {
  await until(page, (run, name) => document.querySelector(run)!.textContent.trim() === name, run, name);
}

/** Waits until a race that was started is over. */
export async function finished(page: Page): Promise<void> {
  await until(
    page,
    (run) =>
      document.querySelector(".race-begun") !== null &&
      document.querySelector(run)!.textContent.trim() === "Start",
    run,
  );
}

/** Unfolds the settings. */
export async function openSettings(page: Page): Promise<void> {
  await page.evaluate((id) => {
    document.querySelector<HTMLDetailsElement>(`#${id}-settings`)!.open = true;
  }, raceId);
}

/** The step whose lanes, answers and maps are shown; NaN before there is one. */
export function stepShown(page: Page): Promise<number> {
  return page.evaluate(() =>
    Number.parseInt(document.querySelector(".race-scrub output")?.textContent ?? "", 10),
  );
}

/** In the page: every racer has made more than 30 steps. */
export function isUnderWay(): boolean {
  const note = document.querySelector(".race-note")?.textContent ?? "";
  return Number(/\d+/.exec(note)?.[0] ?? 0) > 30;
}

/** Presses the button that starts and pauses as soon as the race is under way. */
export function pauseUnderWay(page: Page): Promise<() => Promise<void>> {
  return whenever(page, isUnderWay, () =>
    document.querySelector<HTMLElement>("#training_race-figure-run")!.click(),
  );
}

/** What the lanes say of each racer. */
export function percents(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".race-percent")].map(({ textContent }) => textContent.trim()),
  );
}
