// Safetensors files: round trips, and every kind of malformed file.
import { beforeAll, describe, expect, it } from "vitest";
import { FormatError, ShapeError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const encoder = new TextEncoder();

/** A file of this header and so many bytes of data. */
function fileOf(header: unknown, dataBytes: number, size?: number): Uint8Array {
  const text = encoder.encode(typeof header === "string" ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + text.length + dataBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(size ?? text.length), true);
  file.set(text, 8);
  return file;
}

const entry = (first: number, end: number, shape: number[], dtype = "F32"): object => ({
  dtype,
  shape,
  data_offsets: [first, end],
});

describe("write_safetensors and read_safetensors", () => {
  it("give back every bit in f32, and the nearest in f16 and bf16", () => {
    sqrtdk.scope(() => {
      const a = sqrtdk.random.randn([3, 5], { seed: 1 });
      const b = { data: [0, -0, Infinity, -Infinity, NaN, 1e-40, 3], shape: [7] };
      const scalar = sqrtdk.tensor([2.5], []);
      const metadata = { format: "pt", 名: '值\n"' };
      for (const dtype of ["f32", "f16", "bf16"] as const) {
        const bytes = sqrtdk.formats.writeSafetensors({ "x.a": a, b, scalar }, { dtype, metadata });
        const read = sqrtdk.formats.readSafetensors(bytes);
        expect(read.metadata).toEqual(metadata);
        expect(Object.keys(read.tensors).sort()).toEqual(["b", "scalar", "x.a"]);
        const expected = (x: Tensor): Float32Array =>
          (dtype === "f32" ? x : sqrtdk.ops.roundTo(dtype, x)).toArray();
        expect(read.tensors["x.a"]!.shape).toEqual([3, 5]);
        expect(read.tensors["x.a"]!.toArray()).toEqual(expected(a));
        expect(read.tensors["b"]!.toArray()).toEqual(expected(sqrtdk.tensor(b.data, b.shape)));
        expect(read.tensors["scalar"]!.shape).toEqual([]);
        expect(sqrtdk.formats.writeSafetensors({ scalar, b, "x.a": a }, { dtype, metadata })).toEqual(bytes);
      }
      const empty = sqrtdk.formats.readSafetensors(sqrtdk.formats.writeSafetensors({}));
      expect([empty.tensors, empty.metadata]).toEqual([{}, {}]);
    });
  });

  it("return tensors that a scope keeps", () => {
    const bytes = sqrtdk.formats.writeSafetensors({ a: { data: [1, 2], shape: [2] } });
    const { tensors } = sqrtdk.scope(() => sqrtdk.formats.readSafetensors(bytes));
    expect([...tensors["a"]!.toArray()]).toEqual([1, 2]);
    tensors["a"]!.dispose();
    sqrtdk.scope(() => sqrtdk.formats.readSafetensors(bytes).tensors["a"]);
  });

  it("refuse names that no file can have", () => {
    const one = { data: [1], shape: [1] };
    expect(thrown(() => sqrtdk.formats.writeSafetensors({ __metadata__: one }))).toBeInstanceOf(ValueError);
    expect(thrown(() => sqrtdk.formats.writeSafetensors({ "a\0b": one }))).toBeInstanceOf(ValueError);
    expect(thrown(() => sqrtdk.formats.writeSafetensors({ a: { data: [1], shape: [2] } }))).toBeInstanceOf(
      ShapeError,
    );
    expect(
      thrown(() => sqrtdk.formats.writeSafetensors({ a: one }, { dtype: "f64" as "f32" })),
    ).toMatchObject({
      code: "not_a_choice",
      argument: "dtype",
    });
  });
});

describe("malformed files", () => {
  const good = { a: entry(0, 8, [2]), b: entry(8, 16, [2]) };
  it.each([
    ["empty", new Uint8Array(0), ""],
    ["a header length alone", new Uint8Array(8), ""],
    ["a header beyond the file", fileOf(good, 16, 1000), ""],
    ["a header of 2^63 bytes", fileOf(good, 16, 2 ** 53), ""],
    ["no JSON", fileOf("{oops", 0), ""],
    ["truncated", fileOf(good, 12), "b"],
    ["bytes after the last tensor", fileOf(good, 20), ""],
    ["overlapping", fileOf({ a: entry(0, 8, [2]), b: entry(4, 12, [2]) }, 12), "b"],
    ["a gap", fileOf({ a: entry(0, 8, [2]), b: entry(12, 20, [2]) }, 20), "b"],
    ["a size that is not the shape's", fileOf({ a: entry(0, 12, [2]) }, 12), "a"],
    ["oversized", fileOf({ a: entry(0, 8, [2 ** 40, 2 ** 40]) }, 8), "a"],
    ["negative", fileOf({ a: entry(0, 8, [-2]) }, 8), "a"],
    ["an unknown dtype", fileOf({ a: entry(0, 16, [2], "F64") }, 16), "a"],
    [
      "a duplicate name",
      fileOf(
        '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
        8,
      ),
      "a",
    ],
    ["seven dimensions", fileOf({ a: entry(0, 4, [1, 1, 1, 1, 1, 1, 1]) }, 4), "a"],
    ["a name with U+0000", fileOf({ "a\0b": entry(0, 4, [1]) }, 4), "a"],
  ])("%s: a FormatError, and nothing is loaded", (_, bytes, tensor) => {
    const error = thrown(() => sqrtdk.formats.readSafetensors(bytes));
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain(tensor);
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.Linear({ nIn: 2, nOut: 1 });
      const before = layer.stateDict();
      expect(thrown(() => layer.load(bytes))).toBeInstanceOf(FormatError);
      expect(layer.stateDict()).toEqual(before);
    });
  });
});

describe("save and load", () => {
  it("carry a layer over, in each dtype", () => {
    sqrtdk.scope(() => {
      const config = { dModel: 8, nHeads: 2, dFf: 12 };
      const [a, b] = [
        new sqrtdk.nn.EncoderLayer({ ...config, seed: 1 }),
        new sqrtdk.nn.EncoderLayer({ ...config, seed: 2 }),
      ];
      const x = sqrtdk.random.randn([1, 3, 8]);
      expect(b.load(a.save())).toEqual({ missingKeys: [], unexpectedKeys: [] });
      expect(b.forward(x).toArray()).toEqual(a.forward(x).toArray());
      const sizes = (["f32", "f16", "bf16"] as const).map((dtype) => {
        const bytes = a.save({ dtype, metadata: { dtype } });
        b.load(bytes);
        b.forward(x)
          .toArray()
          .forEach((value, i) => expect(Math.abs(value - a.forward(x).toArray()[i]!)).toBeLessThan(0.1));
        expect(sqrtdk.formats.readSafetensors(bytes).metadata).toEqual({ dtype });
        return bytes.length;
      });
      expect(sizes[0]! - sizes[1]!).toBeGreaterThan(2 * 500);
      const other = new sqrtdk.nn.Linear({ nIn: 1, nOut: 1 });
      expect(thrown(() => other.load(a.save()))).toBeInstanceOf(FormatError);
      expect(other.load(a.save(), { strict: false }).missingKeys).toEqual(["weight", "bias"]);
    });
  });
});
