import { expect, test } from "vitest";
import { ready, useBench } from "../bench.ts";

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly sources: readonly { readonly node: Node | null }[];
}

const bench = useBench();

test.each([360, 1280])("nothing moves while the page of %i px loads", async (width) => {
  const page = await bench.open("en/", { width });
  const heights = () => [...document.querySelectorAll("main > *")].map((part) => part.clientHeight);
  const printed = await page.evaluate(heights);
  await ready(page);
  const shifts = await page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const shifts: string[] = [];
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries() as LayoutShift[]) {
            const moved = sources.map(({ node }) => (node as Element | null)?.outerHTML?.slice(0, 100));
            shifts.push(`${value}: ${moved.join(", ")}`);
          }
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(shifts), 500);
      }),
  );
  expect(shifts).toEqual([]);
  expect(await page.evaluate(heights)).toEqual(printed); // also what is out of sight
});
