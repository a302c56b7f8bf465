// The built frames, one for each figure, and what the site offers under /recipes/.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HtmlValidate } from "html-validate";
import { describe, expect, test } from "vitest";
import { descriptions } from "../../../web/page/words.mjs";

const site = fileURLToPath(new URL("../../../build/site", import.meta.url));
const built = existsSync(join(site, "embed"));
if (!built) console.warn(`skipped: ${site} is not built (scripts/build)`);
const frames = built ? readdirSync(join(site, "embed")).filter((name) => name.endsWith(".html")) : [];

describe.skipIf(!built)("the frames", () => {
  test("are one for each experiment, and the hero", () => {
    expect(frames.sort()).toEqual([...descriptions().map(({ id }) => `${id}.html`), "hero.html"].sort());
  });

  const validator = new HtmlValidate({
    extends: ["html-validate:recommended"],
    rules: {
      "void-style": "off",
      "long-title": "off",
      "require-sri": "off",
      "no-trailing-whitespace": "off",
    },
  });
  test.each(frames)("%s is valid, strict, and names what is there", async (name) => {
    const html = readFileSync(join(site, "embed", name), "utf8");
    const { results } = await validator.validateString(html);
    expect(results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([]);
    expect(html).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';");
    expect(html).toContain("require-trusted-types-for 'script'");
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/);
    const id = name.replace(".html", "");
    const tag = /<(sqrtdk-\w+)(?: experiment="(\w+)")?>/.exec(html);
    expect(tag?.[2] ?? "").toBe(tag?.[1] === "sqrtdk-figure" ? id : "");
    // Without scripts, or until they come.
    const inside = /<sqrtdk-[^>]*>(.*)<\/sqrtdk-/s.exec(html)?.[1] ?? "";
    if (id !== "hero") expect(inside).toMatch(/<img src="[^"]+\.svg" width="\d+" height="\d+" alt=""\/?>/);
    for (const language of ["en", "zh-CN"])
      expect(inside).toMatch(
        new RegExp(`<p lang="${language}"><a href="[^"]+" target="_blank">[^<]+</a></p>`),
      );
    const addresses = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, address = ""]) => address);
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses) {
      expect(address).not.toMatch(/^(?:[a-z]+:|\/)/i);
      const file = join(site, "embed", address, address.endsWith("/") ? "index.html" : "");
      expect(existsSync(file), `${name}: ${address}`).toBe(true);
    }
  });
});

describe.skipIf(!built)("what recipes offer", () => {
  const list = (archive: string): string[] =>
    (
      JSON.parse(
        execFileSync("python3", [
          ...["-c", "import json, sys, zipfile; print(json.dumps(zipfile.ZipFile(sys.argv[1]).namelist()))"],
          join(site, "recipes", archive),
        ]).toString(),
      ) as string[]
    ).sort();

  test("the Python package has the module that its class names", () => {
    expect(list("sqrtdk-python.zip")).toEqual(
      [
        ...["LICENSE", "README.md", "pyproject.toml", "sqrtdk.ipynb"],
        ...["sqrtdk/__init__.py", "sqrtdk/static/anywidget.js"],
      ].map((file) => `sqrtdk-python/${file}`),
    );
  });

  test("the extension has its script, and a picture of each experiment in each language", () => {
    const files = list("sqrtdk-quarto.zip");
    expect(files).toContain("_extensions/sqrtdk/sqrtdk.auto.all.js");
    for (const { id } of descriptions())
      for (const language of ["en", "zh"])
        expect(files).toContain(`_extensions/sqrtdk/pictures/${id}-${language}.svg`);
  });

  test("pictures on paper need neither variables nor queries", () => {
    const folder = join(site, "recipes/pictures");
    for (const name of readdirSync(folder)) {
      const svg = readFileSync(join(folder, name), "utf8");
      expect(svg, name).not.toMatch(/var\(|@media|@container|calc\(/);
    }
  });
});
