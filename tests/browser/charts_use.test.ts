// Charts in use: what can be read, reached by keys, heard, dragged and printed.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { engineName, type Page } from "./drivers/index.ts";
import { change, idOf, lab, readyFigure } from "./figure.ts";

const bench = useBench();

async function openAt(experiment: string, options?: { width?: number; language?: string }): Promise<Page> {
  const page = await bench.open(lab(experiment, options?.language), { width: options?.width ?? 1280 });
  await readyFigure(page, experiment);
  return page;
}

test("charts that other settings draw have their sentences, too, and the first ones come back", async () => {
  const experiment = "attention_steps";
  const page = await openAt(experiment);
  const notes = () =>
    page.evaluate(
      (id) =>
        [...document.querySelectorAll<HTMLElement>(`#${id} .chart-note`)].map(
          (note) => `${note.dataset["chart"]}: ${note.textContent}`,
        ),
      experiment,
    );
  const sentence = await notes();
  expect(sentence).toContain("x: One row for each token: its vector.");
  await change(page, experiment, "mode", "search");
  const search = await notes();
  expect(search.filter((note) => note.startsWith("x_documents: One row for each document"))).toHaveLength(1);
  expect(search.filter((note) => note.startsWith("x:"))).toEqual([]);
  await change(page, experiment, "mode", "sentence");
  expect(await notes()).toEqual(sentence);
});

test.each(["attention_steps", "softmax_jacobian", "multi_head", "positional_encoding"])(
  "on a phone, the numbers of %s stand beside the colour bars",
  async (experiment) => {
    const page = await openAt(experiment, { width: 320 });
    const { maps, touching } = await page.evaluate((id) => {
      const drawings = [...document.querySelectorAll(`#${id} .heat svg`)];
      const touching = drawings.flatMap((drawing) => {
        const bar = drawing.querySelector(".heat-bar")!;
        const middle = (each: Element) =>
          (each.getBoundingClientRect().top + each.getBoundingClientRect().bottom) / 2;
        const line = [...drawing.querySelectorAll("text")].filter(
          (each) => Math.abs(middle(each) - middle(bar)) < 6,
        );
        const all = [bar, ...line].map((each) => {
          const { left, right } = each.getBoundingClientRect();
          return { text: each.textContent, left, right };
        });
        all.sort((a, b) => a.left - b.left);
        const title = drawing.querySelector(".chart-title")!.textContent;
        return all
          .filter(({ left }, i) => i > 0 && left < all[i - 1]!.right)
          .map(({ text }) => `${title}: ${text}`);
      });
      return { maps: drawings.length, touching };
    }, experiment);
    expect(maps).toBeGreaterThan(0);
    expect(touching).toEqual([]);
  },
);

test("numbers near zero have a logarithmic scale, which is said, and are printed", async () => {
  const page = await openAt("softmax_jacobian");
  const maps = await page.evaluate((id) => {
    return [...document.querySelectorAll(`#${id} .heat svg`)].map((map) => ({
      label: map.querySelector(".chart-label")!.textContent,
      numbers: [...map.querySelectorAll(".heat-values text")].map((each) => each.textContent),
      colours: new Set([...map.querySelectorAll("path[fill-opacity]")].map((each) => each.outerHTML)).size,
    }));
  }, "softmax_jacobian");
  expect(maps).toHaveLength(2);
  for (const { label, numbers, colours } of maps) {
    expect(label).toContain("(log)");
    expect(numbers).toHaveLength(16);
    for (const number of numbers) expect(number).toMatch(/^−?[1-9]e−\d+$/);
    expect(colours).toBeGreaterThan(1);
  }
});

/** One key after the other, each once the page has drawn what the one before did. */
async function press(page: Page, key: string, times = 1): Promise<void> {
  for (let i = 0; i < times; i++) {
    await page.press(key);
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true)))),
    );
  }
}

test("several maps are one stop of the Tab key, and arrow keys lead from one to the next", async () => {
  const experiment = "attention_steps";
  const page = await openAt(experiment);
  const look = () =>
    page.evaluate((id) => {
      const maps = [...document.querySelectorAll<HTMLElement>(`#${id} .heat`)];
      return {
        stops: maps.flatMap(({ tabIndex }, index) => (tabIndex === 0 ? [index] : [])),
        focused: maps.indexOf(document.activeElement as HTMLElement),
        pointed: maps.flatMap((map, index) => (map.querySelector(".heat-pointer") ? [index] : [])),
      };
    }, experiment);
  const waitFor = (index: number) =>
    until(
      page,
      (id, index) =>
        document.querySelectorAll(`#${id} .heat`)[index]?.querySelector(".heat-pointer") !== null &&
        document.querySelectorAll(`#${id} .heat-pointer`).length === 1,
      experiment,
      index,
    );
  expect((await look()).stops).toEqual([0]);
  await page.evaluate((id) => document.querySelector<HTMLElement>(`#${id} .heat`)!.focus(), experiment);
  await press(page, "ArrowRight"); // into the map
  await waitFor(0);
  await press(page, "End");
  await press(page, "ArrowRight");
  await waitFor(1);
  expect(await look()).toEqual({ stops: [1], focused: 1, pointed: [1] });
  await press(page, "ArrowLeft");
  await waitFor(0);
  expect(await look()).toEqual({ stops: [0], focused: 0, pointed: [0] });
  await press(page, "ArrowDown", 20);
  await until(
    page,
    (id) => document.querySelectorAll(`#${id} .heat`)[0] !== document.activeElement,
    experiment,
  );
  const { focused, stops } = await look();
  expect(stops).toEqual([focused]);
  await press(page, "Escape");
  expect((await look()).stops).toEqual([focused]);
  const label = await page.evaluate(() => document.activeElement!.getAttribute("aria-label"));
  expect(label).toMatch(/Arrow keys .*next map.*Home and End/);
  expect(await page.problems()).toEqual([]);
});

test.each(["multi_head", "role_emergence"])("no group of maps of %s has more than one stop", async (id) => {
  const page = await openAt(id);
  const groups = await page.evaluate(() =>
    [...document.querySelectorAll(".charts")]
      .map((group) => [...group.querySelectorAll<HTMLElement>(".heat")].map(({ tabIndex }) => tabIndex))
      .filter((maps) => maps.length > 0)
      .map((maps) => maps.filter((tabIndex) => tabIndex === 0).length),
  );
  expect(new Set(groups)).toEqual(new Set([1]));
});

test("a dragged control of positional_encoding is followed without long tasks", async () => {
  const experiment = "positional_encoding";
  const page = await openAt(experiment);
  const times = await page.evaluate(
    async (selector) => {
      const slider = document.querySelector<HTMLInputElement>(selector)!;
      slider.scrollIntoView({ block: "center" });
      const times: number[] = [];
      for (let i = 0; i < 40; i++) {
        times.push(
          await new Promise<number>((done) => {
            let frame = 0;
            requestAnimationFrame(() => (frame = performance.now()));
            const input = performance.now();
            slider.value = String(i % 4); // few tokens: the run is short, its 51200 numbers are many
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            const heard = performance.now();
            requestAnimationFrame(() => {
              document.body.getBoundingClientRect();
              done(heard - input + performance.now() - frame);
            });
          }),
        );
        await new Promise((next) => setTimeout(next));
      }
      return times.slice(5).sort((a, b) => a - b);
    },
    `#${idOf(experiment)}-n-slider`,
  );
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]!;
  console.log(
    `${engineName}: input to redraw: median ${at(0.5).toFixed(1)} ms, 95th percentile ${at(0.95).toFixed(1)} ms`,
  );
  expect(at(0.5)).toBeLessThanOrEqual(25); // a run on this thread takes more
});

test.each(["attention_steps", "softmax_jacobian", "positional_encoding"])(
  "every chart of %s has its sentence and its table",
  async (experiment) => {
    const page = await openAt(experiment);
    await page.evaluate((id) => {
      document.querySelector<HTMLDetailsElement>(`#${id} .figure-data`)!.open = true;
    }, experiment);
    await until(
      page,
      (id) => {
        const charts = document.querySelectorAll(`#${id} figure.chart`).length;
        return document.querySelectorAll(`#${id} .tables table`).length > charts; // and that of the measured values
      },
      experiment,
    );
    const { charts, named } = await page.evaluate((id) => {
      const charts = [...document.querySelectorAll(`#${id} figure.chart`)];
      const nameOf = (drawing: Element | null): string =>
        drawing?.getAttribute("aria-label") ??
        document.getElementById(drawing?.getAttribute("aria-labelledby") ?? "")?.textContent ??
        "";
      return {
        charts: charts.length,
        named: charts.filter(
          (chart) =>
            chart.querySelector("figcaption")!.textContent.trim() &&
            nameOf(chart.querySelector('[role="img"]')).trim(),
        ).length,
      };
    }, experiment);
    expect(charts).toBeGreaterThan(1);
    expect(named).toBe(charts);
  },
);
