// What the module registers, what TypeScript declares of it, and what crosses between them.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startModule } from "./start_module.ts";
import { thrown } from "./thrown.ts";
import { camelCase } from "../../bindings/api/camel_case.ts";
import { choiceOf } from "../../bindings/api/choice.ts";
import { makeOps } from "../../bindings/api/ops.ts";
import { Border } from "../../bindings/api/raw.ts";
import type { Raw } from "../../bindings/api/raw.ts";
import { makeRunner } from "../../bindings/api/runner.ts";
import { inOrder } from "../../bindings/api/signature.ts";
import * as signatures from "../../bindings/api/signatures.ts";
import { TensorMemory } from "../../bindings/api/tensor.ts";

const operators = Object.values<unknown>(signatures)
  .filter((value): value is string => typeof value === "string" && value !== signatures.attention)
  .map((signature) => signature.split("(", 1)[0]!);

describe("raw functions", () => {
  it("take as many arguments as is declared", async () => {
    const arities: { readonly [Name in keyof Raw]: Parameters<Raw[Name]>["length"] } = {
      answer: 0,
      bytes: 2,
      floats: 2,
      allocate: 1,
      release: 1,
      report_to: 1,
    };
    const raw = (await startModule()) as unknown as Record<string, (...given: unknown[]) => unknown>;
    const found = Object.keys(arities).map((name) => [name, raw[name]!.length]);
    expect(Object.fromEntries(found)).toEqual(arities);
  });

  it("are those and the operators", async () => {
    const raw = (await startModule()) as unknown as Record<string, unknown>;
    expect(operators.length).toBeGreaterThan(80);
    expect(operators.filter((name) => typeof raw[name] !== "function")).toEqual([]);
  });

  it("are all used", () => {
    const folder = new URL("../../bindings/api/", import.meta.url);
    const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
    const used = new Set(
      sources.flatMap((text) => [...text.matchAll(/\boperators\.(\w+)/g)].map((match) => match[1])),
    );
    expect(operators.filter((name) => !used.has(camelCase(name)))).toEqual([]);
  });
});

describe("arguments", () => {
  it("go by name, in whatever order they are given", () => {
    const given = { n: 4, k: 3 };
    expect(inOrder(signatures.packedSize, given)).toEqual([3, 4]);
  });

  it("are known to the compiler", () => {
    const border = undefined as unknown as Border;
    const [x, out, ids] = [
      { pointer: 0, shape: [2] },
      { pointer: 8, shape: [2] },
      { pointer: 0, shape: [1] },
    ];
    const indices = { ...ids, element: "i32" } as const;
    const notCausal = choiceOf("", "", signatures.causalNames, "");
    const mistakes = [
      // @ts-expect-error: an argument is missing
      () => border.call("test", signatures.softmaxForward, { x }),
      // @ts-expect-error: an argument is superfluous
      () => border.call("test", signatures.softmaxForward, { x, out, y: x }),
      // @ts-expect-error: an argument is another operator's
      () => border.call("test", signatures.softmaxBackward, { p: x, dp: x, out }),
      // @ts-expect-error: what may be left out is said to be
      () => border.call("test", signatures.rmsNormForward, { x, epsilon: 1, out, rowRrms: undefined }),
      // @ts-expect-error: what may not be left out is given
      () => border.call("test", signatures.softmaxForward, { x, out: undefined }),
      // @ts-expect-error: a number for a tensor
      () => border.call("test", signatures.softmaxForward, { x: 1, out }),
      // @ts-expect-error: whole numbers for real ones
      () => border.call("test", signatures.softmaxForward, { x: indices, out }),
      // @ts-expect-error: a choice of another kind
      () => border.call("test", signatures.roundTo, { format: notCausal, x, out }),
      // @ts-expect-error: the answer is a number
      (): string => border.call("test", signatures.packedSize, { k: 1, n: 1 }),
    ];
    expect(mistakes.length).toBe(9);
  });

  it.each([
    ["too few", "packed_size(k: number): number", { k: 3 }],
    ["too many", "packed_size(k: number, n: number, m: number): number", { k: 3, n: 4, m: 5 }],
    [
      "a tensor for a number",
      "packed_size(k: f32, n: number): number",
      { k: { pointer: 0, shape: [2] }, n: 4 },
    ],
    ["a number for a tensor", "clear_gradients(layer: f32): void", { layer: { pointer: 0, shape: [] } }],
  ] as const)("are an error of the library where they are %s", async (_, signature, given) => {
    const border = new Border(await startModule());
    const size = (): number => border.call("test", signatures.packedSize, { k: 3, n: 4 });
    expect(size()).toBeGreaterThan(0);
    expect(thrown(() => border.call("test", signature as string, given as never))).toMatchObject({
      name: "SqrtdkError",
      code: "internal",
    });
    expect(size()).toBeGreaterThan(0);
  });

  it("have a bound", async () => {
    const border = new Border(await startModule());
    for (const n of [3000, 1e6]) {
      const fields = Array.from({ length: n }, () => 1);
      const error = thrown(() => border.call("test", signatures.makeLayer, { fields }));
      expect(error).toMatchObject({ name: "ValueError", code: "too_many", operator: "test" });
      expect(error.expected).toBe("at most 2047 numbers");
    }
    const scale = "1".repeat(1e6);
    const long = thrown(() => border.call("test", signatures.trainerMaps, { trainer: 0, example: 0, scale }));
    expect(long).toMatchObject({ name: "ValueError", code: "too_many" });
    expect(border.call("test", signatures.packedSize, { k: 3, n: 4 })).toBeGreaterThan(0);
  });

  it("name choices as C++ lists them", () => {
    const { causalNames, formatNames } = signatures;
    expect(choiceOf("op", "causal", causalNames, undefined)).toBe(0);
    expect(choiceOf("op", "format", formatNames, "bf16")).toBe(2);
    expect(thrown(() => choiceOf("op", "format", formatNames, "f8" as "f16"))).toMatchObject({
      code: "not_a_choice",
      expected: "f32, f16, bf16",
      got: "f8",
    });
  });
});

describe("the module's memory", () => {
  it("does not grow with calls, failed ones included", async () => {
    const border = new Border(await startModule());
    const memory = new TensorMemory(border);
    const { attention } = makeOps(memory);
    const runner = makeRunner(border);
    const q = { data: new Float32Array(64 * 64), shape: [64, 64] };
    const mask = { data: new Uint8Array(64 * 64), shape: [64, 64] };
    const wrong = { data: [1, 1], shape: [1, 2] };
    const once = (): void => {
      memory.scope(() => {
        attention(q, q, q, { mask, bias: q, returnWeights: true });
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
      expect(() => border.call("test", signatures.describeAll, {})).toThrow("out of memory");
      for (const pointer of taken) border.raw.release(pointer);
      expect(runner.run("article_snippet")).toBe(expected);
    }
  });
});
