// What a reader meets while using the race: one start, a rate that stays, racers at the same step.
import { expect, test } from "vitest";
import { ready, until, useBench } from "./bench.ts";
import { runJson } from "../cli/command.ts";
import { alertsOf, hashOf, lab } from "./figure.ts";
import {
  finished,
  isUnderWay,
  named,
  openSettings,
  pauseUnderWay,
  race,
  raceId,
  run,
  stepShown,
} from "./race_page.ts";
import type { Page, PageOptions } from "./drivers/index.ts";

const bench = useBench();

async function openRace(hash = "", options: PageOptions = {}): Promise<Page> {
  const page = await bench.open(lab(race) + hash, options);
  await page.evaluate((run) => document.querySelector(run)!.scrollIntoView({ block: "center" }), run);
  await ready(page, "sqrtdk-race");
  return page;
}

function valueOf(page: Page, selector: string): Promise<string> {
  return page.evaluate((selector) => document.querySelector<HTMLInputElement>(selector)!.value, selector);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("a double click on Start is one start", async () => {
  const page = await openRace();
  await page.evaluate(async (run) => {
    const button = document.querySelector<HTMLElement>(run)!;
    for (const detail of [1, 2]) {
      button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }, run);
  await until(page, isUnderWay);
  await named(page, "Pause");
  await page.click(run);
  await named(page, "Continue");
  expect(await page.problems()).toEqual([]);
});

test("a learning rate that is typed while the models race stays what it is, and is in the link and the hash", async () => {
  const settings = { steps: "800", scale: "1/sqrt(d),1/d", seeds: "0" };
  const hash = Object.entries(settings).map(([name, text]) => `${race}.${name}=${encodeURIComponent(text)}`);
  const page = await openRace(`#${race}&${hash.join("&")}`);
  const rate = `#${raceId}-rate`;
  await page.click(run);
  await until(page, (rate) => document.querySelector(rate) !== null, rate);
  await page.evaluate((rate) => {
    const field = document.querySelector<HTMLInputElement>(rate)!;
    field.focus();
    field.select();
  }, rate);
  for (const character of "0.0023") {
    await page.type(character);
    await pause(50);
  }
  expect(await valueOf(page, rate)).toBe("0.0023");
  await page.press("Enter");
  await pause(100);
  expect(await valueOf(page, rate)).toBe("0.0023");
  expect(await alertsOf(page, race)).toEqual([]);
  await until(page, () => location.hash.includes("rate_changes="));
  await finished(page);
  const link = await page.evaluate(() => location.hash);
  const rate_changes = new URLSearchParams(link.slice(1)).get(`${race}.rate_changes`)!;
  expect(rate_changes).toMatch(/^\d+:0\.0023$/);
  const given = Object.entries({ ...settings, rate_changes }).flatMap(([name, text]) => [`--${name}`, text]);
  expect(await hashOf(page, race)).toBe(runJson(race, ...given).hash);
});

test("a race that rests shows every racer at the same step, and wrong answers in ink", async () => {
  const page = await openRace();
  const asked = await pauseUnderWay(page);
  await page.click(run);
  await asked();
  await named(page, "Continue");
  await page.click(`#${raceId}-apparatus > summary`);
  await until(page, () => document.querySelector("sqrtdk-race .captions") !== null);
  const { lasts, colors } = await page.evaluate(() => {
    const rows = [...document.querySelectorAll("sqrtdk-race .tables table:not(.scalars)")].slice(0, 1);
    const cells = rows.flatMap((table) => [...table.querySelectorAll("tbody tr:last-child td")]);
    const color = (selector: string): string => getComputedStyle(document.querySelector(selector)!).color;
    return {
      lasts: cells.map(({ textContent }) => textContent.trim()),
      colors: [color(".race-answers .race-wrong"), color(".race-answers .race-token:not(.race-wrong)")],
    };
  });
  expect(lasts.length).toBeGreaterThan(1);
  expect(lasts).not.toContain("");
  expect(lasts).not.toContain("–");
  expect(colors[0]).toBe(colors[1]);
  const line = await page.evaluate(
    () => getComputedStyle(document.querySelector(".race-answers .race-wrong")!).textDecorationLine,
  );
  expect(line).toMatch(/underline/);
  expect(line).toMatch(/line-through/);
});

test("one slider moves the lanes, the answers, the maps and the mark in the curve together", async () => {
  const page = await openRace(`#${race}&${race}.steps=60&${race}.seeds=0`);
  await page.click(run);
  await finished(page);
  expect(await stepShown(page)).toBe(60);
  const look = (): Promise<string[]> =>
    page.evaluate(() =>
      [".race-percent", ".race-learned", ".race-answer", ".race-map", ".race-curve svg"].map((part) =>
        [...document.querySelectorAll(`.race-stage ${part}`)]
          .map((each) => each.outerHTML.replaceAll(/<!--.*?-->/g, ""))
          .join(""),
      ),
    );
  const end = await look();
  await page.evaluate((id) => document.querySelector<HTMLElement>(`#${id}-scrub`)!.focus(), raceId);
  await page.press("Home");
  await until(page, () => document.querySelector(".race-scrub output")!.textContent.trim() === "0");
  const start = await look();
  for (const [index, part] of start.entries()) expect(part).not.toBe(end[index]);
  expect(start.at(-1)).toContain("chart-cursor");
  await page.press("End");
  await until(page, () => document.querySelector(".race-scrub output")!.textContent.trim() === "60");
  expect((await look()).slice(0, -1)).toEqual(end.slice(0, -1));
});

test("a text is given in lines, by a decoder, and every model's own is shown as it is written", async () => {
  const page = await openRace(`#${race}&${race}.task=characters&${race}.steps=20&${race}.seeds=0`);
  await openSettings(page);
  const field = `#${raceId}-text`;
  await page.evaluate((field) => {
    document.querySelector(field)!.closest("details")!.open = true;
    const area = document.querySelector<HTMLTextAreaElement>(field)!;
    area.focus();
    area.select();
  }, field);
  await page.type("one two\nthree four\nfive six");
  expect(await valueOf(page, field)).toBe("one two\nthree four\nfive six");
  await until(page, () => location.hash.includes("three"));
  await page.click(run);
  await finished(page);
  const seen = await page.evaluate(() => ({
    written: [...document.querySelectorAll(".race-lane .race-passage")].map(({ textContent }) => textContent),
    crossed: document.querySelectorAll(".race-wrong").length,
    architecture: document.querySelector("#training_race-figure-topology"),
  }));
  expect(seen.written).toHaveLength(3);
  for (const text of seen.written) expect(text.length).toBeGreaterThan(5);
  expect(seen.crossed).toBe(0);
  expect(seen.architecture).toBe(null);
  expect(await alertsOf(page, race)).toEqual([]);
});
