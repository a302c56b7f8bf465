// The training race, live: workers that learn, pause and go on, and end where the native command ended.
import { expect, test } from "vitest";
import { violations } from "./axe.ts";
import { until, useBench, whenever } from "./bench.ts";
import { takeDownloads } from "./downloads.ts";
import { lab, openApparatus, setText } from "./figure.ts";
import {
  isUnderWay,
  named,
  openSettings,
  pauseUnderWay,
  percents,
  race as experiment,
  raceId as id,
  run,
  stepShown,
} from "./race_page.ts";
import type { Page, PageOptions } from "./drivers/index.ts";

const bench = useBench();

async function open(path = lab(experiment), options: PageOptions = {}): Promise<Page> {
  const page = await bench.open(path, options);
  await page.evaluate((run) => document.querySelector(run)!.scrollIntoView({ block: "center" }), run);
  await until(page, () => "_$litPart$" in document.querySelector("sqrtdk-race")!);
  return page;
}

function hash(page: Page): Promise<string> {
  return page.evaluate(() => document.querySelector("sqrtdk-race .figure-hash code")?.textContent ?? "");
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
  const before = [await stepShown(page), ...(await percents(page))];
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([await stepShown(page), ...(await percents(page))]).toEqual(before);
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
  const died = await whenever(page, isUnderWay, () =>
    (globalThis as unknown as { workers: Worker[] }).workers[0]!.terminate(),
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
  await openSettings(page);
  await setText(page, `#${id}-steps`, "40");
  await setText(page, `#${id}-seeds`, "0");
  await page.click(`#${id}-step`);
  await named(page, "继续");
  expect(await stepShown(page)).toBe(20);
  await page.click(run);
  await named(page, "开始");
  const scrub = `#${id}-scrub`;
  await page.evaluate((scrub) => document.querySelector<HTMLInputElement>(scrub)!.focus(), scrub);
  await page.press("Home");
  await until(
    page,
    (scrub) => document.querySelector(scrub)!.getAttribute("aria-valuetext") === "第 0 步，共 40 步",
    scrub,
  );
  const inside = await page.evaluate(() => ({
    maps: document.querySelectorAll(".race-inside .heat").length,
    answers: document.querySelectorAll(".race-answers li").length,
    wrong: document.querySelectorAll(".race-answers .race-wrong").length,
    cursors: document.querySelectorAll("sqrtdk-race .chart-cursor").length,
    stops: document.querySelectorAll('.race-inside .heat[tabindex="0"]').length,
  }));
  expect(inside.maps).toBe(3);
  expect(inside.stops).toBe(1);
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
  await named(page, "Start");
  expect(await page.evaluate(() => document.querySelector(".race-begun"))).toBe(null);
  await setText(page, `#${id}-steps`, "300"); // short
  const started = await whenever(
    page,
    () => document.querySelector("#training_race-figure-run")!.textContent.trim() === "Pause",
  );
  await page.click(run);
  await started();
  expect(await page.problems()).toEqual([]);
});
