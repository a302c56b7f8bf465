// The three lists of raw functions agree: registered in C++, declared in TypeScript, used by the API.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startModule } from "./start_module.ts";
import { Border } from "../../bindings/api/raw.ts";
import { TensorMemory } from "../../bindings/api/tensor.ts";
import { makeKernels } from "../../bindings/api/kernels.ts";
import { makeRunner } from "../../bindings/api/runner.ts";

const folder = new URL("../../bindings/", import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
const read = (file: string): string => readFileSync(new URL(file, folder), "utf8");
const names = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].sort();

const registered = [
  ...["bindings", "model_operators"].flatMap((file) =>
    names(read(`embind/${file}.cpp`), /function\("(\w+)"/g),
  ),
  ...files
    .filter((file) => file.endsWith("_operators.cpp"))
    .flatMap((file) => names(read(file), /\{"(\w+)", &call/g)),
].sort();

describe("raw functions", () => {
  it("are declared as they are registered", () => {
    const text = read("api/raw.ts");
    const functions = /export interface Raw [^]*?\n\}/.exec(text)?.[0] ?? "";
    const operators = /export type Operator =[^]*?;/.exec(text)?.[0] ?? "";
    const declared = [...names(functions, /^ {2}(\w+)\(/gm), ...names(operators, /"(\w+)"/g)];
    expect(declared.sort()).toEqual(registered);
  });

  it("are all used", () => {
    const sources = files.filter((file) => file.endsWith(".ts"));
    const direct = sources.flatMap((file) => names(read(file), /\b(?:raw\.|this\.call\(")(\w+)/g));
    const named = sources
      .filter((file) => file !== "api/raw.ts")
      .flatMap((file) => names(read(file), /"(\w+)"/g));
    const used = new Set([...direct, ...named]);
    expect(registered.filter((name) => !used.has(name))).toEqual([]);
  });

  it("exist in the module", async () => {
    const raw = (await startModule()) as unknown as Record<string, unknown>;
    expect(registered.filter((name) => typeof raw[name] !== "function")).toEqual([]);
  });
});

describe("arguments", () => {
  const tensor = { pointer: 0, shape: [2, 3] };

  it.each([
    ["too few", [3]],
    ["too many", [3, 4, 5]],
    ["a tensor for a number", [tensor, 4]],
    ["a number for a tensor, at the end", [3, tensor]],
  ])("are an error of the library where they are %s", async (_, given) => {
    const border = new Border(await startModule());
    expect(border.callForNumber("packed_size", 3, 4)).toBeGreaterThan(0);
    expect(() => border.call("packed_size", ...given)).toThrow(
      expect.objectContaining({ name: "SqrtdkError", code: "internal" }),
    );
    expect(border.callForNumber("packed_size", 3, 4)).toBeGreaterThan(0);
  });

  it("end where their memory ends", async () => {
    const border = new Border(await startModule());
    const many = Array.from({ length: 200 }, () => 1);
    expect(() => border.call("packed_size", ...many)).toThrow(RangeError);
  });

  it("name choices as C++ lists them", async () => {
    const border = new Border(await startModule());
    expect(border.choice("op", "causal", "causal", undefined)).toBe(0);
    expect(border.choice("op", "format", "format", "bf16")).toBe(2);
    expect(() => border.choice("op", "format", "format", "f8")).toThrow(
      expect.objectContaining({ code: "not_a_choice", expected: "f32, f16, bf16", got: "f8" }),
    );
  });
});

describe("the module's memory", () => {
  it("does not grow with calls, failed ones included", async () => {
    const border = new Border(await startModule());
    const memory = new TensorMemory(border);
    const { attention } = makeKernels(memory);
    const runner = makeRunner(border);
    const q = { data: new Float32Array(64 * 64), shape: [64, 64] };
    const mask = { data: new Uint8Array(64 * 64), shape: [64, 64] };
    const wrong = { data: [1, 1], shape: [1, 2] };
    const once = (): void => {
      memory.scope(() => {
        attention(q, q, q, { mask, bias: q, return_weights: true });
      });
      expect(() => attention(q, q, q, { mask, bias: wrong })).toThrow();
      expect(() => attention(wrong, q, q)).toThrow();
      expect(() => runner.run("score_variance\0d\x000")).toThrow();
      expect(() => runner.run("score_variance", { onProgress: () => false })).toThrow();
      runner.run("article_snippet");
    };
    const size = (): number => border.raw.bytes(0, 1).buffer.byteLength;
    for (let i = 0; i < 3; ++i) once();
    const before = size();
    for (let i = 0; i < 300; ++i) once();
    expect(size()).toBe(before);
  });

  it("may run out, and is then given back whole", async () => {
    const border = new Border(await startModule());
    const memory = new TensorMemory(border);
    const runner = makeRunner(border);
    const expected = runner.run("article_snippet");
    for (let round = 0; round < 2; ++round) {
      const taken: number[] = [];
      for (let bytes = 2 ** 28; bytes >= 16; bytes /= 2) {
        for (;;) {
          const pointer = border.raw.allocate(bytes);
          if (pointer === 0) break;
          taken.push(pointer);
        }
      }
      expect(() => memory.empty("test", [1000])).toThrow("out of memory");
      expect(() => runner.run("article_snippet")).toThrow("out of memory");
      expect(() => border.answer(border.raw.describe_all())).toThrow("out of memory");
      for (const pointer of taken) border.raw.release(pointer);
      expect(runner.run("article_snippet")).toBe(expected);
    }
  });
});
