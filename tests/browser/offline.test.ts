// What a reader has visited works without a network; everything does, once the button has been pressed.
import { expect, test } from "vitest";
import { ready, until, useBench } from "./bench.ts";
import { change, lab } from "./figure.ts";
import { allPages } from "./pages.ts";

const bench = useBench("/site/");

declare global {
  var isKept: boolean | undefined;
}

/** Waits until the service worker keeps this file of the site. */
async function kept(page: Awaited<ReturnType<typeof bench.open>>, path: string): Promise<void> {
  await page.evaluate((url) => {
    globalThis.isKept = false;
    const look = async (): Promise<void> => {
      globalThis.isKept = (await caches.match(url)) !== undefined;
      if (!globalThis.isKept) setTimeout(() => void look(), 20);
    };
    void look();
  }, bench.site.url + path);
  await until(page, () => globalThis.isKept === true);
}

test("what was visited, and what the button keeps", async () => {
  const page = await bench.open(lab("score_variance"));
  await change(page, "score_variance", "seed", "77");
  await kept(page, lab("score_variance"));
  await page.goto(`${bench.site.url}zh/`);
  await ready(page);
  await kept(page, "zh/");
  expect(
    await page.evaluate(async (url) => (await caches.match(url)) !== undefined, bench.site.url + "zh/lab/"),
  ).toBe(false);

  await page.evaluate(() => document.querySelector<HTMLElement>(".keep-offline button")!.click());
  await until(page, () => document.querySelector(".keep-offline [role=status]")!.textContent.endsWith("。"));
  expect(
    await page.evaluate(() => document.querySelector<HTMLButtonElement>(".keep-offline button")!.disabled),
  ).toBe(true);
  await bench.site.close();

  for (const path of [lab("encoder_layer", "zh"), lab("score_variance"), "en/"]) {
    await page.goto("about:blank");
    await page.goto(bench.site.url + path);
    await ready(page);
  }
  await page.goto(`${bench.site.url}${lab("score_variance")}#score_variance&score_variance.seed=5`);
  await change(page, "score_variance", "seed", "78");
  const missing = await page.evaluate(
    async (urls) => {
      const found = await Promise.all(
        urls.map((url) =>
          fetch(url).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
      return urls.filter((_, index) => !found[index]);
    },
    ["en", "zh"].flatMap((language) => allPages.map((path) => `${bench.site.url}${language}/${path}`)),
  );
  expect(missing).toEqual([]);
});
