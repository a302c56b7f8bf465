// Elements take the look of the page around, and none of its style sheet's.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { useHost } from "./embed_host.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const host = useHost(bench);
const figure = '<sqrtdk-figure experiment="article_snippet" controls="few"></sqrtdk-figure>';
const [lightInk, darkInk] = ["rgb(28, 27, 25)", "rgb(233, 230, 223)"];

/** Of the question, as it is drawn. */
function styleOf(
  page: Page,
  properties: readonly string[],
  selector = ".figure-question",
): Promise<string[]> {
  return page.evaluate(
    (properties, selector) => {
      const root = document.querySelector("sqrtdk-figure")!.shadowRoot!;
      const style = getComputedStyle(root.querySelector(selector)!);
      return properties.map((property) => style.getPropertyValue(property));
    },
    properties,
    selector,
  );
}

const isInk = (page: Page, ink: string): Promise<void> =>
  until(
    page,
    (ink) => {
      const root = document.querySelector("sqrtdk-figure")!.shadowRoot!;
      return getComputedStyle(root.querySelector(".figure-question")!).color === ink;
    },
    ink,
  );

test.each([
  ["a light page whose reader prefers the dark", "body { background: #f4ecd8; color: #222 }", true, lightInk],
  ["a page without a word on colours", "", true, lightInk],
  ["a dark page whose reader prefers the light", "body { background: #1e1e2e; color: #ddd }", false, darkInk],
  ["a dark page by its scheme", ":root { color-scheme: dark }", false, darkInk],
  ["a page that follows the reader", ":root { color-scheme: light dark }", true, darkInk],
  [
    "a dark page in another colour space",
    "html { background: oklch(0.2 0.03 260); color: oklch(0.9 0 0) }",
    false,
    darkInk,
  ],
  [
    "a dark page by a picture",
    "body { background: linear-gradient(#000, #333); color: white }",
    false,
    darkInk,
  ],
  ["a dark box that forgot its texts", "sqrtdk-figure { background: #222 }", false, darkInk],
  ["a dark paper of the element's own", "sqrtdk-figure { --sqrtdk-paper: #113 }", false, darkInk],
])("on %s it is legible", async (_, style, dark, ink) => {
  const page = await host.show({ body: figure, style }, { dark });
  await isInk(page, ink);
  const [ground] = await styleOf(page, ["background-color"], ".frame");
  expect(ground).toBe(style.includes("paper") ? "rgb(17, 17, 51)" : "rgba(0, 0, 0, 0)");
  expect(await page.problems()).toEqual([]);
});

test("it follows a page that changes its theme, at once or in half a second", async () => {
  const style = `body { transition: color 0.3s, background-color 0.3s } .night { background: #111; color: #eee }`;
  const page = await host.show({ body: figure, style });
  await isInk(page, lightInk);
  await page.evaluate(() => document.body.classList.add("night"));
  await isInk(page, darkInk);
  await page.evaluate(() => {
    document.body.style.transition = "none";
    document.body.classList.remove("night");
  });
  await isInk(page, lightInk);
});

test("texts of the page's style do not come in, and the page's rules and resets neither", async () => {
  const style = `
    * { margin: 0; padding: 0; box-sizing: border-box; border: 1px solid lime; --ink: red; --radius: 40px }
    body, body * { font: italic 30px fantasy }
    body { text-align: center; text-transform: uppercase; letter-spacing: 4px; word-spacing: 9px; font-weight: 900;
      white-space: pre; line-height: 3; text-indent: 30px; direction: rtl; text-shadow: 2px 2px red; cursor: wait }
    svg { max-width: 50px; height: auto } table { display: block } button { all: unset; color: red } input { width: 300px }`;
  const plain = await host.show({ body: figure });
  const styled = await host.show({ body: figure, style });
  const properties = [
    ...[
      "text-align",
      "text-transform",
      "letter-spacing",
      "word-spacing",
      "font-weight",
      "font-style",
      "white-space",
    ],
    ...[
      "line-height",
      "text-indent",
      "direction",
      "text-shadow",
      "font-size",
      "font-family",
      "cursor",
      "color",
    ],
  ];
  for (const selector of [".figure-question", ".button", ".chart-title", "input", "summary"])
    expect(await styleOf(styled, properties, selector), selector).toEqual(
      await styleOf(plain, properties, selector),
    );
  expect(await styleOf(styled, ["border-top-left-radius", "padding-left"], ".button")).toEqual(
    await styleOf(plain, ["border-top-left-radius", "padding-left"], ".button"),
  );
  const widths = await styled.evaluate(() => {
    const root = document.querySelector("sqrtdk-figure")!.shadowRoot!;
    return [".charts", ".chart-svg"].map((part) => root.querySelector(part)!.getBoundingClientRect().width);
  });
  expect(widths[1]).toBeGreaterThan(200);
});

test("a page that counts in tens of pixels has no small texts", async () => {
  const page = await host.show({ body: figure, style: "html { font-size: 62.5% }" });
  expect(await styleOf(page, ["font-size"])).toEqual(["24px"]);
  expect(await styleOf(page, ["font-size"], ".button")).toEqual(["14px"]);
});

test("variables and parts are the page's to set", async () => {
  const style = `sqrtdk-figure { --sqrtdk-scaled: rgb(1, 2, 3); --sqrtdk-ink: rgb(4, 5, 6); --sqrtdk-radius: 7px }
    sqrtdk-figure::part(title) { font-size: 50px } sqrtdk-figure::part(apparatus) { display: none }`;
  const page = await host.show({ body: figure, style });
  expect(await styleOf(page, ["font-size", "color"])).toEqual(["50px", "rgb(4, 5, 6)"]);
  expect(await styleOf(page, ["color"], ".role-scaled")).toEqual(["rgb(1, 2, 3)"]);
  expect(await styleOf(page, ["border-top-left-radius"], ".button")).toEqual(["7px"]);
  expect(await styleOf(page, ["display"], ".apparatus")).toEqual(["none"]);
});

test("hidden is hidden", async () => {
  const page = await host.show(
    { body: `${figure}<sqrtdk-figure experiment="score_variance" hidden></sqrtdk-figure>` },
    { loaded: false },
  );
  await until(page, () => !!document.querySelector("sqrtdk-figure")?.shadowRoot?.querySelector(".alive"));
  expect(
    await page.evaluate(() => document.querySelectorAll("sqrtdk-figure")[1]!.getBoundingClientRect().height),
  ).toBe(0);
});

test.each(["en", "zh"])("nothing sticks out of a column of 280 pixels, in %s", async (lang) => {
  const experiments = [
    "article_snippet",
    "score_variance",
    "attention_steps",
    "similarity_measures",
    "bug_museum",
  ];
  const body = experiments
    .map((id) => `<sqrtdk-figure experiment="${id}" trials="200"></sqrtdk-figure>`)
    .join("");
  const column = `<div id="column">${body}<sqrtdk-hero></sqrtdk-hero><sqrtdk-race></sqrtdk-race></div>`;
  const page = await host.show({ body: column, style: "#column { width: 280px; margin: 20px }", lang });
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("#column > *")].flatMap((element) => {
      const { right } = element.getBoundingClientRect();
      const scrolls = (part: Element | null): boolean =>
        part !== null &&
        (/auto|scroll|hidden/.test(getComputedStyle(part).overflowX) || scrolls(part.parentElement));
      return [...element.shadowRoot!.querySelectorAll("*:not(svg *, .visually-hidden, figcaption)")]
        .filter((part) => part.getBoundingClientRect().right > right + 1 && !scrolls(part.parentElement))
        .map(
          (part) =>
            `${element.getAttribute("experiment") ?? element.localName}: ${part.outerHTML.slice(0, 80)}`,
        );
    }),
  );
  expect(wide).toEqual([]);
});
