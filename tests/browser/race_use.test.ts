// What a reader meets while using the race: one start, a rate that stays, racers at the same step.
import { expect, test } from "vitest";
import { ready, until, useBench, whenever } from "./bench.ts";
import { alertsOf, idOf, lab } from "./figure.ts";
import type { Page, PageOptions } from "./drivers/index.ts";

const bench = useBench();
const race = "training_race";
const run = `#${idOf(race)}-run`;

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

/** Waits until the button that starts and pauses says `name`. */
async function named(page: Page, name: string): Promise<void> {
  await until(page, (run, name) => document.querySelector(run)!.textContent.trim() === name, run, name);
}

test("a double click on Start is one start", async () => {
  const page = await openRace();
  await page.evaluate(async (run) => {
    const button = document.querySelector<HTMLElement>(run)!;
    for (const detail of [1, 2]) {
      button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }, run);
  await until(page, () =>
    [...document.querySelectorAll<HTMLProgressElement>(".race-lane progress")].every(
      ({ value }) => value > 5,
    ),
  );
  await named(page, "Pause");
  await page.click(run);
  await named(page, "Continue");
  expect(await page.problems()).toEqual([]);
});

test("a learning rate that is typed while the models race stays what it is", async () => {
  const page = await openRace();
  const rate = `#${idOf(race)}-rate`;
  await page.click(run);
  await until(page, (rate) => document.querySelector(rate) !== null, rate);
  const before = await page.evaluate(() => document.querySelector("progress")!.value);
  await page.evaluate((rate) => {
    const field = document.querySelector<HTMLInputElement>(rate)!;
    field.focus();
    field.select();
  }, rate);
  for (const character of "0.0023") {
    await page.type(character);
    await pause(150);
  }
  await until(page, (before) => document.querySelector("progress")!.value > before, before);
  expect(await valueOf(page, rate)).toBe("0.0023");
  await page.press("Enter");
  await pause(300);
  expect(await valueOf(page, rate)).toBe("0.0023");
  expect(await alertsOf(page, race)).toEqual([]);
});

test("a race that rests shows every racer at the same step, and wrong answers in ink", async () => {
  const page = await openRace();
  const asked = await whenever(
    page,
    () =>
      [...document.querySelectorAll<HTMLProgressElement>(".race-lane progress")].every(
        ({ value }) => value > 45,
      ),
    () => document.querySelector<HTMLElement>("#training_race-figure-run")!.click(),
  );
  await page.click(run);
  await asked();
  await named(page, "Continue");
  await page.click(`#${idOf(race)}-apparatus > summary`);
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
