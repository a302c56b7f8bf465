// The parts of scripts/bench that need no browser.
import { expect, test } from "vitest";

interface Workload {
  id: string;
  kind: string;
  flops?: number;
  elements?: number;
  goals?: Record<string, unknown>;
  inputs: { name: string; shape: number[]; scale: number; offset: number }[];
  [dimension: string]: unknown;
}
interface Row {
  workload: string;
  library: string;
  variant: string;
  ms?: number;
  absolute?: number;
  relative?: number;
  failed?: string;
  disturbed?: boolean;
  min?: number;
  samples?: number;
}
interface Result {
  cpu?: string;
  rows: Row[];
  memory: { workload: string; before: number; after: number }[];
}
type Inputs = Record<string, { data: Float32Array; shape: number[] }>;

const module = <T>(file: string) => import(new URL(file, import.meta.url).href) as Promise<T>;
const { workloads, find } = await module<{
  workloads: Workload[];
  find: (id: string) => Workload;
}>("workloads.mjs");
const { inputsOf } = await module<{ inputsOf: (workload: Workload) => Inputs }>("inputs.mjs");
const { referenceOf, erfc } = await module<{
  referenceOf: (workload: Workload) => { values: Float64Array; width: number; step: number };
  erfc: (x: number) => number;
}>("reference.mjs");
const { integer, bytes } = await module<{
  integer: (field: number, value: number) => number[];
  bytes: (field: number, value: string) => Uint8Array;
}>("graphs/protobuf.mjs");
const { onnxGraph } = await module<{
  onnxGraph: (workload: Workload, inputs: Inputs, variant: string) => Uint8Array;
}>("graphs/onnx.mjs");
const { exponentOf, figuresOf } = await module<{
  exponentOf: (points: [number, number][]) => number;
  figuresOf: (workload: Workload, rows: Row[]) => { share: number; best: Row; ratio: Record<string, number> };
}>("figures.mjs");
const { judge } = await module<{
  judge: (chosen: Workload[], result: Result) => { goal: string; met: boolean }[];
}>("check.mjs");
const { report } = await module<{ report: (result: object, markdown?: boolean) => string }>("report.mjs");
const { leastOf, merged } = await module<{
  leastOf: (result: Result) => Result;
  merged: (results: Result[]) => Result;
}>("merged.mjs");
const peak = await module<{
  flopsPerRun: number;
  create: () => Promise<{ prepare: () => { run: () => Float32Array } }>;
}>("adapters/peak.mjs");

test("the table: one name each, work to count, inputs, goals that the check knows", () => {
  expect(new Set(workloads.map(({ id }) => id)).size).toBe(workloads.length);
  for (const { id, flops, elements, inputs, goals = {} } of workloads) {
    expect(flops ?? elements, id).toBeGreaterThan(0);
    expect(inputs.length, id).toBeGreaterThan(0);
    for (const goal of Object.keys(goals))
      expect(["fresh", "reused", "peak", "error", "memory"]).toContain(goal);
  }
});

test("inputs are the same everywhere and fill their range", () => {
  const { x, gain } = inputsOf(find("layer_norm 512x512"));
  expect(x!.shape).toEqual([512, 512]);
  expect([...x!.data.slice(0, 2)]).toEqual([...inputsOf(find("layer_norm 512x512")).x!.data.slice(0, 2)]);
  expect(Math.min(...gain!.data)).toBeGreaterThanOrEqual(Math.fround(0.9));
  expect(Math.max(...gain!.data)).toBeLessThan(1.1);
  const mean = x!.data.reduce((sum, value) => sum + value, 0) / x!.data.length;
  expect(Math.abs(mean)).toBeLessThan(0.01);
});

test("erfc to double precision", () => {
  const values = [
    [0.5, 0.4795001221869535],
    [2, 0.004677734981047266],
    [3, 2.209049699858544e-5],
    [-1, 1.8427007929497148],
  ] as const;
  for (const [x, expected] of values) expect(erfc(x) / expected - 1).toBeCloseTo(0, 14);
});

const tiny = (kind: string, more: object = {}): Workload => ({
  id: "tiny",
  kind,
  ...{ heads: 2, n_q: 3, n_k: 3, d: 4, causal: false },
  inputs: ["q", "k", "v", "dout"].map((name) => ({ name, shape: [2, 3, 4], scale: 1, offset: 0 })),
  ...more,
});

test("the reference of a causal query is that of its past alone; constant values come out as they are", () => {
  const causal = referenceOf(tiny("attention", { causal: true })).values;
  const { v } = inputsOf(tiny("attention"));
  [0, 1, 2, 3].forEach((c) => expect(causal[c]).toBeCloseTo(v!.data[c]!, 12));
  const ones = tiny("attention", {
    inputs: tiny("attention").inputs.map((input) =>
      input.name === "v" ? { ...input, scale: 0, offset: 1 } : input,
    ),
  });
  for (const value of referenceOf(ones).values) expect(value).toBeCloseTo(1, 12);
});

test("the reference's gradients: the output moves with each input as they say", () => {
  const workload = tiny("attention_backward");
  const { values } = referenceOf(workload);
  const inputs = inputsOf(workload);
  // x scaled by 1 + h moves the output's product with dout by h sum(dx * x).
  const product = (scaled: string, h: number) => {
    const inputsThere = workload.inputs.map((input) =>
      input.name === scaled ? { ...input, scale: 1 + h } : input,
    );
    const out = referenceOf({ ...workload, kind: "attention", inputs: inputsThere }).values;
    return out.reduce((sum, value, i) => sum + value * inputs.dout!.data[i]!, 0);
  };
  ["q", "k", "v"].forEach((name, at) => {
    const { data } = inputs[name]!;
    const expected = data.reduce((sum, value, i) => sum + value * values[at * data.length + i]!, 0);
    const moved = (product(name, 2 ** -9) - product(name, -(2 ** -9))) * 2 ** 8;
    expect(moved, name).toBeCloseTo(expected, 4);
    expect(Math.abs(expected), name).toBeGreaterThan(0.01);
  });
});

test("protocol buffers as their documentation writes them", () => {
  expect(integer(1, 150)).toEqual([0x08, 0x96, 0x01]);
  expect(integer(3, -1)).toEqual([0x18, ...Array<number>(9).fill(0xff), 0x01]);
  expect([...bytes(2, "testing")]).toEqual([0x12, 7, ...new TextEncoder().encode("testing")]);
});

test("an ONNX graph holds its operators in order", () => {
  const workload = find("attention causal 8x512x64");
  const inputs = inputsOf(workload);
  const operators = (variant: string) => {
    const graph = fields(onnxGraph(workload, inputs, variant)).find(([field]) => field === 7)![1];
    const nodes = fields(graph).filter(([field]) => field === 1);
    const type = (node: Uint8Array) => fields(node).find(([field]) => field === 4)![1];
    return nodes.map(([, node]) => new TextDecoder().decode(type(node)));
  };
  expect(operators("plain")).toEqual(["Transpose", "MatMul", "Mul", "Add", "Softmax", "MatMul", "Identity"]);
  expect(operators("mha")).toEqual(["MultiHeadAttention", "Identity"]);
  expect(operators("attention23")).toEqual(["Attention", "Identity"]);
});

/** The fields of a message that have a length; others as no bytes. */
function fields(message: Uint8Array): [number, Uint8Array][] {
  const found: [number, Uint8Array][] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const length = tag % 8 === 2 ? varint() : 0;
    if (tag % 8 === 0) varint();
    if (tag % 8 === 5) at += 4;
    found.push([Math.floor(tag / 8), message.subarray(at, at + length)]);
    at += length;
  }
  return found;
}

test("the peak's module runs, and counts what it says", async () => {
  const { prepare } = await peak.create();
  const [sum] = prepare().run();
  expect(sum! / (peak.flopsPerRun / 8) / 1e-6).toBeCloseTo(1, 2); // 8 sums of 1e-3 * 1e-3, of one lane of four
});

const id = "attention 8x512x64";
const row = (library: string, variant: string, ms: number, absolute: number): Row => ({
  ...{ workload: id, library, variant, ms, min: ms, absolute, relative: absolute, disturbed: false },
});
const rows = [
  row("sqrtdk", "fresh", 10, 2e-7),
  row("sqrtdk", "reused", 9, 2e-7),
  row("onnxruntime", "plain", 20, 3e-7),
  row("litert", "plain", 5, 0.1), // fast, and wrong
  { workload: id, library: "tfjs", variant: "plain", failed: "out of memory" },
  { ...row("peak", "", 0.1, 0), absolute: undefined, relative: undefined } as unknown as Row,
];

test("figures: the best peer is the fastest whose result is right", () => {
  const { best, ratio, share } = figuresOf(find(id), rows);
  expect(best.library).toBe("onnxruntime");
  expect(ratio).toEqual({ fresh: 0.5, reused: 0.45 });
  expect(share).toBeCloseTo(find(id).flops! / 10 / (peak.flopsPerRun / 0.1), 12);
});

test("the check fails what is missed and what was not measured", () => {
  const verdicts = (given: Row[]) => {
    const judged = judge([find(id)], { rows: given, memory: [] });
    return judged.map(({ goal, met }) => `${goal.split(" ")[0]}: ${met}`);
  };
  const complete = rows.filter((row) => !row.failed);
  expect(verdicts(complete)).toEqual(["ratio: true", "share: true", "largest: true"]);
  expect(verdicts(rows)).toEqual(["ratio: true", "share: true", "largest: true", "result: false"]); // of tfjs
  expect(verdicts([...complete.slice(1), row("sqrtdk", "fresh", 16, 4e-7)])).toEqual([
    "ratio: false",
    "share: false",
    "largest: false",
  ]);
  expect(verdicts([])).toEqual(["ratio: false", "share: false", "largest: false"]);
});

test("the report names every library, failures and wrong results", () => {
  const result = { browser: "B", cpu: "C", date: "D", versions: { sqrtdk: "sqrtdk 1" }, rows, memory: [] };
  const text = report(result, true);
  for (const part of ["onnxruntime", "tfjs: out of memory", "WRONG", " 0.50 |"]) expect(text).toContain(part);
});

test("a build before is a table of its own, and no peer", () => {
  const row = (library: string, ms: number, min: number): Row => ({
    ...{ workload: "matmul 128x128x128", library, variant: "view", ms, min, absolute: 1e-6, relative: 1e-6 },
  });
  const rows = [row("sqrtdk", 2, 1.8), row("before", 4, 2)];
  const text = report({ rows, memory: [], versions: {} }, true);
  expect(text).toMatch(/\| matmul 128x128x128 +\| view +\| +4.00 \| +2.00 \| +0.50 \| +0.90 +\|/);
  expect(text).not.toContain("best peer");
});

test("several runs as one: medians of the medians, least of the least, what failed only in one of them", () => {
  const run = (ms: number, min: number, disturbed: boolean): Result => ({
    rows: [
      { ...row("sqrtdk", "fresh", ms, 2e-7), min, samples: 3, disturbed },
      row("litert", "plain", ms, 2e-7),
    ],
    memory: [],
  });
  const failed: Row = { workload: id, library: "litert", variant: "plain", failed: "out of memory" };
  const last = run(9, 8.5, true);
  last.rows[1] = failed;
  const both = merged([run(10, 8, true), run(30, 7, false), last]);
  expect(both.rows[0]).toMatchObject({ ms: 10, min: 7, samples: 9, disturbed: false });
  expect(both.rows[1]).toMatchObject({ library: "litert", ms: 20 });
  expect(merged([last, last]).rows[1]).toEqual(failed);
  expect(leastOf(both).rows[0]!.ms).toBe(7);
  expect(() =>
    merged([
      { ...last, cpu: "A" },
      { ...last, cpu: "B" },
    ]),
  ).toThrow("different processors: A; B");
});

test("the exponent of growth", () => {
  const points = [1, 2, 4, 8].map((n): [number, number] => [n, 3 * n ** 2]);
  expect(exponentOf(points)).toBeCloseTo(2, 12);
});
