import { beforeAll, describe, expect, it } from "vitest";
import { FormatError, OutOfMemoryError, ShapeError, ValueError, load } from "../../bindings/entry/full.ts";
import type { RandomOptions, Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const normal = (options: RandomOptions, n = 8): number[] =>
  sqrtdk.scope(() => [...sqrtdk.random.randn([n], options).toArray()]);

describe("randn and rand", () => {
  it("depend on seed and stream alone", () => {
    expect(normal({ seed: 7 })).toEqual(normal({ seed: "7", rng: "philox", stream: 0 }));
    expect(normal({ seed: 7 })).toEqual(normal({ seed: 7n }, 100).slice(0, 8));
    expect(normal({ seed: 7 })).not.toEqual(normal({ seed: 8 }));
    expect(normal({ seed: 7 })).not.toEqual(normal({ seed: 7, stream: 1 }));
    expect(normal({ seed: 2n ** 64n - 1n })).not.toEqual(normal({ seed: 2n ** 32n - 1n }));
  });

  it("look standard normal, and uniform", () => {
    const [x, u] = sqrtdk.scope(
      () => [sqrtdk.random.randn([10000]).toArray(), sqrtdk.random.rand([10000]).toArray()] as const,
    );
    const mean = (values: Iterable<number>): number =>
      [...values].reduce((sum, value) => sum + value, 0) / 10000;
    expect(Math.abs(mean(x))).toBeLessThan(0.04);
    expect(Math.abs(mean(x.map((value) => value * value)) - 1)).toBeLessThan(0.06);
    expect(Math.abs(mean(u) - 0.5)).toBeLessThan(0.012);
    expect(u.every((value) => value >= 0 && value < 1)).toBe(true);
  });

  it("give PyTorch's numbers after torch.manual_seed(0)", () => {
    const expected = [1.5409960746765137, -0.293428897857666, -2.1787893772125244];
    expect(normal({ seed: 0, rng: "torch" }, 3)).toEqual(expected);
  });

  it("refuse seeds that are not exact 64-bit integers", () => {
    for (const [seed, code] of [
      [-1, "out_of_range"],
      [2n ** 64n, "out_of_range"],
      [2 ** 53, "out_of_range"],
      [0.5, "not_a_number"],
      [NaN, "not_a_number"],
      ["", "not_a_number"],
      ["0x10", "not_a_number"],
    ] as const) {
      const error = thrown(() => sqrtdk.random.randn([1], { seed }));
      expect(error).toBeInstanceOf(ValueError);
      expect(error).toMatchObject({ code, operator: "randn", argument: "seed", got: String(seed) });
    }
    expect(thrown(() => sqrtdk.random.rand([1], { stream: -1 }))).toMatchObject({ argument: "stream" });
    const rng = "mt" as "torch";
    expect(thrown(() => sqrtdk.random.rand([1], { rng }))).toMatchObject({ code: "not_a_choice", got: "mt" });
    expect(thrown(() => sqrtdk.random.rand([1.5]))).toBeInstanceOf(ShapeError);
  });

  it("run out of memory cleanly", () => {
    const before = normal({ seed: 3 });
    for (const shape of [[2 ** 30], [2 ** 31], [2 ** 40]]) {
      const error = thrown(() => sqrtdk.random.randn(shape));
      expect(error).toBeInstanceOf(OutOfMemoryError);
      expect(error).toMatchObject({
        code: "out_of_memory",
        operator: "randn",
        got: String((shape[0] ?? 0) * 4),
      });
    }
    expect(normal({ seed: 3 })).toEqual(before);
  });
});

describe("readCsv", () => {
  it("reads numbers, headers and comments", () => {
    const { shape, data } = sqrtdk.formats.readCsv("a,b\n1,2 # first\n3,-4e-1\n");
    expect(shape).toEqual([2, 2]);
    expect(data).toEqual(new Float32Array([1, 2, 3, -0.4]));
  });

  it("names what cannot be read", () => {
    for (const text of ["", "1,2\n3", "1,x", "1,NaN"]) {
      const error = thrown(() => sqrtdk.formats.readCsv(text));
      expect(error).toBeInstanceOf(FormatError);
      expect(error).toMatchObject({ operator: "readCsv", argument: "text" });
      expect(error.message).not.toBe("");
    }
  });
});

describe("readNpy", () => {
  const npy = (header: string, data: Uint8Array): Uint8Array => {
    const head = `${header.padEnd(117)}\n`;
    const bytes = new Uint8Array(10 + head.length + data.length);
    bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, head.length, 0]);
    bytes.set(new TextEncoder().encode(head), 10);
    bytes.set(data, 10 + head.length);
    return bytes;
  };
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  const numbers = new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer);

  it("reads what NumPy writes", () => {
    const bytes = npy(header, numbers);
    const expected = { shape: [2, 2], data: new Float32Array([1, 2, 3, 4]) };
    expect(sqrtdk.formats.readNpy(bytes)).toEqual(expected);
    expect(sqrtdk.formats.readNpy(bytes.buffer as ArrayBuffer)).toEqual(expected);
  });

  it("refuses what is cut short, foreign or unsupported", () => {
    for (const [bytes, code] of [
      [npy(header, numbers.slice(0, 15)), "truncated"],
      [npy(header.replace("<f4", ">f4"), numbers), "unsupported"],
      [npy(header.replace("<f4", "<c8"), numbers), "unsupported"],
      [npy(header.replace("<f4", "<\0"), numbers), "unsupported"],
      [new Uint8Array([1, 2, 3]), "unsupported"],
    ] as const) {
      const error = thrown(() => sqrtdk.formats.readNpy(bytes));
      expect(error).toBeInstanceOf(FormatError);
      expect(error).toMatchObject({ operator: "readNpy", argument: "bytes" });
      expect(error.message).toContain("readNpy");
      expect(error.code).toBe(code);
    }
  });
});
