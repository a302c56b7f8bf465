// What any caller may give: parameters keep their meaning as texts, arguments and options are computed with or refused by
// a typed error, and what crosses to a worker and back is what was sent.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SqrtdkError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk } from "../../bindings/entry/full.ts";
import { base64, float32Text, paramText, requestText, seed64 } from "../../bindings/api/params.ts";
import { buffersIn, replaced } from "../../bindings/worker/crossing.ts";
import { errorOf, failureOf } from "../../bindings/worker/failure.ts";
import { anything } from "./anything.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const float = fc.float({ noNaN: true, noDefaultInfinity: true });

describe("parameters", () => {
  it("of numbers are read as the same float32", () => {
    fc.assert(
      fc.property(float, (value) => {
        const text = float32Text(value);
        expect(Object.is(Math.fround(Number(text)), value)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it("of a matrix are read as its numbers", () => {
    const matrix = fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
      .chain(([rows, columns]) =>
        fc.tuple(
          fc.constant([rows, columns]),
          fc.array(float, { minLength: rows * columns, maxLength: rows * columns }),
        ),
      );
    fc.assert(
      fc.property(matrix, ([shape, numbers]) => {
        const data = new Float32Array(numbers);
        const read = sqrtdk.formats.readCsv(paramText("op", "q", { data, shape }));
        expect(read.shape).toEqual(shape);
        expect(read.data).toEqual(data);
      }),
      { numRuns: 500 },
    );
  });

  it("of seeds keep 64 bits, as number, bigint or text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (seed) => {
        expect(seed64("op", seed)).toBe(seed);
        expect(seed64("op", ` ${seed} `)).toBe(seed);
        if (seed <= BigInt(Number.MAX_SAFE_INTEGER)) expect(seed64("op", Number(seed))).toBe(seed);
        expect(() => seed64("op", seed + 2n ** 64n)).toThrow(SqrtdkError);
      }),
    );
  });

  it("of bytes are their Base64, and cannot be split by what a text holds", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.string({ unit: "binary" }), (bytes, text) => {
        expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
        expect(requestText("id", { a: text, b: bytes }).split("\0")).toHaveLength(5);
      }),
    );
  });

  it("of any kind run an experiment or are refused by an error that names it", () => {
    const value = fc.oneof(
      anything,
      fc.integer({ min: -2, max: 9 }),
      fc.constantFrom("none", "1/d", "8,16", ";"),
    );
    const names = fc.constantFrom("d", "n_keys", "scale", "seed", "q", "k", "rng", "draws", "nothing");
    fc.assert(
      fc.property(fc.dictionary(names, value, { maxKeys: 3 }), (params) => {
        try {
          sqrtdk.experiments.get("article_snippet").run({ d: 4, n_keys: 2, ...params });
        } catch (error) {
          expect(error).toBeInstanceOf(SqrtdkError);
          expect(error).toMatchObject({ operator: "article_snippet" });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("operators", () => {
  const shape = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 });
  const tensor = shape.map((dims) => ({
    data: new Float32Array(dims.reduce((a, b) => a * b, 1)).fill(0.5),
    shape: dims,
  }));
  const operand = fc.oneof({ weight: 6, arbitrary: tensor }, { weight: 1, arbitrary: anything });
  const option = fc.oneof(
    tensor,
    fc.boolean(),
    fc.float(),
    fc.constantFrom("top_left", "bottom_right", "none", "1/d"),
    anything,
  );
  const optionNames = fc.constantFrom(
    "scale",
    "softcap",
    "causal",
    "mask",
    "bias",
    "lengths",
    "nPast",
    "returnWeights",
    "out",
    "x",
  );
  const options = fc.oneof(
    { weight: 6, arbitrary: fc.dictionary(optionNames, option, { maxKeys: 3 }) },
    { weight: 1, arbitrary: anything },
  );

  it("compute with any operands and options, or refuse them; afterwards the module computes the same bits", () => {
    const golden = (): Float32Array =>
      sqrtdk.scope(() => {
        const x = sqrtdk.random.randn([2, 3, 4]);
        return sqrtdk.ops.attention(x, x, x, { causal: "top_left" }).toArray();
      });
    const before = golden();
    const used = sqrtdk.memory().used;
    fc.assert(
      fc.property(operand, operand, operand, options, (a, b, c, given) => {
        const calls: readonly (() => unknown)[] = [
          () => sqrtdk.ops.attention(a as never, b as never, c as never, given as never),
          () => sqrtdk.ops.matmul(a as never, b as never, given as never),
          () => sqrtdk.ops.softmax(a as never, given as never),
          () => sqrtdk.ops.add(a as never, b as never),
          () => sqrtdk.ops.layerNorm(a as never, given as never),
        ];
        for (const call of calls) {
          sqrtdk.scope(() => {
            try {
              call();
            } catch (error) {
              expect(error).toBeInstanceOf(SqrtdkError);
              expect((error as SqrtdkError).code).not.toBe("internal");
            }
          });
        }
      }),
      { numRuns: 1500 },
    );
    expect(golden()).toEqual(before);
    expect(sqrtdk.memory().used).toBeLessThanOrEqual(used);
  });

  it("make layers of any config, or refuse it", () => {
    const size = fc.oneof(fc.integer({ min: -1, max: 8 }), anything);
    const names = fc.constantFrom(
      "dModel",
      "nHeads",
      "dFf",
      "nKvHeads",
      "dropout",
      "normFirst",
      "scale",
      "norm",
      "init",
      "seed",
      "x",
    );
    fc.assert(
      fc.property(fc.dictionary(names, size, { maxKeys: 4 }), (config) => {
        sqrtdk.scope(() => {
          try {
            new sqrtdk.nn.EncoderLayer({ dModel: 4, nHeads: 2, dFf: 4, ...config });
          } catch (error) {
            expect(error).toBeInstanceOf(SqrtdkError);
            expect((error as SqrtdkError).code).not.toBe("internal");
          }
        });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("what crosses to a worker", () => {
  it("is replaced where it has to be and nowhere else", () => {
    const value = fc.anything({ withTypedArray: true, withMap: true, withNullPrototype: true });
    fc.assert(
      fc.property(value, (sent) => {
        expect(replaced(sent, () => undefined)).toEqual(sent);
        const buffers = buffersIn(sent);
        expect(new Set(buffers).size).toBe(buffers.length);
      }),
      { numRuns: 1000 },
    );
  });

  it("is of an error its class and its fields", () => {
    const text = fc.string({ unit: "binary" });
    const type = fc.constantFrom("ValueError", "ShapeError", "FormatError", "OutOfMemory");
    fc.assert(
      fc.property(type, text, text, text, text, text, (name, operator, argument, expected, got, message) => {
        const failure = {
          type: name,
          fields: { code: "out_of_range", operator, argument, expected, got },
          message,
        } as const;
        const there = errorOf(structuredClone(failureOf(errorOf(failure))));
        expect(there).toBeInstanceOf(SqrtdkError);
        expect(there).toMatchObject({ ...failure.fields, message, name: errorOf(failure).name });
      }),
    );
  });
});
