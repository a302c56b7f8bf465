// The training race, live: workers that learn, pause and go on, and end where the native command ended.
import { expect, test } from "vitest";
import { violations } from "./axe.ts";
import { until, useBench, whenever } from "./bench.ts";
import { takeDownloads } from "./downloads.ts";
import { idOf, lab, openApparatus, setText } from "./figure.ts";
import type { Page, PageOptions } from "./drivers/index.ts";

const bench = useBench();
const experiment = "training_race";
const id = idOf(experiment);
const run = `#${id}-run`;

async function open(path = lab(experiment), options: PageOptions = {}): Promise<Page> {
  const page = await bench.open(path, options);
  await page.evaluate((run) => document.querySelector(run)!.scrollIntoView({ block: "center" }), run);
  await until(page, () => "_$litPart$" in document.querySelector("sqrtdk-race")!);
  return page;
}

function hash(page: Page): Promise<string> {
  return page.evaluate(() => document.querySelector("sqrtdk-race .figure-hash code")?.textContent ?? "");
}

function steps(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLProgressElement>(".race-lane progress")].map(({ value }) => value),
  );
}

/** Waits until the button that starts and pauses says `name`. */
async function named(page: Page, name: string): Promise<void> {
  await until(page, (run, name) => document.querySelector(run)!.textContent.trim() === name, run, name);
}

/** Presses the button that starts and pauses as soon as every racer has made more than 30 steps. */
function pauseUnderWay(page: Page): Promise<() => Promise<void>> {
  return whenever(
    page,
    () =>
      [...document.querySelectorAll<HTMLProgressElement>(".race-lane progress")].every(
        ({ value }) => value > 30,
      ),
    () => document.querySelector<HTMLElement>("#training_race-figure-run")!.click(),
  );
}

test("a race with the default settings ends with the printed result, to the last bit", async () => {
  const page = await open();
  const printed = await hash(page);
  expect(printed).toMatch(/^[0-9a-f]{16}$/);
  await page.evaluate(() => {
    const probe = globalThis as unknown as { frames: number[] };
    probe.frames = [];
    let last = performance.now();
    const frame = (now: number): void => {
      probe.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const start = Date.now();
  const called = await whenever(
    page,
    () => document.querySelector("#training_race-figure-run")!.textContent.trim() === "Pause",
  );
  const asked = await pauseUnderWay(page);
  await page.click(run);
  await called();
  await asked();
  const pause = Date.now();
  await named(page, "Continue");
  const paused = Date.now() - pause;
  expect(await hash(page)).not.toBe(printed);
  const before = await steps(page);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await steps(page)).toEqual(before);
  await page.click(run);

  await named(page, "Start");
  const took = Date.now() - start;
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames);
  frames.sort((a, b) => a - b);
  const [p50, p95, longest] = [0.5, 0.95, 1].map((share) => frames[Math.ceil(share * frames.length) - 1]!);
  console.log(
    `${took} ms; paused after ${paused} ms; frames ${[p50, p95, longest].map((ms) => ms!.toFixed(0)).join(", ")} ms (p50, p95, longest)`,
  );
  expect(await hash(page)).toBe(printed);
  expect(p50).toBeLessThan(100);
  expect(await page.problems()).toEqual([]);
});

test("a worker that dies is replaced, and the race ends as if it had not", async () => {
  const page = await open();
  const printed = await hash(page);
  await page.evaluate(() => {
    const probe = globalThis as unknown as { workers: Worker[] };
    probe.workers = [];
    globalThis.Worker = class extends Worker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given);
        probe.workers.push(this);
      }
    };
  });
  const died = await whenever(
    page,
    () =>
      [...document.querySelectorAll<HTMLProgressElement>(".race-lane progress")].every(
        ({ value }) => value > 60,
      ),
    () => (globalThis as unknown as { workers: Worker[] }).workers[0]!.terminate(),
  );
  const said = await whenever(page, () =>
    document.querySelector(".race-lane")!.textContent.includes("replaced"),
  );
  await page.click(run);
  await died();
  await said();
  await named(page, "Start");
  expect(await hash(page)).toBe(printed);
  expect(await page.problems()).toEqual([]);
});

test("what the models attend to and answer can be seen at every record", async () => {
  const page = await open(lab(experiment, "zh"), { dark: true, width: 360 });
  await setText(page, `#${id}-steps`, "40");
  await setText(page, `#${id}-seeds`, "0");
  await page.click(`#${id}-step`);
  await named(page, "继续");
  expect(new Set(await steps(page))).toEqual(new Set([20]));
  await page.click(run);
  await named(page, "开始");
  const scrub = `#${id}-scrub`;
  await page.evaluate((scrub) => document.querySelector<HTMLInputElement>(scrub)!.focus(), scrub);
  await page.press("Home");
  await until(page, (scrub) => document.querySelector(scrub)!.getAttribute("aria-valuetext") === "0", scrub);
  const inside = await page.evaluate(() => ({
    maps: document.querySelectorAll(".race-inside .heat").length,
    answers: document.querySelectorAll(".race-answers li").length,
    wrong: document.querySelectorAll(".race-answers .race-wrong").length,
    cursors: document.querySelectorAll("sqrtdk-race .chart-cursor").length,
  }));
  expect(inside.maps).toBe(3);
  expect(inside.answers).toBe(4);
  expect(inside.wrong).toBeGreaterThan(0); // before the first step
  expect(inside.cursors).toBeGreaterThan(0);

  // It stays within a phone, and axe-core finds nothing.
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(sideways).toBeLessThanOrEqual(0);
  expect(await violations(page, "sqrtdk-race")).toEqual([]);

  // A racer's checkpoint is a safetensors file: the length of a JSON header, and that.
  await openApparatus(page, experiment);
  const download = await takeDownloads(page);
  const { name, text } = await download(`#${id}-checkpoint-1`);
  expect(name).toBe("training_race-1_sqrt_d_-h1-step40.safetensors");
  expect(text).toContain('"__metadata__":{');

  // The runs are compared, and one brings its settings back.
  await until(page, () => document.querySelectorAll(".race-runs tbody tr").length === 3);
  await page.click(`#${id}-reset`);
  await page.click(".race-runs tbody tr .button");
  await until(page, (id) => document.querySelector<HTMLInputElement>(`#${id}-steps`)!.value === "40", id);
  await until(page, () => location.hash.includes("training_race.steps=40"));
  expect(await page.problems()).toEqual([]);
});

test("a wrong setting is said beside its control, and nothing starts", async () => {
  const page = await open(lab(experiment) + "#training_race&training_race.steps=many");
  await page.click(run);
  await until(page, (id) => document.querySelector(`#${id}-steps-error`) !== null, id);
  expect(await steps(page)).toEqual([0, 0, 0]);
  await setText(page, `#${id}-steps`, "300"); // short
  const started = await whenever(
    page,
    () => document.querySelector("#training_race-figure-run")!.textContent.trim() === "Pause",
  );
  await page.click(run);
  await started();
  expect(await page.problems()).toEqual([]);
});
