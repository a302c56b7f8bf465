// What a reader meets while using a figure: results that fade and come back, Back, lists half typed, what is folded.
import { expect, test } from "vitest";
import { violations } from "./axe.ts";
import { ready, until, useBench } from "./bench.ts";
import { copiedBy } from "./downloads.ts";
import { alertsOf, change, hashOf, idOf, lab, readyFigure, setText, shownHash } from "./figure.ts";
import { openSettings } from "./race_page.ts";
import type { Page, PageOptions } from "./drivers/index.ts";

const bench = useBench();
const snippet = "article_snippet";
const race = "training_race";
const run = `#${idOf(race)}-run`;

async function openFigure(experiment: string, options: PageOptions = {}): Promise<Page> {
  const page = await bench.open(lab(experiment), options);
  await readyFigure(page, experiment);
  return page;
}

async function openRace(hash = "", options: PageOptions = {}): Promise<Page> {
  const page = await bench.open(lab(race) + hash, options);
  await page.evaluate((run) => document.querySelector(run)!.scrollIntoView({ block: "center" }), run);
  await ready(page, "sqrtdk-race");
  return page;
}

/** Types one character after the other at the end of a field, which keeps the focus. */
async function typeInto(page: Page, selector: string, text: string): Promise<void> {
  await page.evaluate((selector) => {
    const field = document.querySelector<HTMLInputElement>(selector)!;
    field.scrollIntoView({ block: "center" });
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }, selector);
  await page.type(text);
}

function valueOf(page: Page, selector: string): Promise<string> {
  return page.evaluate((selector) => document.querySelector<HTMLInputElement>(selector)!.value, selector);
}

/** How the output of a figure looks. */
function lookOf(page: Page, experiment: string) {
  return page.evaluate((id) => {
    const output = document.querySelector(`#${id} .figure-output`)!;
    const verdict = output.querySelector(".verdict")!;
    return {
      verdict: getComputedStyle(verdict).visibility,
      opacity: Number(
        getComputedStyle(output.querySelector(".charts path, .charts rect, .charts img")!).opacity,
      ),
      said: output.querySelector(".stale-note")?.textContent ?? "",
      top: output.querySelector(".charts")!.getBoundingClientRect().top - output.getBoundingClientRect().top,
    };
  }, experiment);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("the verdict is kept back until the reader plays, and has its place before", async () => {
  const page = await openFigure(snippet);
  const before = await lookOf(page, snippet);
  expect(before).toMatchObject({ verdict: "hidden", opacity: 1, said: "" });
  await change(page, snippet, "seed", "9");
  expect(await lookOf(page, snippet)).toMatchObject({
    verdict: "visible",
    opacity: 1,
    said: "",
    top: before.top,
  });
  expect(await page.problems()).toEqual([]);
});

test("who follows a link with settings sees its verdict", async () => {
  const page = await bench.open(`${lab(snippet)}#${snippet}&${snippet}.seed=9`);
  await readyFigure(page, snippet);
  expect((await lookOf(page, snippet)).verdict).toBe("visible");
});

test.each([false, true])("results of other settings fade at once and say so; dark: %s", async (dark) => {
  const page = await openFigure(snippet, { dark });
  await setText(page, `#${idOf(snippet)}-d`, "many");
  await until(page, (id) => document.querySelector(`#${id} .figure-output.stale`) !== null, snippet);
  const stale = await lookOf(page, snippet);
  expect(stale.verdict).toBe("hidden");
  expect(stale.opacity).toBeLessThan(0.6);
  expect(stale.said).toMatch(/previous settings/);
  await until(page, (id) => document.querySelector(`#${id} [role="alert"]`) !== null, snippet);
  expect((await lookOf(page, snippet)).said).not.toBe("");
  expect(await violations(page, `#${snippet} sqrtdk-figure`)).toEqual([]);
  await setText(page, `#${idOf(snippet)}-d`, "16");
  await until(page, (id) => document.querySelector(`#${id} .figure-output.stale`) === null, snippet);
  expect(await lookOf(page, snippet)).toMatchObject({ verdict: "visible", opacity: 1, said: "" });
});

test("results fade while others are computed, or where that was cancelled", async () => {
  const experiment = "score_variance";
  const page = await openFigure(experiment);
  await setText(page, `#${idOf(experiment)}-d`, "2048,4096,8192,16384");
  await setText(page, `#${idOf(experiment)}-trials`, "1000000");
  const cancel = `#${idOf(experiment)}-cancel`;
  await until(page, (cancel) => document.querySelector(cancel) !== null, cancel);
  expect((await lookOf(page, experiment)).said).not.toBe("");
  await page.click(cancel);
  await until(page, (cancel) => document.querySelector(cancel) === null, cancel);
  expect((await lookOf(page, experiment)).said).not.toBe("");
  const before = await hashOf(page, experiment);
  await page.click(`#${idOf(experiment)}-reset`);
  await until(page, (id) => document.querySelector(`#${id} .figure-output.stale`) === null, experiment);
  expect(await hashOf(page, experiment)).toBe(before);
});

test("Back returns to the settings before, Forward to those after, and neither traps the reader", async () => {
  const page = await openFigure(snippet);
  const length = await page.evaluate(() => history.length);
  const first = await hashOf(page, snippet);
  const second = await change(page, snippet, "seed", "9");
  const third = await change(page, snippet, "n_keys", "4");
  await until(page, () => location.hash.includes("n_keys=4"));
  expect(await page.evaluate(() => history.length)).toBe(length + 2);
  for (const [step, hash, seed, keys] of [
    [-1, second, "9", "8"],
    [-1, first, "0", "8"],
    [1, second, "9", "8"],
    [1, third, "9", "4"],
  ] as const) {
    await page.evaluate((step) => history.go(step), step);
    await shownHash(page, snippet, hash);
    expect(await valueOf(page, `#${idOf(snippet)}-seed`)).toBe(seed);
    expect(await valueOf(page, `#${idOf(snippet)}-n_keys`)).toBe(keys);
  }
  expect(await page.evaluate(() => location.hash)).toContain("n_keys=4");
  expect(await page.problems()).toEqual([]);
});

test("dragging a slider or typing a number is one entry of the history", async () => {
  const page = await openFigure(snippet);
  const length = await page.evaluate(() => history.length);
  const first = await hashOf(page, snippet);
  await page.evaluate(
    async (selector) => {
      const slider = document.querySelector<HTMLInputElement>(selector)!;
      for (let position = 1; position <= 40; ++position) {
        slider.value = String(position);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    `#${idOf(snippet)}-n_keys-slider`,
  );
  await typeInto(page, `#${idOf(snippet)}-seed`, "123");
  await until(page, () => location.hash.includes("seed=0123"));
  expect(await page.evaluate(() => history.length)).toBe(length + 2);
  await page.evaluate(() => history.go(-2));
  await shownHash(page, snippet, first);
});

test("a list that ends with a comma is no error until the field is left", async () => {
  const page = await openFigure(snippet);
  const field = `#${idOf(snippet)}-d`;
  await typeInto(page, field, ",");
  await pause(1000); // longer than other errors wait
  expect(await alertsOf(page, snippet)).toEqual([]);
  await page.type("64");
  await until(page, (id) => document.querySelector(`#${id} .figure-output.stale`) === null, snippet);
  await page.type(",");
  await page.press("Tab");
  await until(page, (id) => document.querySelector(`#${id} [role="alert"]`) !== null, snippet);
});

test("an error that was overtaken by more typing is never said", async () => {
  const page = await openRace();
  await openSettings(page);
  const field = `#${idOf(race)}-seeds`;
  await page.evaluate((field) => {
    const input = document.querySelector<HTMLInputElement>(field)!;
    input.focus();
    input.select();
  }, field);
  for (const character of "0,1,2x") await page.type(character);
  await page.evaluate((field) => {
    const input = document.querySelector<HTMLInputElement>(field)!;
    input.value = input.value.slice(0, -1);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, field);
  await pause(1000);
  expect(await valueOf(page, field)).toBe("0,1,2");
  expect(await alertsOf(page, race)).toEqual([]);
});

test("a scale that is typed stays in its field", async () => {
  const experiment = "softmax_saturation";
  const page = await openFigure(experiment);
  const field = `#${idOf(experiment)}-scale`;
  const before = await hashOf(page, experiment);
  await typeInto(page, field, "1/d");
  await until(
    page,
    (id, before) => document.querySelector(`#${id} .figure-hash code`)!.textContent !== before,
    experiment,
    before,
  );
  expect(await valueOf(page, field)).toBe("1/d");
  expect(await alertsOf(page, experiment)).toEqual([]);
});

test("what a reader takes away is folded, and works once it is open", async () => {
  const page = await openFigure(snippet);
  const details = `#${idOf(snippet)}-apparatus`;
  const look = () =>
    page.evaluate(
      (details) => ({
        open: document.querySelector<HTMLDetailsElement>(details)!.open,
        lines: document.querySelector(`${details} .printed`)!.checkVisibility(),
        captions: document.querySelectorAll(`${details} .captions li`).length,
        count: document.querySelectorAll(".apparatus").length,
        figures: document.querySelectorAll("sqrtdk-figure, sqrtdk-race").length,
      }),
      details,
    );
  const closed = await look();
  expect(closed).toMatchObject({ open: false, lines: false, captions: 0 });
  expect(closed.count).toBe(closed.figures);
  await page.click(`${details} > summary`);
  await until(page, (details) => document.querySelector(`${details} .captions`) !== null, details);
  expect(await look()).toMatchObject({ open: true, lines: true, captions: 3 });
  expect(await copiedBy(page, `#${idOf(snippet)}-copy-link`)).toContain(`#${snippet}`);
  await until(page, (id) => document.querySelector(`#${id} .figure-said`)!.textContent === "Copied", snippet);
  await change(page, snippet, "seed", "9");
  expect((await look()).open).toBe(true);
  expect(await violations(page, `#${snippet} sqrtdk-figure`)).toEqual([]);
});

test("an address that changes while a figure comes alive counts", async () => {
  const variance = "score_variance"; // far enough below that it is not yet alive
  const page = await bench.blank({ width: 320, height: 300 });
  await page.goto(bench.site.url + lab(variance));
  await until(page, () => customElements.get("sqrtdk-figure") !== undefined);
  await page.evaluate((variance) => {
    const { setTimeout } = globalThis;
    let turns = 0; // of those that the figure takes before it draws, in the last one
    globalThis.setTimeout = ((run: TimerHandler, ms = 0, ...rest: unknown[]) => {
      if (ms === 0 && ++turns === 3) location.hash = `#${variance}&${variance}.seed=123`;
      return setTimeout(run, ms || 200, ...rest);
    }) as typeof setTimeout;
    document.querySelector("sqrtdk-figure")!.scrollIntoView({ block: "center" });
  }, variance);
  await until(
    page,
    (id) => {
      const field = document.querySelector<HTMLInputElement>(`#${id}-seed`)!;
      return field.value === "123" && field.closest(".figure-root") !== null;
    },
    idOf(variance),
  );
  await readyFigure(page, variance);
  expect(await valueOf(page, `#${idOf(variance)}-seed`)).toBe("123");
  expect(await page.problems()).toEqual([]);
});
