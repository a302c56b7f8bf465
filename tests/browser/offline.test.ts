import { expect, test } from "vitest";
import { ready, until, useBench } from "./bench.ts";
import { change } from "./figure.ts";

const bench = useBench("/site/");

test("offline after the first visit", async () => {
  const page = await bench.open("en/");
  await until(page, () => navigator.serviceWorker.controller !== null || performance.now() > 100);
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    while (active?.state !== "activated") await new Promise((done) => setTimeout(done, 20));
  });
  await bench.site.close();
  for (const path of ["en/", "zh/", "en/#score_variance&score_variance.seed=5"]) {
    await page.goto("about:blank");
    await page.goto(bench.site.url + path);
    if (path === "en/") await ready(page);
    await change(page, "score_variance", "seed", "77");
    const pictures = await page.evaluate(async () => {
      const text = await (await fetch(location.pathname)).text();
      const files = [...text.matchAll(/src="([^"]+\.svg)#/g)].map(([, file]) => file!);
      return Promise.all([...new Set(files)].map(async (file) => (await fetch(file)).status));
    });
    expect(pictures.length).toBeGreaterThan(5);
    expect(pictures.filter((status) => status !== 200)).toEqual([]);
  }
});
