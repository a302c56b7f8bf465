// What a reader takes away: the printed lines, a link that gives every digit again, files.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import { copiedBy, takeDownloads } from "./downloads.ts";
import {
  change,
  changedHash,
  hashOf,
  idOf,
  lab,
  openApparatus,
  readyFigure,
  shownHash,
  textOf,
} from "./figure.ts";
import { engineName, launch } from "./drivers/index.ts";

const bench = useBench();

test("the printed lines can be copied", async () => {
  const page = await bench.open(lab("article_snippet"));
  const lines = await page.evaluate(
    () => document.querySelector("#article_snippet .printed pre")!.textContent,
  );
  expect(lines.split("\n").length).toBeGreaterThan(2);
  await openApparatus(page, "article_snippet");
  const copied = await copiedBy(page, `#${idOf("article_snippet")}-copy-lines`);
  expect(copied.trim()).toBe(lines.trim());
  expect(await page.problems()).toEqual([]);
});

test("a link gives every digit again, in a fresh page and in another engine", async () => {
  const page = await bench.open(lab("score_variance"));
  await change(page, "score_variance", "d", "16,64,256");
  const hash = await change(page, "score_variance", "seed", "18446744073709551615");
  await until(page, () => location.hash.includes("18446744073709551615"));
  const address = await page.evaluate(() => location.href);
  const text = await textOf(page, "score_variance");

  const fresh = await bench.open(address.slice(bench.site.url.length));
  await readyFigure(fresh, "score_variance");
  await shownHash(fresh, "score_variance", hash);
  expect(await textOf(fresh, "score_variance")).toBe(text);
  expect(await fresh.problems()).toEqual([]);

  const other = await launch(engineName === "chromium" ? "firefox" : "chromium");
  try {
    const there = await other.open();
    await there.goto(address);
    await readyFigure(there, "score_variance");
    await shownHash(there, "score_variance", hash);
    expect(await textOf(there, "score_variance")).toBe(text);
    await there.close();
  } finally {
    await other.close();
  }
});

test("exports the computation as programs with the settings shown", async () => {
  const page = await bench.open(lab("score_variance"));
  await change(page, "score_variance", "seed", "77");
  await openApparatus(page, "score_variance");
  const id = idOf("score_variance");
  await until(page, (id) => document.querySelector(`#${id}-export-cpp`) !== null, id);
  const download = await takeDownloads(page);
  for (const [kind, end, words] of [
    ["numpy", "score_variance.py", ["seed = 77", "import numpy"]],
    ["torch", "score_variance_torch.py", ["seed = 77", "import torch"]],
    ["cpp", "score_variance.cpp", ['{"seed", "77"}', "#include"]],
  ] as const) {
    const { name, text } = await download(`#${id}-export-${kind}`);
    expect(name).toBe(end);
    for (const word of words) expect(text).toContain(word);
  }
  expect(await page.problems()).toEqual([]);
});

test("Back returns to the values before a link was followed", async () => {
  const page = await bench.open(lab("article_snippet"));
  const before = await hashOf(page, "article_snippet");
  await page.evaluate(() => {
    location.hash = "#article_snippet&article_snippet.seed=9";
  });
  await changedHash(page, "article_snippet", before);
  await page.evaluate(() => history.back());
  await shownHash(page, "article_snippet", before);
});

test("exports CSV, JSON, SVG and PNG", async () => {
  const page = await bench.open(lab("article_snippet"));
  await openApparatus(page, "article_snippet");
  const download = await takeDownloads(page);
  for (const [kind, start] of [
    ["csv", /^[\w,". ]+\r?\n/],
    ["json", /^\{\s*"experiment": ?"article_snippet"/],
    ["svg", /^(<\?xml[^>]*>\s*)?<svg /],
    ["png", /^\x89PNG/],
  ] as const) {
    const { name, text } = await download(`#${idOf("article_snippet")}-export-${kind}`);
    expect(name).toMatch(new RegExp(`\\.${kind}$`));
    expect(text).toMatch(start);
  }
  expect(await page.problems()).toEqual([]);
});
