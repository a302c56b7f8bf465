// Vectors that are dragged, or moved by keys: their numbers follow at once, the address and the result after them.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { changedHash, hashOf, readyFigure, setText, lab } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const experiment = "similarity_measures";

interface Shown {
  numbers: string[];
  vectors: string[];
}

function shown(page: Page): Promise<Shown> {
  return page.evaluate((id) => {
    const plane = document.querySelector(`#${id} .plane`)!;
    const texts = (selector: string) =>
      [...plane.querySelectorAll(selector)].map((each) => each.textContent.trim());
    return {
      numbers: texts("td"),
      vectors: [...plane.querySelectorAll('[role="slider"]')].map(
        (each) => each.getAttribute("aria-valuetext") ?? "",
      ),
    };
  }, experiment);
}

/** Waits until the vector with this index is said to be `text`. */
async function waitFor(page: Page, index: number, text: string): Promise<void> {
  await until(
    page,
    (id, index, text) => {
      const head = document.querySelectorAll(`#${id} .plane [role="slider"]`)[index];
      return head?.getAttribute("aria-valuetext")?.startsWith(text) === true;
    },
    experiment,
    index,
    text,
  );
}

/** Sends a pointer to a point of the plane, in its own coordinates. */
function point(page: Page, type: string, x: number, y: number, buttons: number): Promise<void> {
  return page.evaluate(
    (id, type, x, y, buttons) => {
      const plane = document.querySelector(`#${id} .plane svg`)!;
      plane.scrollIntoView({ block: "center" });
      const { left, top, width } = plane.getBoundingClientRect();
      const unit = width / 340;
      const at = { clientX: left + unit * (170 + 25 * x), clientY: top + unit * (125 - 25 * y) };
      plane.dispatchEvent(new PointerEvent(type, { ...at, buttons, bubbles: true, cancelable: true }));
    },
    experiment,
    type,
    x,
    y,
    buttons,
  );
}

test("the arrow keys move the vector in focus, and its numbers with it", async () => {
  const page = await bench.open(lab(experiment));
  await readyFigure(page, experiment);
  const before = await hashOf(page, experiment);
  expect((await shown(page)).numbers).toEqual(
    ["1.000", "✓ 1.000", "1.789", "✓ 8.000", "0.664", "4.243", "4.200", "0.934", "✓ 0.800"], // of the article's page
  );
  await page.evaluate(
    (id) => document.querySelector<HTMLElement>(`#${id} .plane [role="slider"]`)!.focus(),
    experiment,
  );
  await page.press("ArrowUp");
  await waitFor(page, 0, "(2, 1.1)");
  expect((await shown(page)).numbers[0]).toBe("1.020"); // 2 · 0.4 + 1.1 · 0.2
  expect((await shown(page)).vectors[1]).toContain("1.020");
  await changedHash(page, experiment, before);
  await until(page, () => decodeURIComponent(location.hash).includes("similarity_measures.q=2,1.1"));
  const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  expect(focused).toBe("query q");
  expect(await page.problems()).toEqual([]);
});

test("a pointer drags a vector, and lets go of it", async () => {
  const page = await bench.open(lab(experiment, "zh"));
  await readyFigure(page, experiment);
  await point(page, "pointermove", 5, -2, 0); // without a button: nothing moves
  await point(page, "pointerdown", 5.1, -1.9, 1);
  await point(page, "pointermove", 3, 4, 1);
  await waitFor(page, 2, "(3, 4)");
  await point(page, "pointermove", -20, 0, 1); // out of the plane
  await waitFor(page, 2, "(−6.4, 0)");
  await point(page, "pointerup", -20, 0, 0);
  await point(page, "pointermove", 1, 1, 0);
  await until(page, () =>
    decodeURIComponent(location.hash).includes("similarity_measures.k=0.4,0.2;-6.4,0;2,0.2"),
  );
  expect((await shown(page)).vectors[2]).toContain("(−6.4, 0)");
  expect((await shown(page)).numbers[3]).toBe("−12.800");
  expect(await page.problems()).toEqual([]);
});

test("vectors that are no plane's are shown without one", async () => {
  const page = await bench.open(lab(experiment));
  await readyFigure(page, experiment);
  const before = await hashOf(page, experiment);
  await setText(page, `#${experiment}-figure-q`, "1,2,3");
  await setText(page, `#${experiment}-figure-k`, "1,2,3;3,2,1");
  await changedHash(page, experiment, before);
  await until(page, (id) => document.querySelector(`#${id} .plane`) === null, experiment);
  expect(await page.problems()).toEqual([]);
});
