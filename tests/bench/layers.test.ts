// The layers and the training step of scripts/bench: their references and graphs.
import { expect, test } from "vitest";

interface Workload {
  id: string;
  kind: string;
  flops: number;
  inputs: { name: string; shape: number[]; scale?: number; below?: number }[];
  [dimension: string]: unknown;
}
type Inputs = Record<string, { data: Float32Array; shape: number[] }>;
interface Value {
  values: Float64Array;
  width: number;
  gradient: Float64Array;
}

const module = <T>(file: string) => import(new URL(file, import.meta.url).href) as Promise<T>;
const { find } = await module<{ find: (id: string) => Workload }>("workloads.mjs");
const { inputsOf } = await module<{ inputsOf: (workload: Workload) => Inputs }>("inputs.mjs");
const { encoder, decoder, train } = await module<{
  encoder: (batch: number, n: number, goals: undefined, sizes: object) => Workload;
  decoder: (batch: number, n: number, n_memory: number, goals: undefined, sizes: object) => Workload;
  train: (name: string, goals: undefined, sizes: object) => Workload;
}>("layers.mjs");
const { referenceOf } = await module<{
  referenceOf: (workload: Workload) => { values: Float64Array; width: number };
}>("reference.mjs");
const tapes = await module<{
  Tape: new () => {
    linear: (x: Value, w: Value, b: Value) => Value;
    attention: (q: Value, k: Value, v: Value, sizes: object) => Value;
    norm: (x: Value, gain: Value, bias: Value) => Value;
    relu: (x: Value) => Value;
    add: (x: Value, y: Value) => Value;
    rows: (table: Value, ids: number[]) => Value;
    crossEntropy: (logits: Value, targets: number[]) => Value;
    backward: (result: Value) => void;
  };
  Value: new (values: Float64Array, width: number) => Value;
}>("tape.mjs");
const { forProducts, rowsOf, shifted, transposed, withWeights } = await module<{
  forProducts: (inputs: Inputs) => Inputs;
  rowsOf: (tensor: Inputs[string], first?: number, count?: number) => Inputs[string];
  shifted: (workload: object, tokens: { data: Int32Array }) => { ids: Int32Array; targets: Int32Array };
  transposed: (tensor: Inputs[string]) => Inputs[string];
  withWeights: (file: Uint8Array, weights: Record<string, { data: Float32Array }>) => Uint8Array<ArrayBuffer>;
}>("weights.mjs");
const { onnxGraph } = await module<{
  onnxGraph: (workload: Workload, inputs: Inputs, variant: string) => Uint8Array;
}>("graphs/onnx.mjs");

const sizes = { d_model: 8, n_heads: 2, d_ff: 12 };

test("workloads: the names of PyTorch, the work of a layer", () => {
  const names = find("decoder 2x10x10").inputs.map(({ name }) => name);
  for (const name of ["x", "memory", "multihead_attn.in_proj_weight", "linear2.bias", "norm3.weight"])
    expect(names).toContain(name);
  expect(find("encoder 1x512").flops).toBe(2 * 512 * 12 * 512 ** 2 + 4 * 512 ** 3);
  for (const id of ["encoder 2x10", "encoder 1x128", "encoder 1x512", "decoder 2x10x10", "decoder 1x128x128"])
    expect(find(id).goals, id).toEqual({ fresh: 0.86 });
  expect(find("train char").inputs.map(({ name }) => name)).toContain("layers.1.self_attn.out_proj.bias");
});

test("tokens are whole numbers below the vocabulary, and all of them occur", () => {
  const { tokens } = inputsOf(find("train char"));
  expect(new Set(tokens!.data)).toEqual(new Set(Array.from({ length: 65 }, (_, i) => i)));
});

test("a text is one sequence, all of whose tokens differ, in every row of the batch", () => {
  const { tokens } = inputsOf(find("train char"));
  const rows = Array.from({ length: 16 }, (_, i) => [...tokens!.data].slice(65 * i, 65 * (i + 1)));
  for (const row of rows) expect(row).toEqual(rows[0]);
  expect(new Set(rows[0]).size).toBe(65);
  expect(rows[0]).not.toEqual([...rows[0]!].sort((a, b) => a - b));
});

test("weights put into a checkpoint: those that are named, and none that do not fit", () => {
  const header = JSON.stringify({
    a: { dtype: "F32", shape: [1], data_offsets: [0, 4] },
    b: { dtype: "F32", shape: [2], data_offsets: [4, 12] },
  });
  const file = new Uint8Array(8 + header.length + 12);
  file[0] = header.length;
  file.set(new TextEncoder().encode(header), 8);
  const written = withWeights(file, { b: { data: Float32Array.of(1.5, -2) } });
  expect([...new Float32Array(written.slice(8 + header.length).buffer)]).toEqual([0, 1.5, -2]);
  expect(file.at(-1)).toBe(0);
  expect(() => withWeights(file, { a: { data: Float32Array.of(1, 2) } })).toThrow("a: 4 bytes, not 8");
});

test("weights turned and cut", () => {
  const matrix = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [3, 2] };
  expect(transposed(matrix)).toEqual({ data: Float32Array.of(1, 3, 5, 2, 4, 6), shape: [2, 3] });
  expect(rowsOf(matrix, 1, 2)).toEqual({ data: Float32Array.of(3, 4, 5, 6), shape: [2, 2] });
  const inputs = inputsOf(train("small", undefined, { n_layers: 1, n: 3, batch: 2, vocab: 5, ...sizes }));
  const turned = forProducts(inputs);
  expect(turned["layers.0.self_attn.in_proj_weight"]!.shape).toEqual([8, 24]);
  expect(turned["embedding.weight"]!.shape).toEqual([5, 8]);
  const tokens = { data: Int32Array.of(0, 1, 2, 3, 4, 5, 6, 7) };
  expect(shifted({ batch: 2, n: 3 }, tokens)).toEqual({
    ids: Int32Array.of(0, 1, 2, 4, 5, 6),
    targets: Int32Array.of(1, 2, 3, 5, 6, 7),
  });
});

test("the references are PyTorch's numbers", () => {
  const small = { n_layers: 2, n: 4, batch: 3, vocab: 7, ...sizes };
  const expected: [Workload, number[]][] = [
    [encoder(2, 3, undefined, sizes), [-1.8695075472525866, 0.20448462294130684, -0.0711926551052339]],
    [decoder(1, 3, 4, undefined, sizes), [-1.7984199599703086, 0.8049010310578107, 0.23711177717106488]],
    [train("small", undefined, small), [2.6800863666181205, 2.6179781238494346, 2.553199265636913]],
  ];
  for (const [workload, numbers] of expected) {
    const { values } = referenceOf(workload);
    numbers.forEach((value, i) => expect(values[i], workload.id).toBeCloseTo(value, 13));
  }
});

test("the reference of a layer: rows are normalized; a sequence does not depend on its neighbour", () => {
  const two = encoder(2, 3, undefined, sizes);
  const both = referenceOf(two).values;
  const one = referenceOf(encoder(1, 3, undefined, sizes)).values;
  one.forEach((value, i) => expect(both[i]).toBeCloseTo(value, 12));
  const flat = {
    ...two,
    inputs: two.inputs.map((input) => (/^norm2/.test(input.name) ? { ...input, scale: 0 } : input)),
  };
  const { values, width } = referenceOf(flat); // gain 1, bias 0
  expect(values.subarray(0, width).reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12);
});

test("the reference of a decoder layer: its first query sees its own position alone, but all of the memory", () => {
  const whole = decoder(1, 3, 4, undefined, sizes);
  const long = referenceOf(whole);
  const cut = (workload: Workload, name: string, rows: number) => ({
    ...workload,
    [name === "x" ? "n" : "n_memory"]: rows,
    inputs: workload.inputs.map((input) => (input.name === name ? { ...input, shape: [1, rows, 8] } : input)),
  });
  const first = referenceOf(cut(whole, "x", 1)).values;
  first.forEach((value, i) => expect(long.values[i]).toBeCloseTo(value, 12));
  const forgetful = referenceOf(cut(whole, "memory", 3)).values;
  expect(Math.abs(forgetful[0]! - long.values[0]!)).toBeGreaterThan(1e-3);
});

test("the tape's gradients are those of central differences", () => {
  const random = (() => {
    let state = 1;
    return () => (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
  })();
  const value = (rows: number, width: number) =>
    new tapes.Value(Float64Array.from({ length: rows * width }, random), width);
  const [table, gain, bias] = [value(5, 4), value(1, 4), value(1, 4)];
  const [w1, b1, w2, b2, w3, b3] = [12, 4, 5].flatMap((n_out, i) => [
    value(n_out, i === 1 ? 12 : 4),
    value(1, n_out),
  ]);
  const parameters = [table, gain, bias, w1!, b1!, w2!, b2!, w3!, b3!];
  const loss = () => {
    const tape = new tapes.Tape();
    const x = tape.norm(tape.rows(table, [0, 3, 1, 3, 4, 2]), gain, bias);
    const hidden = tape.relu(tape.linear(x, w1!, b1!));
    const [q, k] = [tape.linear(hidden, w2!, b2!), tape.linear(hidden, w2!, b2!)];
    const heads = tape.attention(q, k, x, { batch: 2, n_heads: 2, causal: true });
    const logits = tape.linear(tape.add(x, heads), w3!, b3!);
    return { tape, result: tape.crossEntropy(logits, [1, 0, 4, 2, 2, 3]) };
  };
  const { tape, result } = loss();
  for (const { gradient } of parameters) gradient.fill(0);
  tape.backward(result);
  for (const parameter of parameters) {
    parameter.gradient.forEach((gradient, i) => {
      const kept = parameter.values[i]!;
      const at = (moved: number) => {
        parameter.values[i] = kept + moved;
        return loss().result.values[0]!;
      };
      const difference = (at(1e-6) - at(-1e-6)) / 2e-6;
      parameter.values[i] = kept;
      expect(gradient).toBeCloseTo(difference, 7);
    });
  }
});

test("training's reference: the loss begins near that of a guess and falls", () => {
  const small = train("small", undefined, { n_layers: 2, n: 4, batch: 3, vocab: 7, ...sizes });
  const losses = [...referenceOf({ ...small, steps: 30, rate: 1e-2 }).values];
  expect(losses).toHaveLength(30);
  expect(Math.abs(losses[0]! - Math.log(7))).toBeLessThan(1);
  expect(losses.at(-1)).toBeLessThan(0.7 * losses[0]!);
});

test("a layer's ONNX graph holds its weights, and fused operators in one variant alone", () => {
  const workload = decoder(1, 3, 4, undefined, sizes);
  const text = (variant: string) =>
    new TextDecoder("latin1").decode(onnxGraph(workload, inputsOf(workload), variant));
  expect(text("plain")).toContain("LayerNormalization");
  expect(text("plain")).not.toContain("SkipLayerNormalization");
  for (const part of ["SkipLayerNormalization", "MultiHeadAttention", "memory"])
    expect(text("fused")).toContain(part);
});
