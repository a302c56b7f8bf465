// Making, cutting, joining and calculating with tensors: what JavaScript adds to C++'s operators, and NumPy's rules.
import { beforeAll, describe, expect, it } from "vitest";
import { DisposedError, ShapeError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Ops, Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
let ops: Ops;
let x: Tensor; // [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
beforeAll(async () => {
  sqrtdk = await load();
  ({ ops } = sqrtdk);
  x = ops.reshape(ops.arange(12), [3, 4]);
});

const nested = (run: () => Tensor): unknown => sqrtdk.scope(() => run().toNested());
const rowOf = (run: () => Tensor, row: number): unknown => (nested(run) as unknown[])[row];

describe("making tensors", () => {
  it("fills them with one number", () => {
    expect(nested(() => ops.zeros([2, 2]))).toEqual([[0, 0], [0, 0]]); // prettier-ignore
    expect(nested(() => ops.ones([3]))).toEqual([1, 1, 1]);
    expect(nested(() => ops.full([2], 0.1))).toEqual([Math.fround(0.1), Math.fround(0.1)]);
    expect(nested(() => ops.full([], -Infinity))).toBe(-Infinity);
    expect(nested(() => ops.full([1], 1e300))).toEqual([Infinity]);
    expect(nested(() => ops.zeros([0, 3]))).toEqual([]);
  });

  it("counts", () => {
    expect(nested(() => ops.arange(4))).toEqual([0, 1, 2, 3]);
    expect(nested(() => ops.arange(2, 5))).toEqual([2, 3, 4]);
    expect(nested(() => ops.arange(1, 0, -0.25))).toEqual([1, 0.75, 0.5, 0.25]);
    expect(nested(() => ops.arange(-1))).toEqual([]);
  });
});

describe("cutting and joining", () => {
  it("gives the same elements another shape", () => {
    expect(rowOf(() => ops.reshape(x, [2, -1]), 1)).toEqual([6, 7, 8, 9, 10, 11]);
    expect(nested(() => ops.reshape([[1, 2], [3, 4]], [4]))).toEqual([1, 2, 3, 4]); // prettier-ignore
    expect(nested(() => ops.reshape([5], []))).toBe(5);
  });

  it("slices as Python does", () => {
    expect(nested(() => ops.slice(x, [1], [3]))).toEqual([[4, 5, 6, 7], [8, 9, 10, 11]]); // prettier-ignore
    expect(nested(() => ops.slice(x, [-1]))).toEqual([[8, 9, 10, 11]]);
    expect(nested(() => ops.slice(x, [undefined, 1], [2, -1]))).toEqual([[1, 2], [5, 6]]); // prettier-ignore
    expect(nested(() => ops.slice(x, [], [1, 99]))).toEqual([[0, 1, 2, 3]]);
    expect(nested(() => ops.slice(x, [], [], { steps: [-2, 3] }))).toEqual([[8, 11], [0, 3]]); // prettier-ignore
    expect(nested(() => ops.slice(x, { axis: 1, start: -2 }))).toEqual([[2, 3], [6, 7], [10, 11]]); // prettier-ignore
    expect(nested(() => ops.slice(x, { axis: -1, end: 1 }))).toEqual([[0], [4], [8]]);
    expect(nested(() => ops.slice(x, { step: -1, end: 0 }))).toEqual([[8, 9, 10, 11], [4, 5, 6, 7]]); // prettier-ignore
    expect(nested(() => ops.slice(x, {}))).toEqual(x.toNested());
  });

  it("exchanges dimensions, by default the last two", () => {
    expect(nested(() => ops.transpose(x))).toEqual([[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]); // prettier-ignore
    const cube = sqrtdk.random.randn([2, 3, 4], { seed: 1 });
    expect(nested(() => ops.transpose(cube, [0, 2, 1]))).toEqual(nested(() => ops.transpose(cube)));
    const turned = ops.transpose(cube, [2, 0, -2]);
    expect(turned.shape).toEqual([4, 2, 3]);
    expect(turned.toArray()[1 * 6 + 1 * 3 + 2]).toBe(cube.toArray()[1 * 12 + 2 * 4 + 1]);
    cube.dispose();
    turned.dispose();
  });

  it("joins tensors, plain ones too", () => {
    expect(nested(() => ops.concat([[1, 2], [3], { data: [4], shape: [1] }]))).toEqual([1, 2, 3, 4]);
    expect(rowOf(() => ops.concat([x, [[9], [9], [9]]], 1), 2)).toEqual([8, 9, 10, 11, 9]);
    const halves = [ops.slice(x, { axis: 1, end: 2 }), ops.slice(x, { axis: 1, start: 2 })];
    expect(nested(() => ops.concat(halves, -1))).toEqual(x.toNested());
    for (const half of halves) half.dispose();
  });
});

describe("calculating", () => {
  it("repeats dimensions as NumPy does", () => {
    expect(nested(() => ops.add([1, 2], 10))).toEqual([11, 12]);
    expect(nested(() => ops.sub(1, [1, 2]))).toEqual([0, -1]);
    expect(nested(() => ops.mul([[1], [2]], [3, 4, 5]))).toEqual([[3, 4, 5], [6, 8, 10]]); // prettier-ignore
    expect(rowOf(() => ops.div(x, [1, 2, 4, 8]), 2)).toEqual([8, 4.5, 2.5, 1.375]);
    expect(nested(() => ops.div([1, 0], 0))).toEqual([Infinity, NaN]);
  });

  it("sums and averages over a dimension or over all", () => {
    expect(sqrtdk.scope(() => ops.sum(x).item())).toBe(66);
    expect(nested(() => ops.sum(x, 0))).toEqual([12, 15, 18, 21]);
    expect(nested(() => ops.mean(x, -1))).toEqual([1.5, 5.5, 9.5]);
    expect(nested(() => ops.mean(x, 0, { keepDims: true }))).toEqual([[4, 5, 6, 7]]);
    expect(nested(() => ops.mean(x, undefined, { keepDims: true }))).toEqual([[5.5]]);
    // Standardized, as a tutorial would write it.
    const [mean, std] = sqrtdk.scope(() => {
      const centered = ops.sub(x, ops.mean(x, -1, { keepDims: true }));
      return [ops.mean(centered), ops.mean(ops.mul(centered, centered))];
    });
    expect([mean.item(), std.item()]).toEqual([0, 1.25]);
    for (const each of [mean, std]) each.dispose();
  });
});

describe("out", () => {
  it("takes the result and is returned, also where it is an operand of its shape", () => {
    sqrtdk.scope(() => {
      const [a, row] = [ops.zeros([3, 4]), ops.zeros([4])];
      expect(ops.add(x, 1, { out: a })).toBe(a);
      expect(ops.add(a, a, { out: a })).toBe(a);
      expect(a.toArray()[11]).toBe(24);
      expect(ops.sum(x, 0, { out: row })).toBe(row);
      expect(ops.slice(x, { axis: 0, start: 1, end: 2, out: ops.zeros([1, 4]) }).toArray()).toEqual(
        Float32Array.of(4, 5, 6, 7),
      );
      const turned = ops.zeros([4, 3]);
      for (const run of [
        () => ops.transpose(x, [1, 0], { out: turned }),
        () => ops.reshape(x, [4, 3], { out: turned }),
        () => ops.full([4, 3], 2, { out: turned }),
        () => ops.concat([[[1, 2, 3]], ops.ones([3, 3])], 0, { out: turned }),
      ])
        expect(run()).toBe(turned);
      expect(turned.toArray().slice(0, 4)).toEqual(Float32Array.of(1, 2, 3, 1));
    });
  });

  it("of another shape, or an input that is read while it is written, is refused and left", () => {
    sqrtdk.scope(() => {
      const square = sqrtdk.random.randn([4, 4], { seed: 2 });
      const before = square.toArray();
      for (const run of [
        () => ops.transpose(square, [1, 0], { out: square }),
        () => ops.concat([square], 0, { out: square }),
        () => ops.slice(square, { step: -1, out: square }),
      ])
        expect(thrown(run)).toMatchObject({ name: "ValueError", argument: "out" });
      for (const run of [
        () => ops.add(x, 1, { out: square }),
        () => ops.sum(x, 0, { out: square }),
        () => ops.reshape(x, [12], { out: square }),
        () => ops.zeros([3], { out: square }),
        () => ops.slice(x, [1], [2], { out: square }),
      ])
        expect(thrown(run)).toMatchObject({ name: "ShapeError", argument: "out", got: "(4, 4)" });
      expect(square.toArray()).toEqual(before);
      const [a, b] = [ops.zeros([4]), ops.zeros([3, 4])];
      expect(thrown(() => ops.add(a, b, { out: a }))).toBeInstanceOf(ShapeError);
    });
  });
});

describe("what is wrong", () => {
  it.each<[string, () => unknown, object]>([
    ["add", () => ops.add([1, 2], [1, 2, 3]), { name: "ShapeError", argument: "b", got: "(3,)" }],
    ["div", () => ops.div(x, [1, 2, 3]), { expected: "broadcastable with (3, 4)" }],
    ["reshape", () => ops.reshape(x, [5, -1]), { expected: "of 12 elements", got: "(5, -1)" }],
    ["reshape", () => ops.reshape(x, [2.5]), { name: "ValueError", argument: "shape[0]" }],
    ["reshape", () => ops.reshape(x, 12 as never), { argument: "shape", got: "number" }],
    ["slice", () => ops.slice(x, [0, 0, 0]), { name: "ShapeError", expected: "of at least 3 dimensions" }],
    ["slice", () => ops.slice(x, [0.5]), { name: "ValueError", argument: "starts[0]" }],
    ["slice", () => ops.slice(x, [0], 2 as never), { argument: "ends", got: "number" }],
    ["slice", () => ops.slice(x, { step: 0 }), { name: "ValueError", argument: "step" }],
    ["slice", () => ops.slice(x, { axis: 2 }), { argument: "axis", expected: "-2 .. 1" }],
    ["slice", () => ops.slice(x, { start: NaN }), { argument: "start", got: "NaN" }],
    ["slice", () => ops.slice(x, 1 as never), { argument: "options", got: "number" }],
    ["transpose", () => ops.transpose(x, [0, 0]), { name: "ShapeError", argument: "order" }],
    ["transpose", () => ops.transpose([1, 2]), { expected: "(.., n, m)", got: "(2,)" }],
    ["concat", () => ops.concat([]), { name: "ValueError", code: "empty" }],
    ["concat", () => ops.concat([x, [1]]), { name: "ShapeError", argument: "list", got: "(1,)" }],
    ["concat", () => ops.concat([x, x], 2), { argument: "axis", expected: "-2 .. 1" }],
    ["concat", () => ops.concat(x as never), { argument: "list" }],
    ["concat", () => ops.concat([x, "4" as never]), { argument: "list[1]" }],
    ["sum", () => ops.sum(x, 2), { name: "ValueError", argument: "axis", got: "2" }],
    ["mean", () => ops.mean(x, 0, { keepDims: 1 as never }), { argument: "keepDims" }],
    ["zeros", () => ops.zeros([-1]), { name: "ShapeError", argument: "shape" }],
    ["ones", () => ops.ones(3 as never), { name: "ShapeError", argument: "shape" }],
    ["full", () => ops.full([1], "2" as never), { name: "ValueError", argument: "value" }],
    ["arange", () => ops.arange(0, 1, 0), { name: "ValueError", argument: "step" }],
    ["arange", () => ops.arange(Infinity), { name: "ValueError", argument: "stop" }],
  ])("%s says what came and what was expected: %#", (operator, run, fields) => {
    const before = x.toArray();
    expect(thrown(run)).toMatchObject({ operator, ...fields });
    expect(x.toArray()).toEqual(before);
  });

  it("is memory that there is not, and tensors that are gone", () => {
    expect(thrown(() => ops.zeros([2 ** 30, 2 ** 9])).name).toBe("OutOfMemoryError");
    expect(thrown(() => ops.add(ops.zeros([2 ** 20, 1]), ops.zeros([2 ** 20])))).toMatchObject({
      name: "OutOfMemoryError",
      operator: "add",
    });
    const gone = ops.zeros([2]);
    gone.dispose();
    expect(thrown(() => ops.add(gone, 1))).toBeInstanceOf(DisposedError);
    expect(thrown(() => ops.concat([x, gone]))).toBeInstanceOf(DisposedError);
    expect(thrown(() => ops.add(1, undefined as never))).toBeInstanceOf(ValueError);
  });
});
