// The reader's own q and k: pasted or dropped, right, wrong and cut short.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { alertsOf, change, dropFile, hashOf, idOf, npy, setText, shownHash, lab } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const experiment = "article_snippet";
const q = `#${idOf(experiment)}-q`;
const k = `#${idOf(experiment)}-k`;

async function alert(page: Page, pattern: RegExp): Promise<void> {
  await until(page, (id) => document.querySelector(`#${id} [role="alert"]`) !== null, experiment);
  expect((await alertsOf(page, experiment)).join(" ")).toMatch(pattern);
}

test("pasted CSV is computed with", async () => {
  const page = await bench.open(lab(experiment));
  await change(page, experiment, "d", "4");
  await setText(page, q, "1, 2, 3, 4");
  const pasted = await change(page, experiment, "k", "1,0,0,0\n0,1,0,0\n0,0,0,10");
  // The scores are 1, 2 and 40: of three keys the last takes everything.
  const lines = await page.evaluate(
    (id) => document.querySelector(`#${id} .printed pre`)!.textContent,
    experiment,
  );
  expect(lines).toMatch(/unscaled max=1\.000 min=0\.000/);
  expect(await alertsOf(page, experiment)).toEqual([]);
  expect(await change(page, experiment, "k", "1,0,0,0\n0,1,0,0\n0,0,0,11")).not.toBe(pasted);
  expect(await page.problems()).toEqual([]);
});

test("a dropped .npy is computed with, as the same numbers pasted are", async () => {
  const page = await bench.open(lab(experiment));
  await change(page, experiment, "d", "2");
  await setText(page, k, "1,2\n3,4");
  const pasted = await change(page, experiment, "q", "0.1,-2.5");
  await change(page, experiment, "q", "0,0");
  await dropFile(page, q, "q.npy", npy([1, 2], [0.1, -2.5]));
  await shownHash(page, experiment, pasted);
  expect(await page.problems()).toEqual([]);
});

test("a dropped .npy that cannot be used gets a message; the last good figure stays", async () => {
  const page = await bench.open(lab(experiment));
  const hash = await hashOf(page, experiment);
  for (const [bytes, pattern] of [
    [npy([1, 2], [1, NaN]), /NaN|finite/i],
    [npy([1, 2], [1, 2]).slice(0, -3), /bytes|short|cut|end|truncated/i],
    [npy([2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8]), /shape|rows|2, 2, 2/i],
    [new TextEncoder().encode("GIF89a\0..."), /CSV/],
    [new Uint8Array(), /./],
  ] as const) {
    await setText(page, q, "");
    await until(page, (id) => document.querySelector(`#${id} [role="alert"]`) === null, experiment);
    await dropFile(page, q, "q.npy", bytes);
    await alert(page, pattern);
    expect(await hashOf(page, experiment)).toBe(hash);
  }
  expect(await page.problems()).toEqual([]);
});

test("pasted text that is no matrix stays, with a message in the page's language", async () => {
  const page = await bench.open(lab(experiment, "zh"));
  const hash = await hashOf(page, experiment);
  await setText(page, q, "1,2\n3,four");
  await alert(page, /[\u4e00-\u9fff]/);
  expect(
    await page.evaluate((selector) => document.querySelector<HTMLTextAreaElement>(selector)!.value, q),
  ).toBe("1,2\n3,four");
  expect(await hashOf(page, experiment)).toBe(hash);
  await setText(page, q, "");
  await until(page, (id) => document.querySelector(`#${id} [role="alert"]`) === null, experiment);
  expect(await page.problems()).toEqual([]);
});
