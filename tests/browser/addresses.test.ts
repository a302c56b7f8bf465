// Addresses that lead on to another page, with the state that they carry.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { engineName } from "./drivers/index.ts";

const bench = useBench("/some/sub/path/");

test("old addresses of a section lead to its page, with its state", async () => {
  const page = await bench.blank();
  for (const [from, to] of [
    [
      "en/#score_variance&score_variance.seed=5",
      "en/lab/score_variance/#score_variance&score_variance.seed=5",
    ],
    ["zh/#encoder_layer", "zh/lab/encoder_layer/#encoder_layer"],
    ["en/#about", "en/check/"],
  ]) {
    await page.goto("about:blank");
    await page.goto(`${bench.site.url}${from}`);
    await until(page, (wanted) => location.href === wanted, `${bench.site.url}${to}`);
  }
  // Firefox says so of what the page that is left was still loading.
  const cutOff = /ServiceWorker intercepted the request/;
  expect((await page.problems()).filter((problem) => !cutOff.test(problem))).toEqual([]);
});

if (engineName !== "webkit") {
  // WebKit's driver has no way to set the preferred language.
  test.each(["en", "zh"] as const)(
    "the front page sends a reader of %s on, with the state of the address",
    async (lang) => {
      const page = await bench.blank({ lang });
      await page.goto(`${bench.site.url}#score_variance&score_variance.seed=5`);
      const wanted = `${bench.site.url}${lang}/lab/score_variance/#score_variance&score_variance.seed=5`;
      await until(page, (wanted) => location.href === wanted, wanted);
    },
  );
}
