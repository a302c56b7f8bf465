// What scripts/bench --decode makes of its measurements, and the table of README.md.
import { describe, expect, test } from "vitest";

interface Sizes {
  d_model: number;
  n_layers: number;
  vocab: number;
  [name: string]: number;
}
interface Costs {
  whole: number;
  parts: [string, number][];
}
const module = <T>(file: string) => import(new URL(file, import.meta.url).href) as Promise<T>;
const { sizesOf, syntheticModel } = await module<{
  sizesOf: (bytes: Uint8Array) => Sizes;
  syntheticModel: (sizes?: object) => Uint8Array;
}>("llama2c.mjs");
const { costsOf, decodingReport } = await module<{
  costsOf: (rows: { variant: string; ms: number; min?: number; disturbed?: boolean }[], n: number) => Costs;
  decodingReport: (result: object, markdown?: boolean) => string;
}>("decoding.mjs");
type Table = (result: { rows: object[] }) => string;
const { readmeTable, readmeTableOfTwo } = await module<{ readmeTable: Table; readmeTableOfTwo: Table }>(
  "readme.mjs",
);

test("the synthetic model has the size and the shapes of stories260K.bin", () => {
  const bytes = syntheticModel();
  expect(bytes).toHaveLength(1_056_540);
  expect(sizesOf(bytes)).toMatchObject({ d_model: 64, n_layers: 5, vocab: 512 });
  expect(sizesOf(syntheticModel({ d_model: 2, n_heads: 1, n_kv_heads: 1 })).d_model).toBe(2);
  const again = new Float32Array(bytes.buffer, 28);
  expect(again.every((weight) => Math.abs(weight) <= 0.25)).toBe(true);
});

test("sizes from anywhere in a buffer; no file at all; an output layer of its own", () => {
  const bytes = syntheticModel();
  const moved = new Uint8Array(bytes.length + 3);
  moved.set(bytes, 3);
  expect(sizesOf(moved.subarray(3))).toEqual(sizesOf(bytes));
  expect(() => sizesOf(new Uint8Array(27))).toThrow("too short");
  expect(() => sizesOf(bytes.subarray(0, -1))).toThrow("1056539 bytes do not fit");
  const untied = new Uint8Array(bytes.length + 4 * 512 * 64);
  untied.set(bytes);
  new Int32Array(untied.buffer, 20, 1)[0] = -512;
  expect(sizesOf(untied).vocab).toBe(512);
});

const rows = [
  { variant: "token", ms: 12.8 },
  { variant: "token, smallest", ms: 2.56 },
  { variant: "norms", ms: 0.03 },
  { variant: "norms, smallest", ms: 0.02 },
  { variant: "logits", ms: 0.001 },
  { variant: "logits, smallest", ms: 0.002 },
  { variant: "token, bf16", ms: 6.4 },
];

test("costs: what small operands cost is calls, not work; noise below zero is zero; the rest is the rest", () => {
  const { whole, parts } = costsOf(rows, 256);
  expect(whole).toBeCloseTo(50, 12);
  expect(parts.map(([name]) => name)).toEqual(["norms", "logits", "calls", "rest"]);
  [10, 0, 10, 30].forEach((cost, i) => expect(parts[i]![1]).toBeCloseTo(cost, 12));
  const disturbed = rows.map((row) => ({ ...row, ms: 2 * row.ms, min: row.ms, disturbed: true }));
  expect(costsOf(disturbed, 256)).toEqual({ whole, parts });
});

test("the report: tokens per second, every operator, shares of the whole", () => {
  const sizes = sizesOf(syntheticModel());
  const versions = { sqrtdk: "sqrtdk 1" };
  const said = { browser: "B", cpu: "C", date: "D", name: "N", versions, sizes, tokens: 256, rows };
  const text = decodingReport({ ...said, costs: costsOf(rows, 256) }, true);
  for (const part of [
    "20000 tokens per second, with bf16 weights 40000",
    "norms",
    "20 %",
    "rest",
    "60 %",
    "d_model 64",
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("disturbed");
});

describe("the README's tables", () => {
  const row = (workload: string, library: string, variant: string, ms: number) => ({
    ...{ workload, library, variant, ms, min: ms, absolute: 1e-7, relative: 1e-7, disturbed: false },
  });
  const cellsOf = (rows: object[], table = readmeTable): string[] => {
    const lines = table({ rows }).split("\n");
    expect(lines).toHaveLength(3);
    return lines[2]!.split("|").map((cell) => cell.trim());
  };

  test("has ours beside the best; nothing of what was not measured for us", () => {
    const cells = cellsOf([
      row("encoder 2x10", "sqrtdk", "fresh", 2),
      row("encoder 2x10", "sqrtdk", "reused", 1.5),
      row("encoder 2x10", "litert", "plain", 2.5),
      row("encoder 2x10", "tfjs", "plain", 3),
      row("train char", "jax", "plain", 40),
      row("attention 1x512x64", "sqrtdk", "fresh", 1),
    ]);
    expect(cells).toEqual(["", "encoder 2×10", "2.00", "", "2.50 (LiteRT.js)", "0.80", "0.60", ""]);
  });

  test("of two threads, where they were measured: beside one, and beside the best other that is right", () => {
    const rows = [
      row("encoder 2x10", "sqrtdk", "fresh", 2.5),
      row("encoder 2x10", "sqrtdk", "reused", 2),
      row("encoder 2x10", "sqrtdk x2", "fresh", 1.25),
      row("encoder 2x10", "sqrtdk x2", "reused", 1),
      row("encoder 2x10", "litert", "plain", 2.5),
      row("encoder 2x10", "litert x2", "plain", 1.5),
      { ...row("encoder 2x10", "onnxruntime x2", "plain", 0.5), relative: 0.1 },
      row("encoder 1x128", "sqrtdk", "fresh", 20),
      row("attention 1x512x64", "sqrtdk x2", "fresh", 1),
    ];
    const cells = ["", "encoder 2×10", "2.00", "1.00", "2.00", "1.50 (LiteRT.js)", "0.67", ""];
    expect(cellsOf(rows, readmeTableOfTwo)).toEqual(cells);
  });
});
