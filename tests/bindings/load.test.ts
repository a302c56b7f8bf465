import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as Api from "../../bindings/entry/full.ts";

const wasm = new URL("../../build/wasm/full.wasm", import.meta.url);

async function step(promise: Promise<unknown>): Promise<string> {
  const error = (await promise.catch((reason: unknown) => reason)) as Api.LoadError;
  expect(error.name).toBe("LoadError");
  expect(error.code).toBe("load_failed");
  expect(error.message).toContain(`could not ${error.step}`);
  expect(error.cause).toBeInstanceOf(Error);
  return error.step;
}

describe("load", () => {
  let load: typeof Api.load;

  beforeEach(async () => {
    vi.resetModules(); // a page that has not loaded anything yet
    ({ load } = await import("../../bindings/entry/full.ts"));
  });

  it("finds the module by itself, once", async () => {
    const [first, second] = await Promise.all([load(), load()]);
    expect(first).toBe(second);
    expect(await load({ wasmUrl: "file:///nowhere.wasm" })).toBe(first);
  });

  it("takes an address, bytes or a compiled module", async () => {
    const bytes = await readFile(wasm);
    const sources = [{ wasmUrl: wasm }, { wasmUrl: wasm.href }, { wasmBinary: bytes }];
    for (const source of [...sources, { wasmModule: await WebAssembly.compile(bytes) }]) {
      vi.resetModules();
      const api = await import("../../bindings/entry/full.ts");
      expect((await api.load(source)).experiments().length).toBeGreaterThan(0);
    }
  });

  it("names the step that failed, and can be tried again", async () => {
    expect(await step(load({ wasmUrl: "file:///nowhere.wasm" }))).toBe("fetch");
    expect(await step(load({ wasmUrl: "data:application/wasm,nonsense" }))).toBe("compile");
    expect(await step(load({ wasmBinary: new Uint8Array([1, 2, 3]) }))).toBe("compile");
    const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    expect(await step(load({ wasmBinary: empty }))).toBe("instantiate");
    expect((await load()).experiments().length).toBeGreaterThan(0);
  });

  it("reports the server's status", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("", { status: 404 }));
    try {
      expect(await step(load({ wasmUrl: "https://example.org/kernels.wasm" }))).toBe("fetch");
    } finally {
      fetched.mockRestore();
    }
  });
});
