// Elements on other people's pages: their attributes, properties and events, and what they keep of the page's content.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { drawn, useHost } from "./embed_host.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const host = useHost(bench);

interface Figure extends HTMLElement {
  params: Record<string, unknown>;
  result?: { hash: string; params: Record<string, string>; figures: unknown[] };
  controls: string;
  charts: string;
  experiment: string;
}

/** What the page has heard of changes; `listen` is a script of the page. */
const listen = `
  globalThis.told = [];
  addEventListener("change", ({ target, detail, bubbles, composed }) =>
    told.push({ name: target.localName, params: detail.params, hash: detail.result?.hash, bubbles, composed }));
`;
interface Told {
  name: string;
  params: Record<string, string>;
  hash?: string;
  bubbles: boolean;
  composed: boolean;
}
const toldBy = (page: Page): Promise<Told[]> =>
  page.evaluate(() => (globalThis as unknown as { told: Told[] }).told);

function type(page: Page, name: string, text: string): Promise<void> {
  return page.evaluate(
    (name, text) => {
      const root = document.querySelector("sqrtdk-figure")!.shadowRoot!;
      const input = root.querySelector<HTMLInputElement>(`[name="${name}"]`)!;
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    },
    name,
    text,
  );
}

const frames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let i = 0; i < 4; ++i) await new Promise((resolve) => requestAnimationFrame(resolve));
  });

test("a reader's change is one event with the settings and their result", async () => {
  const page = await host.show({
    body: '<sqrtdk-figure experiment="article_snippet" d="16,64"></sqrtdk-figure>',
    script: listen,
  });
  expect(await toldBy(page)).toEqual([]);
  await type(page, "seed", "7");
  await until(page, () => (globalThis as unknown as { told: Told[] }).told.length > 0);
  await frames(page);
  const told = await toldBy(page);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ name: "sqrtdk-figure", bubbles: true, composed: true });
  expect(told[0]!.params).toMatchObject({ d: "16,64", seed: "7", n_keys: "8" });
  const shown = await page.evaluate(() => {
    const figure = document.querySelector<Figure>("sqrtdk-figure")!;
    return { hash: figure.result?.hash, params: figure.params };
  });
  expect(shown.hash).toBe(told[0]!.hash);
  expect(shown.params).toEqual(told[0]!.params);
  // What is refused has no result.
  await type(page, "d", "0");
  await until(page, () => (globalThis as unknown as { told: Told[] }).told.length > 1);
  const refused = (await toldBy(page))[1]!;
  expect(refused.params["d"]).toBe("0");
  expect(refused.hash ?? "none").toBe("none"); // drivers give null or undefined
  expect(await page.problems()).toEqual([]);
});

test("settings are properties and attributes; a reader's stay where the page changes others", async () => {
  const page = await host.show({
    body: '<sqrtdk-figure experiment="article_snippet"></sqrtdk-figure>',
    script: `${listen} addEventListener("DOMContentLoaded", () => {
      document.querySelector("sqrtdk-figure").params = { d: [8, 32], seed: 5 }; // before its class is known
    });`,
  });
  const params = (): Promise<Record<string, string>> =>
    page.evaluate(() => document.querySelector<Figure>("sqrtdk-figure")!.result!.params);
  expect(await params()).toMatchObject({ d: "8,32", seed: "5" });
  await type(page, "n_keys", "6");
  await frames(page);
  await page.evaluate(() => {
    const figure = document.querySelector("sqrtdk-figure")!;
    figure.className = "wide";
    figure.setAttribute("seed", "9");
  });
  await frames(page);
  expect(await params()).toMatchObject({ d: "8,32", n_keys: "6", seed: "9" });
  await page.evaluate(() => {
    document.querySelector<Figure>("sqrtdk-figure")!.params = { d: 64 };
  });
  await frames(page);
  expect(await params()).toMatchObject({ d: "64", n_keys: "8", seed: "9" });
  expect(await toldBy(page)).toHaveLength(1); // the reader's
  await page.evaluate(() => {
    document.querySelector<Figure>("sqrtdk-figure")!.params = { dims: 64 };
  });
  await until(page, () => /dims/.test(document.querySelector("sqrtdk-figure")!.shadowRoot!.textContent));
});

test("it shows as much as its attributes say, and another experiment", async () => {
  const page = await host.show({
    body: `<sqrtdk-figure experiment="softmax_saturation" controls="none" charts="max_over_d" heading="none" caption></sqrtdk-figure>`,
  });
  const shown = (): Promise<Record<string, unknown>> =>
    page.evaluate(() => {
      const figure = document.querySelector<Figure>("sqrtdk-figure")!;
      const count = (selector: string): number => figure.shadowRoot!.querySelectorAll(selector).length;
      const { controls, charts } = figure;
      return {
        ...{ controls, charts, figures: figure.result?.figures.length },
        ...{ drawn: count(".chart"), controlled: count("input"), titles: count(".figure-question") },
        caption: figure.shadowRoot!.querySelector("figcaption")!.getBoundingClientRect().height > 10,
        verdict: getComputedStyle(figure.shadowRoot!.querySelector(".verdict")!).visibility,
      };
    });
  const before = await shown();
  expect(before).toMatchObject({
    controls: "none",
    charts: "max_over_d",
    drawn: 1,
    controlled: 0,
    titles: 0,
  });
  expect(before).toMatchObject({ caption: true, verdict: "visible" });
  expect(before["figures"]).toBeGreaterThan(1);
  await page.evaluate(() => {
    const figure = document.querySelector<Figure>("sqrtdk-figure")!;
    figure.controls = "few";
    figure.charts = "";
    figure.toggleAttribute("caption", false);
    figure.removeAttribute("heading");
  });
  await frames(page);
  const after = await shown();
  expect(after).toMatchObject({ drawn: before["figures"], titles: 1, caption: false, verdict: "hidden" });
  expect(after["controlled"]).toBeGreaterThan(0);
  await page.evaluate(() => {
    document.querySelector<Figure>("sqrtdk-figure")!.experiment = "score_variance";
  });
  await until(
    page,
    () =>
      document.querySelector<Figure>("sqrtdk-figure")!.result?.hash !== undefined &&
      document.querySelector("sqrtdk-figure")!.shadowRoot!.textContent.includes("Variance"),
  );
  expect(await page.problems()).toEqual([]);
});

test("the page's content stands until the figure does, where it fails, and without scripts", async () => {
  const body = (experiment: string): string =>
    `<sqrtdk-figure experiment="${experiment}"><p id="content">A picture of it</p><h3 slot="heading">Mine</h3></sqrtdk-figure>`;
  const seen = (page: Page): Promise<boolean> =>
    page.evaluate(() => document.querySelector("#content")!.getBoundingClientRect().height > 0);
  const still = await host.show({ body: body("article_snippet") }, { javascript: false, loaded: false });
  expect((await still.screenshot()).length).toBeGreaterThan(1000);
  const page = await host.show({ body: body("article_snippet"), kind: "none" }, { loaded: false });
  expect(await seen(page)).toBe(true);
  const alive = await host.show({ body: body("article_snippet") });
  expect(await seen(alive)).toBe(false);
  expect(await alive.evaluate(() => document.querySelector("h3")!.getBoundingClientRect().height > 0)).toBe(
    true,
  );
  const failed = await host.show({ body: body("nonsense") }, { loaded: false });
  await until(
    failed,
    () => !!document.querySelector("sqrtdk-figure")?.shadowRoot?.querySelector('[role="alert"]'),
  );
  expect(await seen(failed)).toBe(true);
  const places = await failed.evaluate(() => {
    const alert = document.querySelector("sqrtdk-figure")!.shadowRoot!.querySelector('[role="alert"]')!;
    return [
      document.querySelector("#content")!.getBoundingClientRect().bottom,
      alert.getBoundingClientRect().top,
    ];
  });
  expect(places[1]).toBeGreaterThanOrEqual(places[0]!);
});

test("what is refused from the start says so, and nothing is loading", async () => {
  for (const controls of ["all", "none"]) {
    const page = await host.show({
      body: `<sqrtdk-figure experiment="article_snippet" d="0" controls="${controls}"></sqrtdk-figure>`,
    });
    const text = await page.evaluate(() => document.querySelector("sqrtdk-figure")!.shadowRoot!.textContent);
    expect(text).toMatch(/16384/);
    expect(text).not.toContain("Loading");
  }
});

test("a page that has one of the elements gets the others", async () => {
  const page = await host.show(
    {
      body: `<sqrtdk-figure experiment="score_variance"></sqrtdk-figure><sqrtdk-hero></sqrtdk-hero>
        <p>About <sqrtdk-value of="mine" path="softmax_max[d=512,scale=none]" format=".2">1</sqrtdk-value></p>`,
      script: `customElements.define("sqrtdk-figure", class extends HTMLElement { theirs = true });`,
    },
    { loaded: false },
  );
  await drawn(page, "sqrtdk-hero");
  await until(page, () => customElements.get("sqrtdk-value") !== undefined);
  const defined = await page.evaluate(() => ({
    theirs: "theirs" in document.querySelector("sqrtdk-figure")!,
    value: customElements.get("sqrtdk-value") !== undefined,
  }));
  expect(defined).toEqual({ theirs: true, value: true });
  expect(await page.problems()).toEqual([]);
});

test("a number in a sentence follows the figure, and the hero tells its changes", async () => {
  const path = "softmax_max[d=64,scale=none]";
  const page = await host.show({
    body: `<p>About <sqrtdk-value of="softmax_saturation" path="${path}" format=".3">?</sqrtdk-value></p>
      <sqrtdk-figure experiment="softmax_saturation" d="64"></sqrtdk-figure><sqrtdk-hero d="256"></sqrtdk-hero>`,
    script: listen,
  });
  await until(page, () => /^0\.\d{3}$/.test(document.querySelector("sqrtdk-value")!.textContent));
  await page.evaluate(() => {
    const slider = document
      .querySelector("sqrtdk-hero")!
      .shadowRoot!.querySelector<HTMLInputElement>("#hero-slider")!;
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await until(page, () => (globalThis as unknown as { told: Told[] }).told.length > 0);
  const [told] = await toldBy(page);
  expect(told).toMatchObject({ name: "sqrtdk-hero", params: { d: "1024", seed: "0" } });
  expect(told!.hash).toMatch(/^[0-9a-f]{16}$/);
});

test("the check needs its golden hashes, and says so", async () => {
  const page = await host.show({ body: "<sqrtdk-check></sqrtdk-check>" });
  await page.evaluate(() =>
    document
      .querySelector("sqrtdk-check")!
      .shadowRoot!.querySelector<HTMLButtonElement>("#check-run")!
      .click(),
  );
  await until(page, () => /goldens/.test(document.querySelector("sqrtdk-check")!.shadowRoot!.textContent));
});
