// Charts in use: what can be read, reached by keys, heard, dragged and printed.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { engineName, type Page } from "./drivers/index.ts";
import { idOf, lab, readyFigure } from "./figure.ts";

const bench = useBench();

async function openAt(experiment: string, options?: { width?: number; language?: string }): Promise<Page> {
  const page = await bench.open(lab(experiment, options?.language), { width: options?.width ?? 1280 });
  await readyFigure(page, experiment);
  return page;
}

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

test("a vector that is taken keeps the pointer, wherever it goes", async () => {
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
});

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
  await page.press("ArrowRight"); // into the map
  await waitFor(0);
  await page.press("End");
  await page.press("ArrowRight");
  await waitFor(1);
  expect(await look()).toEqual({ stops: [1], focused: 1, pointed: [1] });
  await page.press("ArrowLeft");
  await waitFor(0);
  expect(await look()).toEqual({ stops: [0], focused: 0, pointed: [0] });
  await page.press("ArrowDown", 20);
  await until(
    page,
    (id) => document.querySelectorAll(`#${id} .heat`)[0] !== document.activeElement,
    experiment,
  );
  const { focused, stops } = await look();
  expect(stops).toEqual([focused]);
  await page.press("Escape");
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
