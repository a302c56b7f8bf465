// Controls in use: what is dragged, what screen readers say of it, and that paper has none.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { engineName, type Page } from "./drivers/index.ts";
import { changedHash, hashOf, idOf, lab, readyFigure, setText, shownHash } from "./figure.ts";

const bench = useBench();

async function openAt(experiment: string, options?: { width?: number; language?: string }): Promise<Page> {
  const page = await bench.open(lab(experiment, options?.language), { width: options?.width ?? 1280 });
  await readyFigure(page, experiment);
  return page;
}

test("every vector of the plane says between which ends it is, and its ring covers no name", async () => {
  const experiment = "similarity_measures";
  const page = await openAt(experiment);
  await page.evaluate((id) => {
    document.querySelector<SVGElement>(`#${id} .plane [role="slider"]`)!.focus();
  }, experiment);
  await page.press("ArrowRight");
  const vectors = await page.evaluate((id) => {
    const plane = document.querySelector(`#${id} .plane`)!;
    const names = [...plane.querySelectorAll(".plane-vector .chart-title")].map((name) => {
      const { left, right, top, bottom } = name.getBoundingClientRect();
      return { left, right, top: top + 4, bottom: bottom - 4 }; // without the space above and below letters
    });
    return [...plane.querySelectorAll('[role="slider"]')].map((vector) => {
      const ring = vector.querySelector(".plane-ring")!.getBoundingClientRect();
      const [x, y] = [(ring.left + ring.right) / 2, (ring.top + ring.bottom) / 2];
      const far = names.map(({ left, right, top, bottom }) =>
        Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)),
      );
      return {
        name: vector.getAttribute("aria-label"),
        ends: ["min", "max", "now"].map((end) => Number(vector.getAttribute(`aria-value${end}`))),
        text: vector.getAttribute("aria-valuetext"),
        clear: far.every((pixels) => pixels >= ring.width / 2),
        outline: getComputedStyle(vector).outlineStyle,
      };
    });
  }, experiment);
  expect(vectors.map(({ name }) => name)).toEqual(["query q", "key k₀", "key k₁", "key k₂"]);
  for (const { ends, text, clear, outline } of vectors) {
    const [min, max, now] = ends as [number, number, number];
    expect([min, max]).toEqual([-6.4, 6.4]);
    expect(now).toBeGreaterThanOrEqual(min);
    expect(now).toBeLessThanOrEqual(max);
    expect(text).toMatch(/^\(.+, .+\)/);
    expect(clear).toBe(true);
    expect(outline).toBe("none");
  }
});

// WebKit's driver presses no part of a drawing.
test.skipIf(engineName === "webkit")(
  "a vector that is taken keeps the pointer, wherever it goes",
  async () => {
    const experiment = "similarity_measures";
    const page = await openAt(experiment);
    await page.evaluate((id) => {
      const plane = document.querySelector(`#${id} .plane svg`)!;
      plane.scrollIntoView({ block: "center" });
      for (const type of ["gotpointercapture", "lostpointercapture"])
        plane.addEventListener(type, () => plane.setAttribute(`data-${type}`, "yes"));
    }, experiment);
    await page.click(`#${experiment} .plane-vector:nth-of-type(3) .plane-ring`);
    await until(
      page,
      (id) =>
        document.querySelector(`#${id} .plane svg[data-gotpointercapture][data-lostpointercapture]`) !== null,
      experiment,
    );
    expect(await page.problems()).toEqual([]);
  },
);

test.each(["en", "zh"])(
  "every slider in %s has a name in words, and says it with its value",
  async (language) => {
    const pages = [await bench.open(`${language}/`), await openAt("positional_encoding", { language })];
    const slidersOf = (page: Page) =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLInputElement>(
            'sqrtdk-hero [type="range"], sqrtdk-figure [type="range"]',
          ),
        ].map((slider) => {
          const label = slider.labels?.[0]?.cloneNode(true) as Element | undefined;
          for (const hidden of label?.querySelectorAll('[aria-hidden="true"]') ?? []) hidden.remove();
          return {
            name: slider.getAttribute("aria-label") ?? label?.textContent.trim() ?? "",
            said: slider.getAttribute("aria-valuetext") ?? "",
          };
        }),
      );
    const sliders = (await Promise.all(pages.map(slidersOf))).flat();
    expect(sliders.length).toBeGreaterThan(2);
    for (const { name, said } of sliders) {
      expect(name).toMatch(language === "en" ? /[a-z]{3}/i : /\p{sc=Han}/u);
      const [first, value] = said.split(" = ");
      expect(name).toContain(first);
      expect(first).toMatch(language === "en" ? /[a-z]{3}/i : /\p{sc=Han}/u);
      expect(Number(value)).not.toBeNaN();
    }
  },
);

test("one scale that is typed stays in its field, also where it is the name of a button", async () => {
  const experiment = "attention_steps";
  const page = await openAt(experiment);
  const field = `#${idOf(experiment)}-scale`;
  const look = () =>
    page.evaluate(
      (field) => ({
        typed: document.querySelector<HTMLInputElement>(field)!.value,
        chosen: document.querySelectorAll(`[name="${field.slice(1)}-choice"]:checked`).length,
      }),
      field,
    );
  const before = await hashOf(page, experiment);
  expect(await look()).toEqual({ typed: "", chosen: 1 });
  await setText(page, field, "none");
  const typed = await changedHash(page, experiment, before);
  expect(await look()).toEqual({ typed: "none", chosen: 0 });
  await page.click(`[name="${field.slice(1)}-choice"][value="1/sqrt(d)"]`);
  await shownHash(page, experiment, before);
  expect(await look()).toEqual({ typed: "", chosen: 1 });
  await page.click(`[name="${field.slice(1)}-choice"][value="none"]`);
  await shownHash(page, experiment, typed);
  expect(await look()).toEqual({ typed: "", chosen: 1 });
});

test("no control is printed", async () => {
  const page = await openAt("similarity_measures");
  const printed = await page.evaluate(() => {
    const hiding = [...document.styleSheets].flatMap((sheet) =>
      [...sheet.cssRules].flatMap((rule) =>
        rule instanceof CSSMediaRule && rule.conditionText === "print"
          ? [...rule.cssRules].filter(
              (inner): inner is CSSStyleRule =>
                inner instanceof CSSStyleRule && inner.style.display === "none",
            )
          : [],
      ),
    );
    const isHidden = (element: Element): boolean =>
      hiding.some(({ selectorText }) => element.closest(selectorText) !== null);
    const controls = [
      ...document.querySelectorAll('main :is(input, select, textarea, button, [role="slider"])'),
    ];
    return {
      count: controls.length,
      seen: controls
        .filter((control) => !isHidden(control) && control.getAttribute("role") !== "slider")
        .map((control) => `${control.tagName} ${control.id} ${control.className}`),
    };
  });
  expect(printed.count).toBeGreaterThan(5);
  expect(printed.seen).toEqual([]);
});
