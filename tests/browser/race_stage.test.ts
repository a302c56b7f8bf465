// The stage of the race: a bet, one button, and everything in sight at once.
import { expect, test } from "vitest";
import { ready, useBench } from "./bench.ts";
import { engineName, type Page, type PageOptions } from "./drivers/index.ts";
import { lab } from "./figure.ts";
import { finished, percents, race, raceId, run } from "./race_page.ts";

const bench = useBench();

async function openStage(hash = "", options: PageOptions = {}): Promise<Page> {
  const page = await bench.open(lab(race) + hash, options);
  await page.evaluate(() => document.querySelector(".race-stage")!.scrollIntoView());
  await ready(page, "sqrtdk-race");
  return page;
}

const short = `#${race}&${race}.steps=100&${race}.seeds=0`;

test("a bet is kept on the device, blocks nothing, and is answered when the race is over", async () => {
  const page = await openStage(short);
  await page.click(`#${raceId}-bet-0`); // unscaled
  await page.click(run);
  await finished(page);
  const said = await page.evaluate(() => document.querySelector(".race-outcome")!.textContent);
  expect(said.replaceAll("\u2060", "")).toMatch(
    /^First at 90%: 1\/d, after \d+ steps\. You bet on unscaled, /,
  );
  const [unscaled = "", scaled = "", inverse = ""] = await percents(page);
  expect(Number.parseFloat(unscaled)).toBeLessThan(Number.parseFloat(scaled));
  expect(Number.parseFloat(scaled)).toBeLessThan(Number.parseFloat(inverse));
  const bet = (): boolean => document.querySelector<HTMLInputElement>("#training_race-figure-bet-0")!.checked;
  await page.goto(`${bench.site.url}${lab(race)}`);
  await ready(page, "sqrtdk-race");
  expect(await page.evaluate(bet)).toBe(true);
  expect(await page.problems()).toEqual([]);
});

test("who may still bet is not told how the race ends", async () => {
  const page = await openStage();
  const hidden = (): boolean =>
    [".race-outcome", ".race-percent", ".race-learned", ".race-answer", ".race-map rect"].every(
      (part) => getComputedStyle(document.querySelector(part)!).visibility === "hidden",
    );
  expect(await page.evaluate(hidden)).toBe(true);
  expect((await percents(page)).every((text) => /^\d+\.\d%$/.test(text))).toBe(true); // and printed all the same
});

test("the stage is one screen of a laptop, and of a phone", async () => {
  const parts = (): { height: number; sideways: number } => ({
    height: document.querySelector(".race-stage")!.getBoundingClientRect().height,
    sideways: document.documentElement.scrollWidth - innerWidth,
  });
  const laptop = await openStage("", { width: 1280, height: 800 });
  expect((await laptop.evaluate(parts)).height).toBeLessThanOrEqual(800);
  if (engineName === "webkit") return; // its window is never so narrow
  for (const language of ["en", "zh"]) {
    // In the story; in the laboratory, a sentence on the chart stands below.
    const phone = await bench.open(`${language}/#race`, { width: 390, height: 844 });
    const { height, sideways } = await phone.evaluate(parts);
    expect(height).toBeLessThanOrEqual(844);
    expect(sideways).toBeLessThanOrEqual(0);
  }
});

test.each([true, false])(
  "mechanisms are watched, unless motion is to be reduced (%s)",
  async (reducedMotion) => {
    const page = await openStage(short, { reducedMotion });
    await page.click(run);
    await finished(page);
    const times = await page.evaluate(() =>
      [".race-learned", ".race-map rect"].flatMap((part) =>
        getComputedStyle(document.querySelector(part)!)
          .transitionDuration.split(",")
          .map((time) => 1000 * Number.parseFloat(time)),
      ),
    );
    for (const time of times) {
      if (reducedMotion) expect(time).toBe(0);
      else expect(time).toBeGreaterThanOrEqual(200);
      expect(time).toBeLessThanOrEqual(600);
    }
  },
);

test("the stage stands alone where a story has it", async () => {
  const page = await openStage(short);
  await page.evaluate(() => document.querySelector("sqrtdk-race")!.setAttribute("stage", ""));
  await page.click(run);
  await finished(page);
  const parts = await page.evaluate(() =>
    [".race-stage", ".race-map", ".race-settings", ".figure-output", ".race-inside", ".race-runs"].map(
      (part) => document.querySelector(`sqrtdk-race ${part}`) !== null,
    ),
  );
  expect(parts).toEqual([true, true, false, false, false, false]);
});
