// The reader's check: the golden cases give the native build's hashes on this device, and can be cancelled.
import { expect, test } from "vitest";
import { violations } from "./axe.ts";
import { ready, until, useBench } from "./bench.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();

async function open(path: string): Promise<Page> {
  const page = await bench.blank();
  await page.goto(bench.site.url + path);
  await ready(page, "sqrtdk-check");
  return page;
}

const count = (page: Page, status: string): Promise<number> =>
  page.evaluate((status) => document.querySelectorAll(`.check-${status}`).length, status);

test("golden cases have the native build's hashes, and the operators their errors", async () => {
  const page = await open("en/check/");
  expect(await page.evaluate(() => document.querySelectorAll("sqrtdk-check table").length)).toBe(0);
  await page.click("#check-run");
  await until(page, () => document.querySelectorAll(".check-same").length >= 8);
  expect(await count(page, "differs")).toBe(0);
  expect(await count(page, "failed")).toBe(0);
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll(".check-same")].map((row) =>
      [...row.querySelectorAll("code")].map(({ textContent }) => textContent),
    ),
  );
  for (const [, here, native] of rows) {
    expect(here).toMatch(/^[0-9a-f]{16}$/);
    expect(here).toBe(native);
  }
  expect(
    await page.evaluate(() => document.querySelectorAll("sqrtdk-check table")[1]?.textContent),
  ).toContain("tiled_attention");

  await page.click("#check-run"); // cancels
  await until(page, () => document.querySelector("#check-report") !== null);
  expect(await page.evaluate(() => document.querySelector(".check-count")?.textContent)).toMatch(
    /^Cancelled: /,
  );
  const done = await count(page, "same");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await count(page, "same")).toBe(done);
  expect(await page.problems()).toEqual([]);
});

test("it breaks no rule of accessibility, before and after", async () => {
  const page = await open("zh/check/");
  expect(await violations(page, "sqrtdk-check")).toEqual([]);
  await page.click("#check-run");
  await until(page, () => document.querySelectorAll(".check-same").length >= 2);
  expect(await violations(page, "sqrtdk-check")).toEqual([]);
  await page.click("#check-run");
  expect(await page.problems()).toEqual([]);
});
