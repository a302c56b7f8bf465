// A heat map under pointer and keyboard: the cell's names and its exact number, shown and said.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { lowContrasts } from "./contrast.ts";
import { takeDownloads } from "./downloads.ts";
import { change, idOf, lab, openApparatus, readyFigure } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const experiment = "attention_steps";

interface Shown {
  tip: string[];
  said: string;
}

function shown(page: Page): Promise<Shown> {
  return page.evaluate((id) => {
    const figure = document.querySelector(`#${id}`)!;
    const tip = [...figure.querySelectorAll(".heat-pointer text")].map((line) => line.textContent);
    return { tip, said: figure.querySelector('[role="status"]')!.textContent.trim() };
  }, experiment);
}

async function waitForTip(page: Page, there: boolean): Promise<Shown> {
  await until(
    page,
    (id, there) => (document.querySelector(`#${id} .heat-pointer`) !== null) === there,
    experiment,
    there,
  );
  return shown(page);
}

test("the keyboard goes from cell to cell", async () => {
  const page = await bench.open(lab(experiment));
  await readyFigure(page, experiment);
  await page.evaluate((id) => document.querySelector<HTMLElement>(`#${id} .heat`)!.focus(), experiment);
  await page.press("ArrowRight");
  const first = await waitForTip(page, true);
  expect(first.tip).toHaveLength(3);
  expect(await lowContrasts(page)).toEqual([]);
  await page.press("ArrowDown");
  await until(
    page,
    (id, before) => document.querySelector(`#${id} .heat-pointer`)?.textContent?.includes(before) === false,
    experiment,
    first.tip[0]!,
  );
  const second = await shown(page);
  expect(second.tip[0]).not.toBe(first.tip[0]); // another row
  expect(second.tip[1]).toBe(first.tip[1]); // the same column
  for (const words of second.tip) expect(second.said.replace(/\s+/g, " ")).toContain(words.trim());
  await page.press("Escape");
  await waitForTip(page, false);
  expect(await page.problems()).toEqual([]);
});

test("each of several keys counts, also where they come faster than frames", async () => {
  const page = await bench.open(lab(experiment));
  await readyFigure(page, experiment);
  const keys = [
    "ArrowRight",
    "ArrowDown",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "End",
    "ArrowRight",
    "ArrowUp",
  ];
  const led = await page.evaluate(
    (id, keys) => {
      const maps = [...document.querySelectorAll<HTMLElement>(`#${id} .heat`)];
      maps[0]!.focus();
      for (const key of keys)
        document.activeElement!.dispatchEvent(
          new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
        );
      return document.activeElement === maps[1];
    },
    experiment,
    keys,
  );
  expect(led).toBe(true); // from the last column into the next map
  const { tip } = await waitForTip(page, true);
  expect(tip.slice(0, 2)).toEqual(["component of the input 1", "component 0"]);
});

test("a weight is traced to the rows that it comes from, in every map and in words", async () => {
  const page = await bench.open(lab(experiment));
  await readyFigure(page, experiment);
  const frames = () =>
    page.evaluate(
      (id) =>
        [...document.querySelectorAll(`#${id} .heat svg`)].flatMap((map) => {
          const name = map.querySelector(".chart-title")!.textContent.split(" · ")[0]!;
          const box = map.querySelector(".heat-frame")!.getBoundingClientRect();
          return [...map.querySelectorAll(".heat-trace")].map((frame) => {
            const { top, height, width } = frame.getBoundingClientRect();
            const row = Math.round((top - box.top) / height);
            return `${name} ${row}${width > 0.9 * box.width ? "" : " cell"}`;
          });
        }),
      experiment,
    );
  expect(await frames()).toEqual([]);
  await page.evaluate((id) => {
    const maps = [...document.querySelectorAll<HTMLElement>(`#${id} .heat`)];
    maps.find((map) => map.getAttribute("aria-label")!.startsWith("Weights"))!.focus();
  }, experiment);
  for (const [key, place] of [
    ["ArrowRight", "query The, key The"],
    ["ArrowDown", "query cat, key The"],
    ["ArrowRight", "query cat, key cat"],
    ["ArrowRight", "query cat, key sat"],
  ] as const) {
    await page.press(key);
    await until(
      page,
      (id, place) => document.querySelector(`#${id} [role="status"]`)!.textContent.includes(place),
      experiment,
      place,
    );
  }
  expect(await frames()).toEqual([
    ...["Input X 1", "Input X 2", "Queries Q 1", "Keys K 2", "Values V 2"],
    ...["Scores QKᵀ 1 cell", "Scaled scores 1 cell", "Output 1"],
  ]);
  const { said } = await shown(page);
  for (const words of ["Queries Q, token cat", "Keys K, token sat", "Values V, token sat", "Scores QKᵀ −1.7"])
    expect(said).toContain(words);
  await page.press("Escape");
  await waitForTip(page, false);
  expect(await frames()).toEqual([]);
  expect(await page.problems()).toEqual([]);
});

test("the pointer shows a cell, and leaves none behind", async () => {
  const page = await bench.open(lab(experiment, "zh"));
  await readyFigure(page, experiment);
  const point = (type: string, share: number) =>
    page.evaluate(
      (id, type, share) => {
        const heat = document.querySelector(`#${id} .heat`)!;
        heat.scrollIntoView({ block: "center" });
        const { left, top, width, height } = heat.querySelector(".heat-frame")!.getBoundingClientRect();
        const at = { clientX: left + width * share, clientY: top + height * share };
        heat.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true }));
      },
      experiment,
      type,
      share,
    );
  await point("pointermove", 0.01);
  const first = await waitForTip(page, true);
  await point("pointermove", 0.99);
  await until(
    page,
    (id, before) => document.querySelector(`#${id} .heat-pointer`)?.textContent !== before,
    experiment,
    first.tip.join(""),
  );
  await point("pointerleave", 0);
  await waitForTip(page, false);
  expect(await page.problems()).toEqual([]);
});

test("words in another language become rows and columns, and are in the address", async () => {
  const page = await bench.open(lab(experiment));
  await change(page, experiment, "text", "猫坐在垫子上");
  const names = await page.evaluate(
    (id) => [...document.querySelectorAll(`#${id} .heat .chart-axis text`)].map((each) => each.textContent),
    experiment,
  );
  for (const name of "猫坐在垫子上") expect(names).toContain(name);
  await until(page, () => decodeURIComponent(location.hash).includes("attention_steps.text=猫坐在垫子上"));
  expect(await page.problems()).toEqual([]);
});

test("many cells are a picture, whose export stands alone", async () => {
  const page = await bench.open(lab("positional_encoding"));
  const images = await page.evaluate(() =>
    [...document.querySelectorAll("#positional_encoding .heat image")].map(
      (image) => image.getAttribute("href")?.slice(0, 22) ?? "",
    ),
  );
  expect(images.length).toBeGreaterThan(0);
  expect(new Set(images)).toEqual(new Set(["data:image/png;base64,"]));
  await openApparatus(page, "positional_encoding");
  const download = await takeDownloads(page);
  const { text } = await download(`#${idOf("positional_encoding")}-export-svg`);
  expect(text).toMatch(/^(<\?xml[^>]*>\s*)?<svg /);
  expect(text).toContain("data:image/png;base64,");
  expect(text).toMatch(/stop-color="rgb/);
  expect(text).not.toMatch(/var\(--|class=/);
  expect(await page.problems()).toEqual([]);
});
