import { expect, test } from "vitest";
import { ready, useBench } from "../bench.ts";

const bench = useBench();

test.each([360, 1280])("nothing moves while the page of %i px loads", async (width) => {
  const page = await bench.open("en/", { width });
  await ready(page);
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(sum), 500);
      }),
  );
  expect(shift).toBe(0);
});
