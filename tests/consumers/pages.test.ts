// The package in pages without a bundler: of the same and of another origin, in a sub-path, under a strict policy, from a
// file, inlined, and as a blob.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  elementsIn,
  engineNames,
  expectUsed,
  figuresIn,
  servePages,
  usedIn,
  usePage,
  usePages,
} from "./consumers.ts";
import type { Used } from "./consumers.ts";
import { folder, published } from "./pack.ts";

const pages = usePages();
const text = (name: string): string => readFileSync(join(published, name), "utf8");
const page = (head: string, body = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Somebody's page</title>${head}</head><body>${body}</body></html>`;

const entries = ["index", "nn", "ops", "single"];
/** A script that uses these entries from this address. */
const uses = (address: string, names = entries): string => `
  import { useAll } from "./use.js";
  ${names.map((name) => `import { load as ${name} } from "${address}${name}.js";`).join("\n")}
  globalThis.used = useAll({ ${names.join(", ")} });`;

const strict =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src 'self'; " +
  "require-trusted-types-for 'script'; trusted-types sqrtdk; base-uri 'none'; form-action 'none'";
const figure = (experiment: string, rest = ""): string =>
  `<sqrtdk-figure experiment="${experiment}"${rest}></sqrtdk-figure>`;
/** One of the small experiments, and one that is not in sqrtdk.auto.js. */
const small = figure("article_snippet", ' d="32,128"');
const large = figure("multi_head", ' text="one two"');
/** Every experiment; the race has an element of its own. */
const everything = Array.from(
  readFileSync("src/experiments/experiments.inc", "utf8").matchAll(/^EXPERIMENT\((\w+), /gm),
  ([, id]) => id!,
);

const all = text("sqrtdk.auto.all.js");
let home: Awaited<ReturnType<typeof servePages>>;
let elsewhere: Awaited<ReturnType<typeof servePages>>;
let deep: Awaited<ReturnType<typeof servePages>>;

beforeAll(async () => {
  elsewhere = await servePages({});
  const common = { "use.js": readFileSync(usePage, "utf8") };
  const module = (name: string): string => page(`<script type="module" src="${name}"></script>`);
  const blobs = (file: string): string =>
    page(
      `<script type="module">
        const code = await (await fetch("package/${file}")).text();
        await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
      </script>`,
      small + large + "<sqrtdk-race></sqrtdk-race>",
    );
  home = await servePages({
    ...common,
    "plain.html": module("plain.js"),
    "plain.js": uses("./package/"),
    "other.html": module("other.js"),
    "other.js": uses(`${elsewhere.url}package/`),
    ...Object.fromEntries(
      // One in a page: each makes the policy `sqrtdk`, which the page allows once.
      ["index", "nn", "ops"].flatMap((name) => [
        [
          `strict_${name}.html`,
          page(`<meta http-equiv="Content-Security-Policy" content="${strict}">`, "").replace(
            "</head>",
            `<script type="module" src="strict_${name}.js"></script></head>`,
          ),
        ],
        [`strict_${name}.js`, uses("./package/", [name])],
      ]),
    ),
    "elements.html": page('<script type="module" src="package/elements.js"></script>', small + large),
    "elements_other.html": page(
      `<script type="module" src="${elsewhere.url}package/elements/figure.js"></script>`,
      small + large,
    ),
    "blob.html": blobs("sqrtdk.auto.js"),
    "blob_all.html": blobs("sqrtdk.auto.all.js"),
    "module.html": page('<script type="module" src="package/sqrtdk.auto.js"></script>', small + large),
    "classic.html": page('<script src="package/sqrtdk.auto.js"></script>', small + large),
    "classic_other.html": page(
      `<script src="${elsewhere.url}package/sqrtdk.auto.js"></script>`,
      small + large,
    ),
    "inlined.html": page(`<script>${all}</script>`, small + large),
    "inlined_module.html": page(`<script type="module">${all}</script>`, small + large),
    "single.html": page(
      `<script type="module">${text("single.js").replace(/export\s*\{([^}]*)\}/, (_, names: string) => {
        const load = /(\w+) as load\b/.exec(names)?.[1] ?? "load";
        return `globalThis.used = import("./use.js").then(({ useAll }) => useAll({ single: ${load} }))`;
      })}</script>`,
    ),
    "everything.html": page(
      '<script type="module" src="package/sqrtdk.auto.all.js"></script>',
      everything
        .map((id) => (id === "training_race" ? `<sqrtdk-race experiment="${id}"></sqrtdk-race>` : figure(id)))
        .join(""),
    ),
    "gbk.html": page('<script src="package/sqrtdk.auto.all.js"></script>', small).replace("utf-8", "gbk"),
  });
  deep = await servePages(
    { ...common, "index.html": module("plain.js"), "plain.js": uses("./package/") },
    { base: "/some/sub/path/" },
  );
});
afterAll(() => Promise.all([home.close(), elsewhere.close(), deep.close()]));

describe.each(engineNames)("in %s", (engine) => {
  test.each([
    ["a plain page", () => `${home.url}plain.html`, entries],
    ["a page with the package on another origin", () => `${home.url}other.html`, entries],
    ["a page in a sub-path", () => `${deep.url}index.html`, entries],
    ["a page with a strict policy", () => `${home.url}strict_index.html`, ["index"]],
    ["the same with sqrtdk/nn", () => `${home.url}strict_nn.html`, ["nn"]],
    ["the same with sqrtdk/ops", () => `${home.url}strict_ops.html`, ["ops"]],
    ["a page that holds sqrtdk/single", () => `${home.url}single.html`, ["single"]],
  ])("%s computes, also in a worker", async (_, url, names) => {
    const opened = await pages.open(engine, url());
    expectUsed(await usedIn<Record<string, Used>>(opened), names);
    expect(await opened.problems()).toEqual([]);
  });

  test("sqrtdk/single asks for nothing but itself", async () => {
    const before = home.requests.length;
    await usedIn(await pages.open(engine, `${home.url}single.html`));
    expect(home.requests.slice(before).filter((path) => path.includes("/package/"))).toEqual([]);
  });

  test.each(["module", "classic"])("sqrtdk.auto.js as a %s script draws every experiment", async (name) => {
    const before = home.requests.length;
    const opened = await pages.open(engine, `${home.url}${name}.html`);
    for (const shown of await figuresIn(opened)) expect(shown).toMatch(/[0-9a-f]{16}/);
    expect(home.requests.slice(before).filter((path) => path.includes("/package/"))).toEqual([
      "/package/sqrtdk.auto.js",
      "/package/sqrtdk.experiments.js",
    ]);
    expect(await opened.problems()).toEqual([]);
  });

  test("sqrtdk.auto.js as a classic script of another origin, without crossorigin, draws every experiment", async () => {
    const before = elsewhere.requests.length;
    const opened = await pages.open(engine, `${home.url}classic_other.html`);
    for (const shown of await figuresIn(opened)) expect(shown).toMatch(/[0-9a-f]{16}/);
    expect(elsewhere.requests.slice(before)).toEqual([
      "/package/sqrtdk.auto.js",
      "/package/sqrtdk.experiments.js",
    ]);
    expect(await opened.problems()).toEqual([]);
  });

  test.each(["elements", "elements_other"])("the elements draw in %s.html", async (name) => {
    const opened = await pages.open(engine, `${home.url}${name}.html`);
    for (const shown of await figuresIn(opened)) expect(shown).toMatch(/[0-9a-f]{16}/);
    expect(await opened.problems()).toEqual([]);
  });

  test.each(["blob_all", "inlined", "inlined_module", "gbk"])(
    "sqrtdk.auto.all.js draws in %s.html",
    async (name) => {
      const opened = await pages.open(engine, `${home.url}${name}.html`);
      for (const shown of await figuresIn(opened)) expect(shown).toMatch(/[0-9a-f]{16}/);
      expect(await opened.problems()).toEqual([]);
    },
  );

  test("sqrtdk.auto.all.js draws every experiment from one file", async () => {
    const before = home.requests.length;
    const opened = await pages.open(engine, `${home.url}everything.html`);
    expect(await elementsIn(opened)).toEqual(everything.map((id) => `${id}: drawn`));
    expect(home.requests.slice(before).filter((path) => path.includes("/package/"))).toEqual([
      "/package/sqrtdk.auto.all.js",
    ]);
    expect(await opened.problems()).toEqual([]);
  });

  test("sqrtdk.auto.all.js draws in a file", async () => {
    const file = join(folder, "file.html");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, page('<script src="package/sqrtdk.auto.all.js"></script>', small + large));
    const opened = await pages.open(engine, pathToFileURL(file).href);
    for (const shown of await figuresIn(opened)) expect(shown).toMatch(/[0-9a-f]{16}/);
    expect(await opened.problems()).toEqual([]);
  });

  test("sqrtdk.auto.js as a blob says what to take for the experiments that it has not", async () => {
    const opened = await pages.open(engine, `${home.url}blob.html`);
    const [one, other] = await figuresIn(opened);
    expect(one).toMatch(/[0-9a-f]{16}/);
    expect(other).toContain("sqrtdk.auto.all.js");
    const race = await opened.evaluate(async () => {
      const race = document.querySelector("sqrtdk-race")!;
      race.scrollIntoView();
      while (!race.textContent.includes("sqrtdk.auto.all.js"))
        await new Promise((resolve) => setTimeout(resolve, 50));
      return race.querySelector('[role="alert"]')?.textContent;
    });
    expect(race).toContain("sqrtdk.auto.all.js");
  });
});
