// Elements keep their room while they load, and a hundred of them leave the page free.
import { expect, test } from "vitest";
import { until, useBench } from "../bench.ts";
import { drawn, useHost } from "../embed_host.ts";
import type { Page } from "../drivers/index.ts";

const bench = useBench();
const host = useHost(bench);

/** Notes how far what is in sight moves, and which tasks are long, once the elements' classes are known. */
const watching = `
  globalThis.begun = 0;
  globalThis.moved = [];
  globalThis.long = [];
  const shiftsOf = (list) => list.getEntries().forEach(({ value, sources, startTime }) => startTime >= begun &&
    moved.push([value, sources.map(({ node }) => node?.nodeName + " " + (node?.id ?? "")).join()]));
  new PerformanceObserver(shiftsOf).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => long.push(...list.getEntries().map(({ startTime, duration }) => [startTime, duration])))
    .observe({ type: "longtask", buffered: true });
`;

async function shiftOf(page: Page): Promise<number> {
  const moved = await page.evaluate(async () => {
    for (let i = 0; i < 3; ++i) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    return (globalThis as unknown as { moved: [number, string][] }).moved;
  });
  const sum = moved.reduce((sum, [value]) => sum + value, 0);
  if (sum > 0.01) console.log(moved);
  return sum;
}

const after = '<p id="after">What follows the figure in the page.</p>'.repeat(6);
const figures = [
  '<sqrtdk-figure experiment="article_snippet"></sqrtdk-figure>',
  '<sqrtdk-figure experiment="article_snippet" d="8,32" heading="none"></sqrtdk-figure>',
  '<sqrtdk-figure experiment="score_variance" controls="few"></sqrtdk-figure>',
  '<sqrtdk-figure experiment="softmax_saturation" controls="none" charts="max_over_d"></sqrtdk-figure>',
  '<sqrtdk-figure experiment="attention_steps" controls="none" charts="weights" heading="none"></sqrtdk-figure>',
  '<sqrtdk-figure experiment="scale_factors"></sqrtdk-figure>',
  '<sqrtdk-figure experiment="multi_head"><p>A picture of several heads</p></sqrtdk-figure>',
  "<sqrtdk-hero></sqrtdk-hero>",
  "<sqrtdk-race></sqrtdk-race>",
  "<sqrtdk-race stage></sqrtdk-race>",
];

// A module comes after the first picture of a page: what an element moves when it becomes one is the page's to prevent.
test.each(figures.flatMap((tag) => [360, 700, 1100].map((width) => [tag, width] as const)))(
  "%s moves nothing in a page of %i pixels",
  async (tag, width) => {
    const [, name] = /<([\w-]+)/.exec(tag)!;
    const script = `${watching} addEventListener("DOMContentLoaded", async () => {
      const main = document.querySelector("main");
      main.innerHTML = "<${name}></${name}>"; // for which its class is loaded
      await customElements.whenDefined("${name}");
      begun = performance.now();
      main.innerHTML = ${JSON.stringify(tag + after)};
    });`;
    const page = await host.show(
      { body: "<main></main>", style: "body { margin: 16px } main { max-width: 960px }", script },
      { width, height: 2400, loaded: false },
    );
    await until(page, () => document.querySelector("#after") !== null);
    await drawn(page);
    expect(await shiftOf(page)).toBeLessThanOrEqual(0.01);
  },
);

// A race's class comes in a second script, after it.
test.each(figures.filter((tag) => !tag.includes("race")))(
  "a script in the page's head lets %s move nothing at all",
  async (tag) => {
    const style = "body { margin: 16px } main { max-width: 960px }";
    const page = await host.show(
      { body: `<main>${tag}${after}</main>`, style, script: watching, kind: "classic" },
      { width: 800, height: 2400 },
    );
    expect(await shiftOf(page)).toBeLessThanOrEqual(0.01);
  },
);

test("a hundred figures start as they are seen, share one worker at a time, and leave the page free", async () => {
  const experiments = ["article_snippet", "score_variance", "softmax_saturation"];
  const one = (i: number): string =>
    `<sqrtdk-figure experiment="${experiments[i % 3]}" seed="${i}" controls="${["all", "few", "none"][i % 3]}"></sqrtdk-figure>`;
  const body = Array.from({ length: 100 }, (_, i) => one(i)).join("");
  const script = `${watching} globalThis.workers = globalThis.started = 0;
    globalThis.Worker = class extends Worker { constructor(...given) { super(...given); ++workers; ++started; }
      terminate() { --workers; super.terminate(); } };`;
  const scrolledPast = async (): Promise<{ tooLong: [number, number][]; started: number }> => {
    const page = await host.show({ body, script }, { width: 800, height: 900, loaded: false });
    const alive = (): Promise<number> =>
      page.evaluate(
        () =>
          [...document.querySelectorAll("sqrtdk-figure")].filter(({ shadowRoot }) =>
            shadowRoot?.querySelector(".alive"),
          ).length,
      );
    await until(
      page,
      () => !!document.querySelector("sqrtdk-figure")?.shadowRoot?.querySelector(".alive .verdict"),
    );
    expect(await alive()).toBeLessThan(20);
    const start = await page.evaluate(() => performance.now());
    await page.evaluate(async () => {
      for (let y = 0; y < document.documentElement.scrollHeight; y += 400) {
        scrollTo(0, y);
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    });
    await drawn(page);
    expect(await alive()).toBe(100);
    const { long, workers, started, memory } = await page.evaluate(() => {
      const found = globalThis as unknown as {
        long: [number, number][];
        workers: number;
        started: number;
      };
      const { usedJSHeapSize } = (performance as unknown as { memory: { usedJSHeapSize: number } }).memory;
      const { long, workers, started } = found;
      return { long, workers, started, memory: usedJSHeapSize };
    });
    expect(workers).toBe(1);
    expect(memory).toBeLessThan(150e6);
    expect(await page.problems()).toEqual([]);
    return { tooLong: long.filter(([at, duration]) => at > start && duration > 200), started };
  };
  // The calmest of some: what else a machine does can only lengthen tasks and runs.
  let seen = await scrolledPast();
  for (let more = 2; more > 0 && (seen.tooLong.length > 0 || seen.started >= 6); --more)
    seen = await scrolledPast();
  expect(seen.tooLong).toEqual([]);
  expect(seen.started).toBeLessThan(6); // a run that is scrolled past is mostly done before it is ended
});
