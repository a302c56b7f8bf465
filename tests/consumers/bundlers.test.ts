// The package and its elements in what bundlers make of them, each with no more than the line that its recipe in the package's README has.
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serve } from "../../scripts/lib/serve.mjs";
import type { Page } from "../browser/drivers/index.ts";
import {
  engineNames,
  expectUsed,
  figuresIn,
  inFolder,
  install,
  start,
  usedIn,
  usePages,
} from "./consumers.ts";
import type { Used } from "./consumers.ts";

const pages = usePages();
const names = ["sqrtdk", "nn", "ops", "single"];
const whole = process.env.CONSUMERS === "all";

async function installApp(name: string): Promise<string> {
  const place = await install(name);
  cpSync("tests/consumers/app", place, { recursive: true });
  return place;
}

/** The page's elements, one of the small module and one of the large one, draw themselves. */
async function expectFigures(page: Page): Promise<void> {
  const shown = await figuresIn(page);
  expect(shown).toHaveLength(2);
  for (const text of shown) expect(text).toMatch(/[0-9a-f]{16}/);
}

/** The pages of the folder compute in both browsers. */
async function expectPages(
  url: string,
  expected: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  for (const [path, names] of Object.entries(expected)) {
    for (const engine of engineNames) {
      const page = await pages.open(engine, url + path);
      expectUsed(await usedIn<Record<string, Used>>(page), names);
      if (path === "index.html") await expectFigures(page);
      expect(await page.problems()).toEqual([]);
    }
  }
}

async function expectBuilt(
  folder: string,
  expected: Readonly<Record<string, readonly string[]>> = { "index.html": names },
): Promise<void> {
  const site = await serve({ root: folder, base: "/sub/path/" });
  try {
    await expectPages(site.url, expected);
  } finally {
    await site.close();
  }
}

async function expectServed(
  place: string,
  expected: Readonly<Record<string, readonly string[]>>,
  ...command: [string, ...string[]]
): Promise<void> {
  const server = await start(place, ...command);
  try {
    await expectPages(server.url, expected);
  } finally {
    server.close();
  }
}

/** For bundlers that leave addresses as they are. */
function copyFiles(place: string): void {
  const folder = join(place, "node_modules/sqrtdk");
  for (const name of readdirSync(folder).filter((name) => /\.wasm$|worker\.js$/.test(name)))
    cpSync(join(folder, name), join(place, "dist", name));
  cpSync(join(place, "index.html"), join(place, "dist/index.html"));
}

test("esbuild", async () => {
  const place = await installApp("esbuild");
  await inFolder(
    place,
    "esbuild",
    "main.js",
    "--bundle",
    "--format=esm",
    "--outdir=dist",
    "--log-level=error",
  );
  copyFiles(place);
  await expectBuilt(join(place, "dist"));
});

test("Rollup", async () => {
  const place = await installApp("rollup");
  await inFolder(place, "rollup", "main.js", "-d", "dist", "-p", "@rollup/plugin-node-resolve", "--silent");
  copyFiles(place);
  await expectBuilt(join(place, "dist"));
});

describe.runIf(whole)("slower ones", () => {
  test.each(["vite7", "vite8"])("%s", async (name) => {
    const place = await installApp(name);
    await inFolder(place, "vite", "build", "--base", "./", "--logLevel", "warn");
    await expectBuilt(join(place, "dist"));
    const serving = ["--port", "PORT", "--strictPort", "--host", "127.0.0.1"];
    await expectServed(place, { "single.html": ["single"] }, "vite", ...serving);
    await expectServed(place, { "index.html": names }, "vite", "--config", "sqrtdk.config.js", ...serving);
  });

  test("webpack", async () => {
    const place = await installApp("webpack");
    await inFolder(place, "webpack");
    cpSync(join(place, "index.html"), join(place, "dist/index.html"));
    await expectBuilt(join(place, "dist"));
  });

  test("Parcel", async () => {
    const place = await installApp("parcel");
    await inFolder(place, "parcel", "build", "index.html", "--public-url", "./", "--no-cache");
    await expectBuilt(join(place, "dist"));
    expect(JSON.parse(readFileSync(join(place, "package.json"), "utf8"))).toEqual(
      JSON.parse(readFileSync("tests/consumers/parcel/package.json", "utf8")), // it adds what it thinks is missing
    );
  });

  test("Next, on its server and in its client", async () => {
    const place = await install("next");
    await inFolder(place, "next", "build");
    const server = await start(place, "next", "start", "--port", "PORT", "--hostname", "127.0.0.1");
    try {
      for (const engine of engineNames) {
        const page = await pages.open(engine, server.url);
        const onServer = await page.evaluate(() => document.querySelector("#server")!.textContent);
        expectUsed(JSON.parse(onServer) as Record<string, Used>, ["single"]);
        expectUsed(await usedIn<Record<string, Used>>(page), names);
      }
    } finally {
      server.close();
    }
  });

  test("SvelteKit, on its server and in its client, while one works on it and built", async () => {
    const place = await install("sveltekit");
    await inFolder(place, "vite", "build");
    for (const mode of ["dev", "preview"]) {
      const server = await start(
        place,
        "vite",
        mode,
        "--port",
        "PORT",
        "--strictPort",
        "--host",
        "127.0.0.1",
      );
      try {
        for (const engine of engineNames) {
          const page = await pages.open(engine, server.url);
          expectUsed(await usedIn<Record<string, Used>>(page), ["single"]);
          const onServer = await page.evaluate(() => document.querySelector("#server")!.textContent);
          expectUsed(JSON.parse(onServer) as Record<string, Used>, ["single"]);
          expect(await figuresIn(page)).toEqual([expect.stringMatching(/[0-9a-f]{16}/)]);
          expect(await page.problems()).toEqual([]);
        }
      } finally {
        server.close();
      }
    }
  });

  test("Deno", async () => {
    const place = await install("deno");
    const printed = await inFolder(place, "deno", "run", "--allow-all", "main.js");
    expectUsed(JSON.parse(printed) as Record<string, Used>, names);
  });

  test("Bun", async () => {
    const place = await install("bun");
    // What its package would put into .bin by a script of its own: scripts of packages are not run.
    const programs = join(place, "node_modules/@oven");
    const bun = readdirSync(programs)
      .map((name) => join(programs, name, "bin/bun"))
      .find((program) => existsSync(program) && !program.includes("baseline") && !program.includes("musl"));
    const printed = await inFolder(place, bun!, "main.js");
    expectUsed(JSON.parse(printed) as Record<string, Used>, names);
  });
});
