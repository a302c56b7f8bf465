// The Quarto extension, run by Lua with a stand-in for Pandoc and Quarto.
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const source = path("../../../web/recipes/quarto/_extensions/sqrtdk");
let folder: string; // with a picture, as the archive has them

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sqrtdk-quarto-"));
  copyFileSync(join(source, "sqrtdk.lua"), join(folder, "sqrtdk.lua"));
  mkdirSync(join(folder, "pictures"));
  for (const language of ["en", "zh"])
    writeFileSync(join(folder, `pictures/score_variance-${language}.svg`), "<svg/>");
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Call {
  format?: "html" | "pdf";
  site?: string;
  lang?: string;
  experiment?: string;
  settings?: Record<string, string>;
}

/** The lines that the stand-in prints. */
function shortcode({
  format = "html",
  site = "",
  lang = "",
  experiment = "score_variance",
  settings = {},
}: Call) {
  const given = Object.entries(settings).map(([name, text]) => `${name}=${text}`);
  const command = [path("quarto_stub.lua"), folder, format, site, lang, experiment, ...given];
  return execFileSync("lua5.4", command, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
}

describe("the shortcode in HTML", () => {
  test("is the element, with its script as a dependency", () => {
    expect(shortcode({ settings: { seed: "7", d: "32,128", lang: "zh" } })).toEqual([
      "RawBlock",
      "html",
      '<sqrtdk-figure experiment="score_variance" d="32,128" lang="zh" seed="7"></sqrtdk-figure>',
      "dependency sqrtdk 1.0.0 sqrtdk.auto.all.js type=module",
    ]);
  });

  test("knows the race, and lets no text out of its attribute", () => {
    const [, , tag] = shortcode({ experiment: "training_race", settings: { seeds: '"><script>&' } });
    expect(tag).toBe('<sqrtdk-race seeds="&quot;&gt;&lt;script&gt;&amp;"></sqrtdk-race>');
  });
});

describe("the shortcode elsewhere", () => {
  const pdf = (call: Call) => shortcode({ ...call, format: "pdf" });
  const site = "https://example.org/a/";

  test("is the shipped picture and a link, in the document's language", () => {
    expect(pdf({ site, lang: "zh-CN" })).toEqual([
      "Para",
      "Image",
      "Str",
      "score variance",
      join(folder, "pictures/score_variance-zh.svg"),
      "Para",
      "Link",
      "Str",
      "score variance",
      "https://example.org/a/zh/lab/score_variance/",
    ]);
  });

  test("has no picture of other settings, but a link to them", () => {
    const lines = pdf({ site, settings: { d: "32,128", scale: "1/sqrt(d)", controls: "none" } });
    expect(lines).not.toContain("Image");
    expect(lines.at(-1)).toBe(
      "https://example.org/a/en/lab/score_variance/#score_variance&score_variance.d=32%2C128&score_variance.scale=1%2Fsqrt%28d%29",
    );
  });

  test("takes the author's picture and caption", () => {
    const lines = pdf({ site, settings: { d: "32", picture: "mine.png", caption: "Mine" } });
    expect(lines.slice(0, 5)).toEqual(["Para", "Image", "Str", "Mine", "mine.png"]);
  });

  test("names no site that the document does not name", () => {
    expect(pdf({})).not.toContain("Link");
    expect(pdf({ experiment: "no_picture" })).toEqual(["Para", "Str", "no picture"]);
  });
});

test("what is no experiment is refused", () => {
  for (const experiment of ["", "../x", "A b"])
    expect(() => shortcode({ experiment })).toThrow(/expected an experiment/);
});

test("the extension says what it brings", () => {
  const said = readFileSync(join(source, "_extension.yml"), "utf8");
  expect(said).toMatch(/^contributes:\n {2}shortcodes:\n {4}- sqrtdk\.lua$/m);
  expect(said).toMatch(/^version: 1\.0\.0$/m);
});
