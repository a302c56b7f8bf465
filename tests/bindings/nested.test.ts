// Numbers as people write them down, wherever a tensor is taken; and back.
import { beforeAll, expect, it } from "vitest";
import { ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

it("a tensor is made of nested arrays, a number, or flat numbers with a shape", () => {
  sqrtdk.scope(() => {
    const { tensor } = sqrtdk;
    const rows = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    expect(tensor(rows).shape).toEqual([2, 3]);
    expect(tensor(rows).toNested()).toEqual(rows);
    expect(tensor([[[7]]]).toNested()).toEqual([[[7]]]);
    expect(tensor([1, 2, 3]).shape).toEqual([3]);
    expect(tensor(new Float64Array(4)).shape).toEqual([4]);
    expect(tensor([new Float32Array([1, 2]), [3, 4]]).toNested()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(tensor(rows, [3, 2]).toNested()).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(tensor({ data: [1, 2], shape: [1, 2] }).toNested()).toEqual([[1, 2]]);
    expect(tensor([[], []]).shape).toEqual([2, 0]);
    const five = tensor(5);
    expect([five.shape, five.toNested(), five.item()]).toEqual([[], 5, 5]);
    expect(tensor(tensor(rows)).toNested()).toEqual(rows);
    expect(thrown(() => tensor(rows).item())).toMatchObject({ name: "ShapeError", operator: "item" });
  });
});

it("a tensor of another copy of the package is taken as its values, which a page may have twice", async () => {
  const address = new URL("../../build/package/ops.node.js", import.meta.url).href;
  const another = (await import(address)) as {
    load(): Promise<Pick<Sqrtdk, "ops" | "tensor"> & { dispose(): void }>;
  };
  const theirs = await another.load();
  const x = [
    [1, 2],
    [3, 4],
  ];
  sqrtdk.scope(() => {
    expect(sqrtdk.ops.transpose(theirs.tensor(x)).toNested()).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(sqrtdk.ops.add(x, theirs.ops.mul(x, 2)).toNested()).toEqual([
      [3, 6],
      [9, 12],
    ]);
  });
  const disposed = theirs.tensor(x);
  disposed.dispose();
  expect(() => sqrtdk.ops.softmax(disposed)).toThrow("disposed");
  theirs.dispose();
});

it("arrays are taken by operators, layers and models", () => {
  sqrtdk.scope(() => {
    const { ops, nn, models } = sqrtdk;
    expect(
      ops
        .matmul(
          [
            [1, 2],
            [3, 4],
          ],
          [[5], [6]],
        )
        .toNested(),
    ).toEqual([[17], [39]]);
    const masked = ops.softmax([[0, -Infinity]]);
    expect(masked.toNested()).toEqual([[1, 0]]);
    const x = [
      [1, 0],
      [0, 1],
    ];
    const causal = [
      [true, false],
      [true, true],
    ];
    const by_array = ops.attention(x, x, x, { mask: causal });
    expect(by_array.toArray()).toEqual(ops.attention(x, x, x, { causal: "top_left" }).toArray());
    expect(ops.embedding(x, [[1, 0, 1]]).shape).toEqual([1, 3, 2]);
    expect(ops.crossEntropy(x, [0, 1]).losses.shape).toEqual([2]);
    expect(new nn.Linear({ nIn: 2, nOut: 3 }).forward(x).shape).toEqual([2, 3]);
    const model = new models.LanguageModel({ dModel: 2, nHeads: 1, nLayers: 1, vocab: 3, context: 4 });
    expect(model.forward([[0, 1, 2]]).toArray()).toEqual(model.forward([0, 1, 2]).toArray());
    expect(new nn.EncoderLayer({ dModel: 2, nHeads: 1 }).forward([x]).shape).toEqual([1, 2, 2]);
  });
});

it("a tensor of another instance is copied, and not written to", async () => {
  const other = (await import("../../bindings/api/tensor.ts")).TensorMemory;
  const { startModule } = await import("./start_module.ts");
  const { Border } = await import("../../bindings/api/raw.ts");
  const memory = new other(new Border(await startModule()));
  const foreign = memory.from("test", "data", [1, 2], [1, 2]);
  sqrtdk.scope(() => {
    expect(sqrtdk.ops.matmul(foreign, [[1], [1]]).item()).toBe(3);
    const error = thrown(() => sqrtdk.ops.softmax([[1, 2]], { out: foreign }));
    expect(error).toMatchObject({ argument: "out", expected: "a tensor of this instance" });
  });
  foreign.dispose();
});

it.each([
  [[[1, 2], [3]], "ShapeError", "2 values", "1 values at [1]"],
  [[[1, 2], 3], "ShapeError", "2 values", "number at [1]"],
  [[1, [2]], "ValueError", "numbers", "array"],
  [{}, "ValueError", "a tensor, {data, shape} or nested arrays of numbers", "object"],
  [undefined, "ValueError", "a tensor, {data, shape} or nested arrays of numbers", "undefined"],
  ["12", "ValueError", "a tensor, {data, shape} or nested arrays of numbers", "string"],
  [[1, "2"], "ValueError", "numbers", "string"],
  [{ data: 5, shape: [1] }, "ValueError", "data: numbers, row-major", "number"],
  [{ data: [1], shape: [2] }, "ShapeError", "(2,)", "1 values"],
])("%j is named precisely", (wrong, name, expected, got) => {
  for (const [operator, argument, call] of [
    ["softmax", "x", () => sqrtdk.ops.softmax(wrong as never)],
    ["attention", "k", () => sqrtdk.ops.attention([[1, 2]], wrong as never, [[1]])],
    ["tensor", "data", () => sqrtdk.tensor(wrong as never)],
  ] as const) {
    expect(thrown(call)).toMatchObject({ name, operator, argument, expected, got });
  }
});

it("too deep a nest is refused", () => {
  expect(thrown(() => sqrtdk.tensor([[[[[[[1]]]]]]])).operator).toBe("tensor");
  const circle: unknown[] = [];
  circle.push(circle);
  expect(thrown(() => sqrtdk.tensor(circle as never)).operator).toBe("tensor");
});

it("what is read from a file is taken as it is", () => {
  const read = sqrtdk.formats.readCsv("1,2\n3,4");
  sqrtdk.scope(() =>
    expect(sqrtdk.ops.matmul(read, read).toNested()).toEqual([
      [7, 10],
      [15, 22],
    ]),
  );
});

it("a scope keeps what is in maps, sets and nests, and frees the rest", () => {
  const lost: { disposed: boolean }[] = [];
  const made = sqrtdk.scope(() => {
    const one = (): ReturnType<Sqrtdk["tensor"]> => sqrtdk.tensor([1]);
    lost.push(one());
    return {
      map: new Map([["a", one()]]),
      set: new Set([one()]),
      deep: { er: [{ still: one() }] },
      numbers: [1, 2],
    };
  });
  const kept = [made.map.get("a")!, ...made.set, made.deep.er[0]!.still];
  expect(kept.map(({ disposed }) => disposed)).toEqual([false, false, false]);
  expect(lost.map(({ disposed }) => disposed)).toEqual([true]);
  for (const tensor of kept) tensor.dispose();
});

it("all of what does not fit is in the message", () => {
  sqrtdk.scope(() => {
    const layer = new sqrtdk.nn.Transformer({ dModel: 4, nHeads: 1, nEncoderLayers: 2, nDecoderLayers: 2 });
    for (const call of [
      () => layer.loadStateDict({}),
      () => layer.load(sqrtdk.formats.writeSafetensors({})),
    ]) {
      const { message, name } = thrown(call);
      expect(name).toBe("FormatError");
      const names = layer.parameters.map(({ name }) => name);
      expect(names.filter((name) => !message.includes(name))).toEqual([]);
    }
    const zip = Uint8Array.from("PK\x03\x04\0\0\x08\x08archive/data.pkl", (letter) => letter.charCodeAt(0));
    for (const call of [() => layer.load(zip), () => sqrtdk.formats.readSafetensors(zip)])
      expect(thrown(call).message).toContain("a zip of pickles");
    expect(thrown(() => layer.load(zip))).not.toBeInstanceOf(ValueError);
  });
});
