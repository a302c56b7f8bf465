// Where a module comes from, and what is said where it does not come.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { compilerFor } from "../../bindings/api/wasm_source.ts";
import { LoadError, ValueError, load } from "../../bindings/entry/full.ts";
import type { LoadOptions } from "../../bindings/entry/full.ts";
import { serve } from "../../scripts/lib/serve.mjs";
import type { Answer } from "../../scripts/lib/serve.mjs";

const wasm = new URL("../../build/wasm/full.wasm", import.meta.url);

async function failure(promise: Promise<unknown>): Promise<LoadError> {
  const error: unknown = await promise.then(
    () => expect.unreachable("it loaded"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LoadError);
  return error as LoadError;
}

const asked: string[] = [];
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  const bytes = await readFile(wasm);
  const answers: Record<string, Answer> = {
    "/right.wasm": { type: "application/wasm", body: bytes },
    "/bytes": { type: "application/octet-stream", body: bytes },
    "/page": { type: "text/html; charset=utf-8", body: "<!doctype html><title>Not found</title>" },
    "/cut.wasm": { type: "application/wasm", body: bytes.subarray(0, 1000) },
    "/zip.wasm": { type: "application/wasm", body: Buffer.from([0x50, 0x4b, 3, 4, 0, 0]) },
    "/empty": { type: "application/wasm", body: "" },
  };
  const options = { root: "build/none", answer: (path: string) => answers[path] };
  server = await serve({ ...options, onRequest: (path) => asked.push(path) });
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());
const at = (path: string): string => new URL(path, server.url).href;

describe("load", () => {
  it("gives an instance of its own at each call", async () => {
    const [first, second] = await Promise.all([load(), load()]);
    expect(first).not.toBe(second);
    first.dispose();
    expect(second.random.randn([2]).shape).toEqual([2]);
    second.dispose();
  });

  it("takes an address, a path, a response, a promise of one, bytes or a compiled module", async () => {
    const bytes = await readFile(wasm);
    const sources: NonNullable<LoadOptions["wasm"]>[] = [
      ...[wasm, wasm.href, fileURLToPath(wasm), at("right.wasm"), new URL(at("bytes"))],
      ...[await fetch(at("right.wasm")), fetch(at("bytes"))],
      ...[new Uint8Array(bytes), new Uint8Array(bytes).buffer, await WebAssembly.compile(bytes)],
    ];
    for (const source of sources) {
      const sqrtdk = await load({ wasm: source });
      expect(sqrtdk.experiments.list().length).toBeGreaterThan(0);
      sqrtdk.dispose();
    }
  });

  it("compiles each source once", async () => {
    const compiled = [vi.spyOn(WebAssembly, "compile"), vi.spyOn(WebAssembly, "compileStreaming")];
    const count = (): number => compiled.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    const response = await fetch(at("bytes"));
    const bytes = new Uint8Array(await readFile(wasm));
    for (const source of [`${at("right.wasm")}?once`, response, bytes]) {
      const before = count();
      await Promise.all([load({ wasm: source }), load({ wasm: source })]);
      await load({ wasm: source });
      expect(count() - before).toBe(1);
    }
    expect(asked.filter((path) => path === "/right.wasm").length).toBeLessThan(4);
  });

  it("compiles while the file comes where its type allows that, or else its bytes", async () => {
    const streaming = vi.spyOn(WebAssembly, "compileStreaming");
    await load({ wasm: `${at("right.wasm")}?streaming` });
    expect(streaming).toHaveBeenCalledTimes(1);
    await load({ wasm: `${at("bytes")}?streaming` });
    expect(streaming).toHaveBeenCalledTimes(1);
    streaming.mockRejectedValueOnce(new TypeError("of a mood"));
    await load({ wasm: `${at("right.wasm")}?again` });
  });

  it("refuses other options, and other sources", async () => {
    for (const [options, argument] of [
      [{ wasmURL: wasm }, "wasmURL"],
      [{ wsam: wasm }, "; did you mean wasm?"],
      [{ wasm: 5 }, "wasm"],
      [{ wasm: null }, "wasm"],
      [{ worker: 1 }, "worker"],
      [{ worker: null }, "worker"],
      [{ worker: { adress: "" } }, "adress"],
      [5, "options"],
    ] as const) {
      const error = await load(options as never).catch((reason: unknown) => reason as ValueError);
      expect(error).toBeInstanceOf(ValueError);
      expect(error).toMatchObject({ operator: "load" });
      expect((error as ValueError).message).toContain(argument);
    }
  });
});

describe("what cannot be loaded", () => {
  const tell = (wasm: LoadOptions["wasm"]): Promise<LoadError> => failure(load({ wasm }));

  it("is named with its address, its step, its reason and what to do", async () => {
    for (const [path, step, reason, text] of [
      ["missing.wasm", "fetch", "http", "the server answered 404 Not Found"],
      [
        "page",
        "compile",
        "not_wasm",
        'what came as text/html; charset=utf-8 is no WebAssembly, but begins with "<!doctype',
      ],
      ["zip.wasm", "compile", "not_wasm", "begins with bytes 50 4b 03 04"],
      ["empty", "compile", "not_wasm", "begins with nothing"],
    ] as const) {
      const error = await tell(at(path));
      expect(error).toMatchObject({
        name: "LoadError",
        code: "load_failed",
        step,
        reason,
        address: at(path),
      });
      expect(error.message).toContain(`load: could not ${step} the WebAssembly file ${at(path)}: `);
      expect(error.message).toContain(text);
      expect(error.message).toMatch(/\. .*Pass load\(\{ wasm \}\)/);
    }
    expect(await tell("file:///nowhere.wasm")).toMatchObject({ step: "fetch", reason: "network" });
    expect(await tell("http://127.0.0.1:1/x.wasm")).toMatchObject({ step: "fetch", reason: "network" });
    expect(await tell(at("cut.wasm"))).toMatchObject({
      step: "compile",
      reason: "unknown",
      address: at("cut.wasm"),
    });
    expect(await tell(Promise.reject(new TypeError("no net")))).toMatchObject({ step: "fetch", address: "" });
    const missing = await fetch(at("missing.wasm"));
    expect(await tell(missing)).toMatchObject({ reason: "http", address: at("missing.wasm") });
    const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    expect(await tell(empty)).toMatchObject({ step: "instantiate", reason: "unknown" });
    expect((await tell(new Uint8Array([1, 2, 3]))).step).toBe("compile");
  });

  it("may be tried again", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValueOnce(new TypeError("offline"));
    const address = `${at("right.wasm")}?again-and-again`;
    expect(await tell(address)).toMatchObject({ reason: "network" });
    fetched.mockRestore();
    expect((await load({ wasm: address })).experiments.list().length).toBeGreaterThan(0);
  });

  it("is told by what engines say of policies and memory, and by what they cannot do", async () => {
    const said = {
      csp: [
        "WebAssembly.compile(): Refused to compile or instantiate WebAssembly module because neither 'wasm-eval' nor 'unsafe-eval' is an allowed source of script in the following Content Security Policy directive",
        "call to WebAssembly.compile() blocked by CSP",
      ],
      memory: ["WebAssembly.compile(): Out of memory: Cannot allocate Wasm memory for new instance"],
    };
    for (const [reason, messages] of Object.entries(said)) {
      for (const message of messages) {
        vi.spyOn(WebAssembly, "compile").mockRejectedValueOnce(new WebAssembly.CompileError(message));
        expect(await tell(new Uint8Array(await readFile(wasm)))).toMatchObject({ step: "compile", reason });
      }
    }
    vi.spyOn(WebAssembly, "compile").mockRejectedValueOnce(
      new WebAssembly.CompileError("invalid value type"),
    );
    vi.spyOn(WebAssembly, "validate").mockReturnValueOnce(false);
    const old = await tell(new Uint8Array(await readFile(wasm)));
    expect(old).toMatchObject({ step: "compile", reason: "no_simd" });
    expect(old.message).toContain("Safari 16.4");
  });

  it("is the file beside a script that has no place", async () => {
    for (const base of ["blob:https://example.org/0a1b", "data:text/javascript,1", undefined]) {
      const error = await failure(compilerFor(() => new URL("./full.wasm", base))(undefined));
      expect(error).toMatchObject({ step: "fetch", reason: "no_base" });
      expect(error.message).toContain("sqrtdk/single");
    }
  });
});
