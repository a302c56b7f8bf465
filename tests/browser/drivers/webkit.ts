// WebKitGTK over its WebDriver, inside a virtual screen. A driver and a browser for each page: what an
// option changes is decided when the browser starts.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram } from "../../../scripts/lib/browsers.mjs";
import { callText, lostReply, type Engine, type Page, type PageOptions } from "./engine.ts";

const keyCodes: Record<string, string> = {
  Tab: "\uE004",
  Enter: "\uE007",
  Escape: "\uE00C",
  Space: " ",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
};
const scriptTimeout = 200_000;
const elementKey = "element-6066-11e4-a52e-4f735466cecf";

function miniBrowser(): string {
  const folders = readdirSync("/usr/lib").map((name) => `/usr/lib/${name}`);
  return findProgram(
    ["4.1", "4.0"].flatMap((api) => folders.map((folder) => `${folder}/webkit2gtk-${api}/MiniBrowser`)),
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Seconds that a process and all that descend from it have kept a core busy. */
function cpuSeconds(root: number): number {
  const processes = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // See proc(5): after the command's name, which is in brackets, come state, parent, .., utime, stime.
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return [
        { id: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) },
      ];
    } catch {
      return []; // It has ended.
    }
  });
  const ticksOf = (id: number): number =>
    processes
      .filter(({ parent }) => parent === id)
      .reduce((sum, child) => sum + ticksOf(child.id), processes.find((each) => each.id === id)?.ticks ?? 0);
  return ticksOf(root) / 100;
}

async function startScreen(): Promise<{ display: string; process: ChildProcess }> {
  const xvfb = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1920x1400x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const number = await new Promise<string>((resolve, reject) => {
    xvfb.once("error", reject);
    (xvfb.stdio[3] as Readable).once("data", (data: Buffer) => resolve(data.toString().trim()));
  });
  return { display: `:${number}`, process: xvfb };
}

export async function launchWebkit(): Promise<Engine> {
  const screen = await startScreen();
  const home = mkdtempSync(join(tmpdir(), "sqrtdk-webkit-"));

  async function open(options: PageOptions = {}): Promise<Page> {
    const config = join(home, options.reducedMotion ? "still" : "moving");
    mkdirSync(join(config, "gtk-3.0"), { recursive: true });
    writeFileSync(
      join(config, "gtk-3.0", "settings.ini"),
      `[Settings]\ngtk-enable-animations=${options.reducedMotion ? 0 : 1}\n`,
    );
    const port = await freePort();
    const driver = spawn("WebKitWebDriver", [`--port=${port}`], {
      stdio: "ignore",
      detached: true, // Its browser belongs to its group, which ends together.
      env: {
        ...process.env,
        DISPLAY: screen.display,
        GDK_BACKEND: "x11",
        NO_AT_BRIDGE: "1",
        LIBGL_ALWAYS_SOFTWARE: "1",
        // To draw frames by GL takes a third of a page's time where there is no graphics card; but without, a page whose
        // scripts are off cannot be photographed.
        ...(options.javascript !== false && { WEBKIT_DISABLE_DMABUF_RENDERER: "1" }),
        XDG_CONFIG_HOME: config,
      },
    });
    let session = "";

    async function call(
      method: string,
      path: string,
      body?: unknown,
      timeout = scriptTimeout + 20_000,
    ): Promise<unknown> {
      const response = await fetch(`http://127.0.0.1:${port}/session${session}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeout),
      }).catch(async (error: unknown) => {
        throw error instanceof DOMException && error.name === "TimeoutError" ? await silence(path) : error;
      });
      const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
      if (!response.ok) throw new Error(`WebKit ${path}: ${value?.error} ${value?.message}`);
      return value;
    }

    /** The driver answers within a script's timeout, unless the page computes without an end or a reply got lost. */
    async function silence(path: string): Promise<Error> {
      const before = cpuSeconds(driver.pid!);
      await sleep(2000);
      const busy = (cpuSeconds(driver.pid!) - before) / 2;
      return new Error(busy > 0.2 ? `WebKit ${path}: the page is busy` : `WebKit ${path}: ${lostReply}`);
    }

    async function start(): Promise<void> {
      const args = ["--automation"];
      if (options.dark) args.push("--dark-mode");
      if (options.javascript === false) args.push("--enable-javascript=FALSE");
      const capabilities = {
        alwaysMatch: {
          browserName: "MiniBrowser",
          "webkitgtk:browserOptions": { binary: miniBrowser(), args },
        },
      };
      for (let attempt = 0; ; attempt++) {
        try {
          const { sessionId } = (await call("POST", "", { capabilities })) as { sessionId: string };
          session = `/${sessionId}`;
          return;
        } catch (error) {
          if (attempt === 500) throw error; // the driver needs a moment to listen
          await sleep(100);
        }
      }
    }

    async function evaluate(text: string): Promise<unknown> {
      const script = `const done = arguments[arguments.length - 1];
        (async () => ({ value: await (${text}) }))().then(done, (error) => done({ error: String(error) }));`;
      const answer = (await call("POST", "/execute/async", { script, args: [] })) as {
        value: unknown;
        error?: string;
      };
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.value;
    }

    async function keys(text: readonly string[]): Promise<void> {
      const actions = text.flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      await call("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
    }

    await start();
    await call("POST", "/timeouts", { script: scriptTimeout, pageLoad: scriptTimeout });
    await call("POST", "/window/rect", { width: options.width ?? 1280, height: options.height ?? 900 });
    return {
      async goto(url) {
        await call("POST", "/url", { url });
      },
      evaluate: (fn, ...args) => evaluate(callText(fn, args)) as Promise<never>,
      async run(source) {
        await call("POST", "/execute/sync", { script: source, args: [] });
      },
      async click(selector) {
        const found = (await call("POST", "/element", { using: "css selector", value: selector })) as Record<
          string,
          string
        >;
        // Its own scrolling does not reach what has just been unfolded.
        await call("POST", "/execute/sync", {
          script: 'arguments[0].scrollIntoView({ block: "center" })',
          args: [found],
        });
        await call("POST", `/element/${found[elementKey]}/click`, {});
      },
      type: (text) => keys([...text].map((key) => (key === "\n" ? keyCodes.Enter! : key))),
      press: (key, times = 1) => keys(new Array<string>(times).fill(keyCodes[key] ?? key)),
      async screenshot(path) {
        await evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        const image = Buffer.from((await call("GET", "/screenshot")) as string, "base64");
        if (path) writeFileSync(path, image);
        return image;
      },
      problems: () => evaluate("globalThis.__problems ?? []") as Promise<string[]>,
      async close() {
        await call("DELETE", "", undefined, 10_000).catch(() => undefined);
        try {
          process.kill(-driver.pid!, "SIGKILL");
        } catch {
          // It has ended by itself.
        }
      },
    };
  }

  return {
    name: "webkit",
    open,
    close() {
      screen.process.kill();
      rmSync(home, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}
