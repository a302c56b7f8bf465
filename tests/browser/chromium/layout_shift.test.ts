import { expect, test } from "vitest";
import { ready, useBench } from "../bench.ts";
import { allPages, samplePages } from "../pages.ts";

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly sources: readonly { readonly node: Node | null }[];
}

const bench = useBench();

const visits = [
  ...allPages.map((path) => [path, 360] as const),
  ...samplePages.map((path) => [path, 1280] as const),
];

test.each(visits)("nothing moves while /%s of %i px loads", async (path, width) => {
  const page = await bench.blank({ width });
  await page.goto(`${bench.site.url}en/${path}`);
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
