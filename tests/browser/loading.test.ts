// Loading from another origin, under policies and from wrong addresses: in a worker, or visibly not.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve, type Answer } from "../../scripts/lib/serve.mjs";
import { useBench } from "./bench.ts";
import { engineName, type Page } from "./drivers/index.ts";
import { problemsScript, withCollector } from "./site.ts";

const bench = useBench();
let far: Awaited<ReturnType<typeof serve>>; // the package, as on a CDN
let host: Awaited<ReturnType<typeof serve>>; // pages that use it

const html = (policy?: string): Answer => {
  const meta = policy && `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const body = `<!doctype html><html lang="en"><head>${meta ?? ""}<title>host</title></head></html>`;
  return { type: "text/html; charset=utf-8", body: withCollector(body) };
};

beforeAll(async () => {
  const headers = { "Access-Control-Allow-Origin": "*" };
  far = await serve({
    root: "build/none",
    answer: (path) => {
      if (path === "/page") return { type: "text/html", body: "<!doctype html><p>Not here", headers };
      if (!/^\/[\w.]+\.(js|wasm)$/.test(path) || path.startsWith("/no")) return undefined;
      const type = path.endsWith(".js") ? "text/javascript" : "application/wasm";
      return { type, body: readFileSync(`build/package${path}`), headers };
    },
  });
  const scripts = `script-src 'self' ${far.url} 'unsafe-inline'`;
  const pages: Record<string, Answer> = {
    "/problems.js": { type: "text/javascript", body: problemsScript },
    "/favicon.ico": { type: "image/x-icon", body: "" },
    "/": html(),
    "/strict": html(
      `default-src 'none'; img-src 'self'; ${scripts} 'wasm-unsafe-eval'; connect-src ${far.url}; worker-src blob:; require-trusted-types-for 'script'; trusted-types sqrtdk`,
    ),
    "/no-workers": html(
      `default-src 'none'; img-src 'self'; ${scripts} 'wasm-unsafe-eval'; connect-src ${far.url}`,
    ),
    "/no-wasm": html(`default-src 'none'; img-src 'self'; ${scripts}; connect-src ${far.url}`),
    "/no-fetch": html(`default-src 'none'; img-src 'self'; ${scripts} 'wasm-unsafe-eval'`),
  };
  host = await serve({ root: "build/none", answer: (path) => pages[path] });
});
afterAll(async () => {
  await far.close();
  await host.close();
});

async function open(path: string): Promise<Page> {
  const page = await bench.blank();
  await page.goto(host.url + path);
  return page;
}

/** What a function body gives in the page, where `load` is the package's; an error as its fields. */
async function inPage<T>(page: Page, body: string): Promise<T> {
  const fields = `({ name, step, reason, address, message }) => ({ name, step, reason, address, message })`;
  await page.run(
    `globalThis.outcome = import("${far.url}index.js").then(async ({ load }) => { ${body} }).catch(${fields})`,
  );
  return page.evaluate(() => (globalThis as unknown as { outcome: Promise<T> }).outcome);
}

interface LoadFailure {
  readonly name: string;
  readonly step: string;
  readonly reason: string;
  readonly address: string;
  readonly message: string;
}

const whatHappens = `
  const { experiments, inWorker } = worker;
  let frames = 0;
  const clock = setInterval(() => ++frames, 1);
  const abort = new AbortController();
  const running = experiments.score_variance.run({ d: 512, trials: 1000000 }, { signal: abort.signal });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const start = performance.now();
  abort.abort();
  const heard = await running.then(() => "ended", (error) => error.name);
  const took = performance.now() - start;
  clearInterval(clock);
  const { hash } = await experiments.article_snippet.run({ d: [32] });
  worker.dispose();
  return { inWorker, frames, heard, took, hash };`;

interface Happened {
  readonly inWorker: boolean;
  readonly frames: number;
  readonly heard: string;
  readonly took: number;
  readonly hash: string;
}

test.each(["", "strict"])(
  "another origin's worker leaves a page (/%s) free and is ended at once",
  async (path) => {
    const page = await open(path);
    const found = await inPage<Happened>(
      page,
      `const worker = await load({ worker: "required" }); ${whatHappens}`,
    );
    expect(found).toMatchObject({ inWorker: true, heard: "AbortError" });
    expect(found.took).toBeLessThan(100);
    expect(found.frames).toBeGreaterThan(20);
    expect(found.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(await page.problems()).toEqual([]);
  },
);

test("calls of operators in a worker are let go at once, too", async () => {
  const page = await open("");
  const found = await inPage<{ took: number; heard: string; same: boolean }>(
    page,
    `const [here, worker] = [await load(), await load({ worker: "required" })];
    const big = await worker.random.randn([2, 1024, 512], { seed: 1 });
    const abort = new AbortController();
    const running = Promise.all([1, 2, 3, 4, 5, 6].map(() =>
      worker.ops.attention(big, big, big, { returnWeights: true, signal: abort.signal })));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const start = performance.now();
    abort.abort();
    const heard = await running.then(() => "ended", (error) => error.name);
    const took = performance.now() - start;
    const q = here.random.randn([2, 9, 16], { seed: 7 });
    const layer = (of) => new of.nn.EncoderLayer({ dModel: 16, nHeads: 2, dFf: 32, seed: 3 });
    const wanted = layer(here).forward(q).toArray();
    const { data } = await layer(worker).forward(q);
    worker.dispose();
    return { took, heard, same: data.length === wanted.length && data.every((x, i) => Object.is(x, wanted[i])) };`,
  );
  expect(found).toMatchObject({ heard: "AbortError", same: true });
  expect(found.took).toBeLessThan(100);
});

test.each([
  ["", "nowhere.js"],
  ["no-workers", "worker.js"],
] as const)(
  "where no worker can be started (/%s, %s), this thread computes and the console says so once",
  async (path, script) => {
    const page = await open(path);
    const address = far.url + script;
    const found = await inPage<{ inWorker: boolean[]; said: string[] }>(
      page,
      `const said = [];
      const write = console.warn;
      console.warn = (...parts) => (said.push(parts.join(" ")), write(...parts));
      const workers = [await load({ worker: "${address}" }), await load({ worker: "${address}" })];
      for (const { experiments } of workers) await experiments.article_snippet.run({ d: [32] });
      return { inWorker: workers.map(({ inWorker }) => inWorker), said };`,
    );
    expect(found.inWorker).toEqual([false, false]);
    expect(found.said.length).toBe(1);
    expect(found.said[0]).toContain(address);
    const refused = await inPage<LoadFailure>(
      page,
      `await load({ worker: { url: "${address}", required: true } })`,
    );
    expect(refused).toMatchObject({ name: "LoadError", step: "worker", reason: "worker", address });
  },
);

test("what is wrong with the file is told by its reason", async () => {
  for (const [path, options, step, reason] of [
    ["", `{ wasm: "${host.url}none.wasm" }`, "fetch", "http"],
    ["", `{ wasm: "${far.url}page" }`, "compile", "not_wasm"],
    ["", `{ wasm: "http://127.0.0.1:1/x.wasm" }`, "fetch", "network"],
    ["no-fetch", "", "fetch", "csp"],
    ["no-wasm", "", engineName === "webkit" ? "instantiate" : "compile", "csp"], // where it is refused
  ] as const) {
    const page = await open(path);
    const failure = await inPage<LoadFailure>(page, `await load(${options})`);
    expect(failure, path + options).toMatchObject({ name: "LoadError", step, reason });
    if (step !== "instantiate") expect(failure.address).toContain("http://127.0.0.1");
  }
});

test("a script without a place of its own says what to pass, and takes it", async () => {
  const page = await open("");
  const found = await inPage<{ failure: LoadFailure; number: number; beside: Partial<LoadFailure> }>(
    page,
    `const text = await (await fetch("${far.url}index.js")).text();
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const blob = await import(url);
    const failure = await blob.load().catch(({ name, step, reason, message }) => ({ name, step, reason, message }));
    const wasm = "${far.url}full.wasm";
    const here = await blob.load({ wasm });
    const [number] = here.ops.softmax([0, 0]).toArray();
    const beside = await blob.load({ wasm, worker: "required" }).catch(({ step, message }) => ({ step, message }));
    return { failure, number, beside };`,
  );
  expect(found.failure).toMatchObject({ name: "LoadError", step: "fetch", reason: "no_base" });
  expect(found.failure.message).toContain("sqrtdk/single");
  expect(found.number).toBe(0.5);
  expect(found.beside.step).toBe("worker"); // what only workers need is another script beside it
  expect(found.beside.message).toContain("sqrtdk/single");
});
