// A long run reports its progress in a worker, leaves the page free, and stops at once.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { change, hashOf, idOf, lab, readyFigure, setText } from "./figure.ts";

declare global {
  var clicked: number | undefined;
  var cancelled: number | undefined;
}

const bench = useBench();
const experiment = "score_variance";

test("a run of a million trials can be watched and cancelled", async () => {
  const page = await bench.open(lab(experiment));
  await readyFigure(page, experiment);
  const before = await hashOf(page, experiment);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await page.evaluate(() => {
    const probe = globalThis as unknown as { longest: number };
    probe.longest = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      probe.longest = Math.max(probe.longest, now - last);
      last = now;
    }, 5);
  });
  await setText(page, `#${idOf(experiment)}-d`, "2048,4096,8192,16384");
  await setText(page, `#${idOf(experiment)}-trials`, "1000000");
  const cancel = `#${idOf(experiment)}-cancel`;
  await until(page, (selector) => document.querySelector(selector) !== null, cancel);
  await until(
    page,
    (id) => document.querySelector<HTMLProgressElement>(`#${id} progress`)!.value > 0,
    experiment,
  );

  // Measured in the page: what it takes to drive a browser is not the page's.
  await page.evaluate((selector) => {
    const button = document.querySelector<HTMLElement>(selector)!;
    button.addEventListener("click", () => (globalThis.clicked = performance.now()));
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector)) return;
      globalThis.cancelled = performance.now();
      observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
  }, cancel);
  await page.click(cancel);
  await until(page, () => globalThis.cancelled !== undefined);
  const took = await page.evaluate(() => globalThis.cancelled! - globalThis.clicked!);
  const longest = await page.evaluate(() => (globalThis as unknown as { longest: number }).longest);
  console.log(
    `cancelled after ${took.toFixed(0)} ms; the longest pause of the page was ${longest.toFixed(0)} ms`,
  );
  expect(took).toBeLessThan(1000);
  delays.disable();
  expect(longest).toBeLessThan(250 + delays.max / 1e6); // a busy machine delays an idle process, too
  expect(await hashOf(page, experiment)).toBe(before); // the last good figure stays

  // And the next run works.
  await setText(page, `#${idOf(experiment)}-trials`, "200");
  await change(page, experiment, "d", "32");
  expect(await page.problems()).toEqual([]);
});
