// The reader's own checkpoint: chosen or dropped, wrong, removed; never part of an address.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { copiedBy } from "./downloads.ts";
import { alertsOf, dropFile, hashOf, idOf, lab, openApparatus, readyFigure } from "./figure.ts";
import type { Page } from "./drivers/index.ts";

const bench = useBench();
const experiment = "trained_without";
const zone = `#${idOf(experiment)}-checkpoint`;

async function alert(page: Page, pattern: RegExp): Promise<void> {
  await until(page, (id) => document.querySelector(`#${id} [role="alert"]`) !== null, experiment);
  expect((await alertsOf(page, experiment)).join(" ")).toMatch(pattern);
}

test("a file that is no checkpoint is named, refused and removed again", async () => {
  const page = await bench.open(lab(experiment));
  await readyFigure(page, experiment);
  const hash = await hashOf(page, experiment);
  await dropFile(page, zone, "picture.gif", new TextEncoder().encode("GIF89a..."));
  await alert(page, /./);
  const name = await page.evaluate(
    (id) => document.querySelector(`#${id} .file-name`)?.textContent,
    experiment,
  );
  expect(name).toBe("picture.gif (9 B)");
  expect(await hashOf(page, experiment)).toBe(hash); // the last good figure stays
  expect(await page.evaluate(() => location.hash)).not.toContain("checkpoint");

  await openApparatus(page, experiment);
  expect(await copiedBy(page, `#${idOf(experiment)}-copy-link`)).not.toContain("checkpoint");
  await until(
    page,
    (id) => /file/.test(document.querySelector(`#${id} .figure-said`)!.textContent),
    experiment,
  );

  await page.click(`${zone}-remove`);
  await until(page, (id) => document.querySelector(`#${id} [role="alert"]`) === null, experiment);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe(zone.slice(1));
  expect(await page.problems()).toEqual([]);
});

test("an empty file gets a message in the page's language", async () => {
  const page = await bench.open(lab(experiment, "zh"));
  await readyFigure(page, experiment);
  await dropFile(page, zone, "empty.safetensors", new Uint8Array());
  await alert(page, /[\u4e00-\u9fff]/);
  expect(await page.problems()).toEqual([]);
});

test("an address that names a file is refused kindly", async () => {
  const page = await bench.open(`${lab(experiment)}#${experiment}&${experiment}.checkpoint=AAAA`);
  await readyFigure(page, experiment);
  await alert(page, /checkpoint/);
  expect(await page.problems()).toEqual([]);
});
