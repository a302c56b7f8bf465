// The page for authors: a figure is chosen, set and copied; the address holds all of it.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { setText } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();

const recipeText = (page: Page, kind: string): Promise<string> =>
  page.evaluate((kind) => document.querySelector(`[data-recipe="${kind}"] code`)!.textContent, kind);

/** Waits until the recipe has this text in it. */
async function shows(page: Page, kind: string, text: string): Promise<void> {
  await until(
    page,
    (kind, text) => document.querySelector(`[data-recipe="${kind}"] code`)!.textContent.includes(text),
    kind,
    text,
  );
}

async function choose(page: Page, name: string, value: string): Promise<void> {
  await page.evaluate(
    (name, value) => {
      const select = document.querySelector<HTMLSelectElement>(`.builder [name="${name}"]`)!;
      select.value = value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    },
    name,
    value,
  );
}

const isReady = (page: Page): Promise<void> =>
  until(page, () => document.querySelector<HTMLElement>(".builder")?.hidden === false);

test("what the figure's own controls set is in every recipe, with full addresses and the hash", async () => {
  const page = await bench.open("en/embed/");
  await isReady(page);
  await setText(page, "#score_variance-figure-d", "16,64");
  await shows(page, "tag", '<sqrtdk-figure experiment="score_variance" d="16,64" lang="en">');
  const { url } = bench.site;
  expect(await recipeText(page, "tag")).toContain(`src="${url}embed/sqrtdk.auto.js"`);
  expect(await recipeText(page, "frame")).toContain(
    `src="${url}embed/score_variance.html?d=16,64&amp;lang=en"`,
  );
  expect(await recipeText(page, "react")).toContain(' d="16,64"');
  expect(await recipeText(page, "notebook")).toContain('Figure("score_variance", d="16,64", lang="en")');
  const hash = (): string =>
    document
      .querySelector("#score_variance-figure-d")
      ?.closest("sqrtdk-figure")
      ?.querySelector(".figure-hash code")?.textContent ?? "none";
  await until(page, () => {
    const shown = document.querySelector(".builder-preview .figure-hash code")!.textContent;
    return document.querySelector('[data-recipe="markdown"] code')!.textContent.includes(`· ${shown}`);
  });
  expect(await recipeText(page, "markdown")).toContain(`(score_variance-${await page.evaluate(hash)}.png)`);
  expect(await page.problems()).toEqual([]);
});

test("another figure comes into the preview, and the address brings all of it back", async () => {
  const page = await bench.open("zh/embed/");
  await isReady(page);
  await choose(page, "figure", "softmax_saturation");
  await shows(page, "tag", 'experiment="softmax_saturation"');
  await choose(page, "controls", "few");
  await choose(page, "theme", "dark");
  await shows(page, "tag", 'controls="few" lang="zh" style="background: #161614"');
  await shows(page, "frame", "theme=dark");
  await until(page, () =>
    /[0-9a-f]{16}/.test(
      document.querySelector('.builder-preview [experiment="softmax_saturation"] .figure-hash')
        ?.textContent ?? "",
    ),
  );
  await until(page, () => location.hash.includes("embed.theme=dark"));
  const before = await recipeText(page, "html");
  const address = await page.evaluate(() => location.href);
  expect(await page.problems()).toEqual([]);

  const again = await bench.blank();
  await again.goto(address);
  await isReady(again);
  await shows(again, "tag", 'experiment="softmax_saturation" controls="few"');
  await until(
    again,
    (before) => document.querySelector('[data-recipe="html"] code')!.textContent === before,
    before,
  );
  const form = (): string[] =>
    [...document.querySelectorAll<HTMLSelectElement>(".builder select")].map(({ value }) => value);
  expect(await again.evaluate(form)).toEqual(["softmax_saturation", "few", "dark", "zh"]);
  expect(await again.problems()).toEqual([]);
});

test("one of the charts can be chosen", async () => {
  const page = await bench.open("en/embed/#embed&embed.figure=softmax_saturation");
  await isReady(page);
  await until(page, () => document.querySelectorAll(".builder-charts input").length > 1);
  const first = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll<HTMLInputElement>(".builder-charts input")];
    for (const box of boxes.slice(1)) box.click();
    return boxes[0]!.value;
  });
  await shows(page, "tag", `charts="${first}"`);
  await until(page, () => document.querySelectorAll(".builder-preview figure.chart").length > 0);
});

test.each(["training_race", "hero", "multi_head"])("%s stands in the preview", async (figure) => {
  const page = await bench.open("en/embed/");
  await isReady(page);
  await choose(page, "figure", figure);
  const tag =
    figure === "hero" ? "sqrtdk-hero" : figure === "training_race" ? "sqrtdk-race" : "sqrtdk-figure";
  await until(page, (tag) => "_$litPart$" in (document.querySelector(`.builder-preview ${tag}`) ?? {}), tag);
  await shows(page, "tag", `<${tag}`);
  await shows(page, "frame", `embed/${figure}.html`);
  expect(await page.problems()).toEqual([]);
});

test("an address that means nothing shows what the page begins with", async () => {
  const page = await bench.open(
    "en/embed/#embed&embed.figure=%3Cscript%3E&embed.controls=most&embed.nonsense=1",
  );
  await isReady(page);
  await shows(page, "tag", '<sqrtdk-figure experiment="score_variance" lang="en">');
  expect(await page.problems()).toEqual([]);
});

test("it works with keys alone", async () => {
  const page = await bench.open("en/embed/");
  await isReady(page);
  await page.evaluate(() => document.querySelector<HTMLElement>('.builder [name="controls"]')!.focus());
  await page.press("ArrowDown");
  await shows(page, "tag", 'controls="few"');
});

test("a phone does not scroll sideways", async () => {
  for (const language of ["en", "zh"]) {
    const page = await bench.open(`${language}/embed/`, { width: 360 });
    await isReady(page);
    const widths = (): number[] => [document.documentElement.scrollWidth, innerWidth];
    const [wide, window] = await page.evaluate(widths);
    expect(wide).toBeLessThanOrEqual(window!);
  }
});
