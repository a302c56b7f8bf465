// Whatever an address holds: the page loads, says near the control what is wrong, and goes on.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { alertsOf, change, hashOf, idOf, lab, setText } from "./figure.ts";

const bench = useBench();

const refused = [
  "d=0",
  "d=-1",
  "d=1e999",
  "d=NaN",
  "d=32,",
  "d=99999999999999999999",
  "d=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
  "d=",
  "n_keys=8.5",
  "seed=-1",
  "seed=18446744073709551616",
  "rng=mersenne",
  "rng=__proto__",
  "q=1,2;3",
  "q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
  "nonsense=1",
  "constructor=1",
  `d=${"9".repeat(5000)}`,
];
const ignored = [
  "%",
  "%E0%A4%A",
  "&&&&==&=",
  "&.=1&..=2&article_snippet.=3",
  "<script>alert(1)</script>",
  "\u0000",
  "__proto__&__proto__.d=1",
];

test("a wrong value gets a message near its figure, which goes on", async () => {
  const page = await bench.open(lab("article_snippet"));
  for (const [i, value] of refused.entries()) {
    const language = i % 3 === 0 ? "zh" : "en";
    await page.goto("about:blank");
    await page.goto(
      `${bench.site.url}${lab("article_snippet", language)}#article_snippet&article_snippet.${value}`,
    );
    await until(page, () => document.querySelector('#article_snippet [role="alert"]') !== null);
    const alerts = (await alertsOf(page, "article_snippet")).join();
    expect(alerts, value).toMatch(language === "zh" ? /[\u4e00-\u9fff]/ : /[a-z]{3}/);
    expect(alerts.length, value).toBeLessThan(1000);
    expect(await hashOf(page, "article_snippet"), value).toMatch(/^[0-9a-f]{16}$/);
  }
  await setText(page, `#${idOf("article_snippet")}-d`, "32");
  expect(await change(page, "article_snippet", "seed", "77")).toMatch(/^[0-9a-f]{16}$/);
  expect(await page.problems()).toEqual([]);
});

test("what is no state is passed over", async () => {
  const page = await bench.open(lab("article_snippet"));
  for (const hash of [...ignored, "x".repeat(1_000_000)]) {
    await page.goto("about:blank");
    await page.goto(`${bench.site.url}${lab("article_snippet")}#${hash}`);
    expect(await change(page, "article_snippet", "seed", "77"), hash.slice(0, 40)).toMatch(/^[0-9a-f]{16}$/);
  }
  expect(await page.problems()).toEqual([]);
});
