// What the consumers' tests share: pages in both browsers, and installed fixtures.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { serve, type Answer } from "../../scripts/lib/serve.mjs";
import { launch, type Engine, type EngineName, type Page } from "../browser/drivers/index.ts";
import { folder, published, unpack } from "./pack.ts";

const run = promisify(execFile);

export const engineNames = ["chromium", "firefox"] as const satisfies readonly EngineName[];

/** What use.js computes with an entry. */
export interface Used {
  readonly here: readonly number[];
  readonly inWorker: boolean;
  readonly numbers: readonly number[];
}

/** All that are given computed the same, also in a worker; `kept` is what they should be. */
export function expectUsed(used: Readonly<Record<string, Used>>, names: readonly string[]): void {
  expect(Object.keys(used).sort()).toEqual([...names].sort());
  const [first] = Object.values(used);
  expect(first!.here).toHaveLength(4);
  expect(first!.here.every((weight) => weight > 0 && weight < 1)).toBe(true);
  for (const each of Object.values(used)) {
    expect(each).toEqual({ here: first!.here, inWorker: true, numbers: first!.here });
  }
}

export const usePage = resolve("tests/consumers/use.js");

// --- pages -----------------------------------------------------------------------------------------------

export interface Pages {
  /** A page that is closed after the test. */
  open(engine: EngineName, url: string): Promise<Page>;
}

/** Call at the top of a test file. */
export function usePages(): Pages {
  const engines = new Map<EngineName, Engine>();
  const opened: Page[] = [];
  beforeAll(async () => {
    for (const name of engineNames) engines.set(name, await launch(name));
  });
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.close();
  });
  afterAll(async () => {
    for (const engine of engines.values()) await engine.close();
  });
  return {
    async open(name, url) {
      const page = await engines.get(name)!.open();
      opened.push(page);
      await page.goto(url);
      return page;
    },
  };
}

/** What the page left in `globalThis.used`, a promise, or says went wrong. */
export async function usedIn<T>(page: Page): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = await page.evaluate(async () => {
      const { used } = globalThis as { used?: Promise<unknown> };
      if (!used) return undefined;
      return used.then(
        (value) => ({ value }),
        (error: unknown) => ({
          error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        }),
      );
    });
    if (found && "value" in found) return found.value as T;
    if (found) throw new Error(found.error);
    if (Date.now() > deadline)
      throw new Error(`the page left nothing: ${(await page.problems()).join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Text inside the shadow roots of all figures, once each shows a hash or an alert. */
export async function figuresIn(page: Page): Promise<string[]> {
  const deadline = Date.now() + 200_000;
  for (;;) {
    const texts = await page.evaluate(() =>
      [...document.querySelectorAll("sqrtdk-figure")].map((figure) => {
        figure.scrollIntoView();
        return ((figure.shadowRoot?.textContent ?? "") + figure.textContent).replace(/\s+/g, " ").trim();
      }),
    );
    const done = (text: string): boolean => /[0-9a-f]{16}|sqrtdk\.auto\.all\.js/.test(text);
    if (texts.length > 0 && texts.every(done)) return texts;
    if (Date.now() > deadline)
      throw new Error(
        `not drawn: ${texts.filter((text) => !done(text)).join("\n")} ${(await page.problems()).join("\n")}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** `id: drawn` of every element with an experiment, one after the other brought into sight, or what it says instead. */
export async function elementsIn(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const said: string[] = [];
    for (const element of document.querySelectorAll("[experiment]")) {
      element.scrollIntoView();
      const isDrawn = (): boolean => {
        const root = element.shadowRoot;
        return !!root?.querySelector(".alive") && !root.querySelector('[aria-busy="true"]');
      };
      const deadline = performance.now() + 60_000;
      while (!isDrawn() && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const shown = isDrawn() && element.shadowRoot!.querySelector(".chart-svg, .race-start, button");
      said.push(
        `${element.getAttribute("experiment")}: ${shown ? "drawn" : element.shadowRoot?.textContent}`,
      );
    }
    return said;
  });
}

/** A server of these pages, with what was published under /package/. Another origin may have `headers`. */
export async function servePages(
  pages: Readonly<Record<string, string>>,
  { base = "/", headers = {} }: { base?: string; headers?: Record<string, string> } = {},
): Promise<{ url: string; requests: string[]; close(): Promise<void> }> {
  const requests: string[] = [];
  const types: Record<string, string> = { html: "text/html", js: "text/javascript" };
  const answer = (path: string): Answer | undefined => {
    if (path === "/favicon.ico") return { type: "image/x-icon", body: "" };
    const name = path.slice(base.length);
    if (!path.startsWith(base) || !Object.hasOwn(pages, name)) return undefined;
    const type = types[name.split(".").at(-1)!]!;
    return { type: `${type}; charset=utf-8`, body: pages[name]!, headers };
  };
  const server = await serve({
    root: published,
    base: `${base}package/`,
    answer,
    headers: { "Access-Control-Allow-Origin": "*" },
    onRequest: (path) => requests.push(path),
  });
  return { ...server, url: server.url.replace(/package\/$/, ""), requests };
}

// --- fixtures --------------------------------------------------------------------------------------------

/** Installs tests/consumers/NAME with what was published into build/consumers/NAME; gives that folder. */
export async function install(name: string): Promise<string> {
  const [from, to] = [resolve("tests/consumers", name), join(folder, name)];
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true });
  cpSync(usePage, join(to, "use.js"));
  cpSync(resolve(".npmrc"), join(to, ".npmrc"));
  const lock = join(to, "package-lock.json");
  const stamp = join(to, "node_modules/.installed");
  if (existsSync(lock) && !(existsSync(stamp) && readFileSync(stamp).equals(readFileSync(lock)))) {
    await run("npm", ["ci", "--silent"], { cwd: to });
    writeFileSync(stamp, readFileSync(lock));
  }
  // What a bundler kept belongs to another build of the package.
  for (const kept of ["node_modules/.vite", "node_modules/.cache", ".parcel-cache", ".next", "dist"])
    rmSync(join(to, kept), { recursive: true, force: true });
  unpack(join(to, "node_modules/sqrtdk"));
  return to;
}

/** Runs a program of the fixture's packages, or of this machine, in its folder; gives what it printed. */
export async function inFolder(place: string, program: string, ...args: string[]): Promise<string> {
  const local = join(place, "node_modules/.bin", program);
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  try {
    const options = { cwd: place, env, maxBuffer: 1 << 26 };
    const { stdout } = await run(existsSync(local) ? local : program, args, options);
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")}: ${stdout ?? ""}${stderr ?? String(error)}`, {
      cause: error,
    });
  }
}

export function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}

/** Starts a server of the fixture's packages and waits until it answers; `close` ends it with what it started. */
export async function start(
  place: string,
  program: string,
  ...args: string[]
): Promise<{ url: string; close(): void }> {
  const port = await freePort();
  const words = args.map((arg) => arg.replace("PORT", String(port)));
  const env = { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: "1" };
  const server: ChildProcess = spawn(join(place, "node_modules/.bin", program), words, {
    cwd: place,
    env,
    detached: true, // what it starts belongs to its group, which ends together
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [server.stdout!, server.stderr!]) stream.on("data", (data) => (said += String(data)));
  const url = `http://127.0.0.1:${port}/`;
  const close = (): void => {
    try {
      process.kill(-server.pid!, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  for (let attempt = 0; attempt < 600; ++attempt) {
    const answered = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) return { url, close };
    if (server.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  close();
  throw new Error(`${program} does not answer: ${said}`);
}
