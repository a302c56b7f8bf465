// The built pages, as files: valid, self-contained, under their strict policy, with the native command's digits.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { HtmlValidate } from "html-validate";
import { describe, expect, test } from "vitest";
import type { Description, RunResult } from "../../../bindings/api/types.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const site = process.env["SITE"] ?? join(root, "build/site");
const command = process.env["SQRTDK"] ?? join(root, "build/native/bin/sqrtdk");
const built = existsSync(join(site, "index.html")) && existsSync(command);
if (!built) console.warn(`skipped: ${site} or ${command} is not built (scripts/build)`);

const languages = ["en", "zh"] as const;
const pagesIn = (language: string): string[] =>
  readdirSync(join(site, language), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("index.html"))
    .map((path) => `${language}/${path}`)
    .sort();
const pages = built ? ["index.html", ...languages.flatMap(pagesIn)] : [];
const read = (path: string): string => readFileSync(join(site, path), "utf8");
const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? "");
const outputs = new Map<string, string>(); // a training takes seconds
const native = (...args: string[]): unknown => {
  const line = args.join(" ");
  const output =
    outputs.get(line) ?? execFileSync(command, [...args, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  outputs.set(line, output);
  return JSON.parse(output);
};

const descriptions = built ? (native("list") as Description[]) : [];

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: {
    "no-trailing-whitespace": "off", // of templates
    "attribute-boolean-style": "off", // Lit writes disabled=""
    "attribute-empty-style": "off",
    "no-raw-characters": "off",
    "prefer-native-element": "off", // role=group names controls that are no fieldset
    "long-title": "off",
    "void-style": "off",
    "aria-label-misuse": ["error", { allowAnyNamable: true }], // formulas in headings are named
    "form-dup-name": "off", // each figure has its own d; nothing is submitted
    "valid-autocomplete": "off", // on checkboxes it keeps Firefox from restoring old ticks after a reload
    "require-sri": "off", // same origin
  },
});

describe.skipIf(!built).each(pages)("%s", (page) => {
  const html = built ? read(page) : "";
  // Code shown to be copied is text.
  const markup = html.replace(/<pre[^>]*>.*?<\/pre>/gs, "");

  test("is valid HTML", async () => {
    const { results } = await validator.validateString(html, page);
    const found = results.flatMap(({ messages }) =>
      messages.map(({ line, ruleId, message }) => `${page}:${line} ${ruleId}: ${message}`),
    );
    expect(found).toEqual([]);
  });

  test("has the strict policy before everything that it governs", () => {
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html);
    expect(policy?.[1]).toMatch(
      /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/,
    );
    expect(policy?.[1]).toContain("require-trusted-types-for 'script'; trusted-types lit-html default");
    expect(policy?.index ?? Infinity).toBeLessThan(html.search(/<(link|script|style)/));
  });

  test("has no inline script, style or handler", () => {
    expect(markup).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+=|javascript:/i);
    expect(all(markup, /<script[^>]*>(.*?)<\/script>/gs).join("")).toBe("");
  });

  test("asks nobody else for anything, and everything that it names is there", () => {
    const ids = new Set(all(markup, /\sid="([^"]+)"/g));
    const addresses = all(markup, /\s(?:href|src|srcset|poster|action|data|result|goldens)="([^"]*)"/g);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses.filter((address) => !address.startsWith("data:image/png;base64,"))) {
      expect(address).not.toMatch(/^(?:[a-z]+:|\/)/i);
      const [file = "", part] = address.split("#");
      if (file.endsWith(".svg") && part) expect(read(join(dirname(page), file))).toContain(` id="${part}"`);
      if (address.startsWith("#")) expect(ids, address).toContain(address.slice(1).split("&", 1)[0]);
      else
        expect(
          existsSync(join(site, dirname(page), file, file.endsWith("/") ? "index.html" : "")),
          address,
        ).toBe(true);
    }
  });

  test("says what it is, otherwise than every other page", () => {
    const told = (text: string): string[] => [
      ...all(text, /<title>([^<]+)/g),
      ...all(text, /<meta name="description" content="([^"]+)/g),
    ];
    if (page !== "index.html") {
      const others = pages.filter((other) => other !== page && other !== "index.html").map(read);
      for (const word of told(html)) expect(others.flatMap(told)).not.toContain(word);
    }
    expect(all(html, /(<h1[ >])/g)).toHaveLength(1);
    const headings = all(html, /<h[1-2][ >](.*?)<\/h/gs).join("");
    expect(all(headings, /(<math>)/g)).toEqual([]); // a formula without a name is no part of the heading's
    expect(html).toMatch(page.startsWith("zh") ? /<html lang="zh-CN">/ : /<html lang="en">/);
    for (const name of ["description", "viewport", "color-scheme"]) {
      expect(html).toMatch(new RegExp(`<meta name="${name}" content="[^"]{10,}">`));
    }
    for (const name of ["title", "description", "locale"]) {
      expect(html).toMatch(new RegExp(`<meta property="og:${name}" content="[^"]+">`));
    }
  });
});

describe.skipIf(!built)("the pages of the two languages", () => {
  const structure = (page: string): string[] =>
    all(read(page), /<(h[1-6]|section|details|sqrtdk-\w+|figure)[\s>]/g);
  const outside = (page: string): string =>
    read(page)
      .replace(/<sqrtdk-(figure|hero|race|check).*?<\/sqrtdk-\1>/gs, "")
      .replace(/(?<= )(data-)?words="[^"]*"/g, "");

  test("are the same, with the same headings and figures", () => {
    const [en, zh] = languages.map((language) => pagesIn(language).map((page) => page.slice(3)));
    expect(zh).toEqual(en);
    for (const page of en!) expect(structure(`zh/${page}`), page).toEqual(structure(`en/${page}`));
  });

  test("are one for each experiment, each of which leads on", () => {
    for (const language of languages) {
      const visited: string[] = [];
      let id: string | undefined = "article_snippet";
      while (id && !visited.includes(id)) {
        visited.push(id);
        id = /<a rel="next" href="\.\.\/(\w+)\/"/.exec(read(`${language}/lab/${id}/index.html`))?.[1];
      }
      expect(visited.sort()).toEqual(descriptions.map(({ id }) => id).sort());
    }
  });

  test("ship no formula's source and no unrendered markup", () => {
    for (const page of pages)
      expect(outside(page).replace(/<code>.*?<\/code>/gs, ""), page).not.toMatch(
        /\$|\\[a-z]|\*\*|&lt;sqrtdk-hero|\uE000|\{\w+\}/,
      );
  });

  test.each(descriptions.map(({ id }) => id))("%s is printed with the native command's digits", (id) => {
    const result = native("run", id) as RunResult;
    for (const page of languages.map((language) => `${language}/lab/${id}/index.html`)) {
      const figure =
        new RegExp(`<sqrtdk-\\w+ experiment="${id}".*?</sqrtdk-\\w+>`, "s").exec(read(page))?.[0] ?? "";
      const text = figure.replace(/<!--.*?-->/gs, "");
      expect(text).toContain(` prerendered=""`);
      if (!result.timed) expect(text).toContain(result.hash);
      const plain = text.replaceAll(/<\/?b\b[^>]*>/g, ""); // inf and NaN are marked
      for (const line of result.lines)
        expect(plain).toContain(line.replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
      expect(all(text, /(<figure class="chart)/g).length).toBe(result.figures.length);
      for (const [name, value] of Object.entries(result.params)) {
        // Selected options, ticked boxes and typed values: what shows without a script.
        const choice = new RegExp(`<select[^>]* name="${name}".*?</select>`, "s").exec(text)?.[0];
        if (choice)
          expect(all(choice, /<option value="([^"]*)"[^>]* selected/g), `${page} ${name}`).toEqual([value]);
      }
    }
  });

  test("has words for every name that the experiments use", () => {
    for (const page of ["en", "zh"]) {
      const words = JSON.parse(
        readFileSync(join(root, "web/content", page, "vocabulary.json"), "utf8"),
      ) as Record<string, Record<string, string>>;
      const missing: string[] = [];
      const need = (topic: string, name: string): void => {
        if (!Object.hasOwn(words[topic] ?? {}, name)) missing.push(`${page} ${topic}/${name}`);
      };
      for (const { id, params } of descriptions) {
        for (const { name, choices } of params) {
          need("params", name);
          for (const choice of choices ?? []) need("choices", choice);
        }
        const { scalars, figures, verdict } = native("run", id) as RunResult;
        need("verdicts", verdict);
        for (const { name, at } of scalars) {
          need("scalars", name);
          for (const label of Object.keys(at)) need("symbols", label);
        }
        for (const { name, x, y, z, series, at } of figures) {
          need("figures", name);
          for (const axis of z === undefined ? [x, y] : [x, y, z]) need("axes", axis);
          for (const { name } of series) if (!/^\S+=\S+$/.test(name)) need("series", name); // "d=8" is a formula
          for (const label of Object.keys(at)) need("symbols", label);
        }
      }
      expect([...new Set(missing)]).toEqual([]);
    }
  });
});

describe.skipIf(!built)("the gallery's pictures", () => {
  const files = built
    ? readdirSync(join(site, "assets")).filter((name) => /-(en|zh)-\w+\.svg$/.test(name))
    : [];

  test("one for each experiment, in either language", () => {
    for (const language of languages) {
      const html = read(`${language}/lab/index.html`);
      const shown = all(html, /<img src="..\/..\/assets\/(\w+)-(?:en|zh)-/g);
      expect(shown.sort()).toEqual(descriptions.map(({ id }) => id).sort());
      expect(html).not.toMatch(/<img(?![^>]* alt="")|<img(?![^>]* loading="lazy")/);
    }
  });

  test.each(files)("%s has both themes, and nothing from elsewhere", (name) => {
    const text = read(`assets/${name}`);
    expect(all(text, /<view id="(\w+)"/g)).toEqual(["l0", "d0"]);
    expect(all(text, /(<svg class="chart-svg")/g)).toHaveLength(1);
    expect(text).toMatch(/<style>.*\.dark:target~g\{--paper: ?#161614/);
    expect(text.replace(/<text class="broken-sign"[^>]*>NaN</g, "")).not.toMatch(
      /NaN|undefined|<script|@import|url\((?!["']?#)|@container/,
    );
  });
});

describe.skipIf(!built)("the rest of the site", () => {
  test("style sheets load nothing from elsewhere", () => {
    for (const file of readdirSync(join(site, "assets")).filter((name) => name.endsWith(".css"))) {
      expect(read(`assets/${file}`)).not.toMatch(/@import|url\((?!["']?(?:data:|#))/);
    }
  });

  test("the service worker can keep every file of the site but what is for other places", () => {
    const files = JSON.parse(/const files = (\[.*?\]); \/\//.exec(read("sw.js"))?.[1] ?? "[]") as string[];
    const there = readdirSync(site, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(site.length + 1))
      .filter(
        (path) => !/^(embed|paper|pictures|recipes)\//.test(path) && !["sw.js", "sitemap.xml"].includes(path),
      )
      .map((path) => path.replace(/(^|\/)index\.html$/, "$1") || "./");
    expect(files.sort()).toEqual(there.sort());
    expect(files).toContain("./");
  });
});
