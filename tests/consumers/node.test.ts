// The package in Node: on its main thread, in its workers, and in programs for other runtimes.
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectUsed, inFolder, install } from "./consumers.ts";
import type { Used } from "./consumers.ts";

const names = ["sqrtdk", "nn", "ops", "single"];

test("Node computes on its main thread and in worker_threads, with every entry", async () => {
  const place = await install("node");
  expectUsed(JSON.parse(await inFolder(place, "node", "main.js")) as Record<string, Used>, names);
});

test("a worker thread of one's own computes, too", async () => {
  const place = await install("node");
  expectUsed(JSON.parse(await inFolder(place, "node", "thread.js")) as Record<string, Used>, names);
});

test("importing what registers elements does nothing on a server", async () => {
  const place = await install("node");
  expect(await inFolder(place, "node", "elements.js")).toBe("[]\n");
});

test("what is thrown is told by the name of its class, and says what may be written instead", async () => {
  const place = await install("node");
  const [value, shape, task, file] = (await inFolder(place, "node", "errors.js")).split("\n");
  expect(value).toMatch(/^ValueError: softmax: x: expected a tensor, /);
  expect(shape).toMatch(/^ShapeError: matmul: b: expected shape /);
  expect(task).toMatch(
    /^ValueError: trainer: unknown task modular, expected one of sort, .*\bmodular_addition\b/,
  );
  expect(file).toMatch(/^LoadError: load: could not fetch the WebAssembly file file:.*nothing\.wasm/);
});

test("what is made is told by the name of its class", async () => {
  const place = await install("node");
  const names = (await inFolder(place, "node", "names.js")).trim().split("\n");
  expect(names).toEqual(["Tensor", "TensorView", "PackedMatrix", "Linear", "LanguageModel", "KeyValueCache"]);
});

test("TypeScript knows every entry", async () => {
  const place = await install("node");
  const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
  const config = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,esnext.disposable"];
  for (const resolution of [
    ["--module", "nodenext"],
    ["--module", "esnext", "--moduleResolution", "bundler"],
  ])
    await inFolder(place, "node", tsc, ...config, ...resolution, "types.mts");
});
