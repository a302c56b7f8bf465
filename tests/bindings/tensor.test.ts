import { beforeAll, describe, expect, it } from "vitest";
import { DisposedError, ShapeError, StaleViewError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

describe("tensor", () => {
  it("keeps shape and numbers; toArray copies", () => {
    const tensor = sqrtdk.tensor([1, 2, 3, 4, 5, 6], [2, 3]);
    expect(tensor.shape).toEqual([2, 3]);
    expect(tensor.size).toBe(6);
    const data = tensor.toArray();
    data[0] = 9;
    expect([...tensor.toArray()]).toEqual([1, 2, 3, 4, 5, 6]);
    tensor.dispose();
  });

  it("has any rank up to 6 and any size from 0", () => {
    for (const shape of [[], [0], [3, 0], [1, 1, 1, 1, 1, 2]]) {
      const size = shape.reduce((product, dim) => product * dim, 1);
      const tensor = sqrtdk.tensor(new Float32Array(size).fill(7), shape);
      expect([...tensor.toArray()]).toEqual(Array(size).fill(7));
      tensor.dispose();
    }
  });

  it("refuses shapes that are none, or do not fit the numbers", () => {
    const count = thrown(() => sqrtdk.tensor([1, 2, 3], [2, 2]));
    expect(count).toBeInstanceOf(ShapeError);
    expect(count).toMatchObject({
      code: "wrong_shape",
      argument: "data",
      expected: "(2, 2)",
      got: "3 values",
    });
    for (const shape of [[-1], [1.5], [NaN], [1, 1, 1, 1, 1, 1, 1], [2 ** 40, 2 ** 40], Array<number>(1)]) {
      expect(thrown(() => sqrtdk.tensor([1], shape))).toBeInstanceOf(ShapeError);
    }
    for (const shape of [Array.from({ length: 1e6 }, () => 1), 5, "1", null]) {
      const error = thrown(() => sqrtdk.random.randn(shape as number[]));
      expect(error).toBeInstanceOf(ShapeError);
      expect(error.message.length).toBeLessThan(100);
    }
    expect(thrown(() => sqrtdk.tensor(undefined as never, [1]))).toBeInstanceOf(ValueError);
    expect(thrown(() => sqrtdk.tensor([1], null as never))).toBeInstanceOf(ShapeError);
  });

  it("may be disposed twice but not used afterwards", () => {
    const tensor = sqrtdk.tensor([1], [1]);
    const view = tensor.view();
    tensor.dispose();
    tensor.dispose();
    expect(tensor.disposed).toBe(true);
    for (const use of [
      () => tensor.toArray(),
      () => tensor.view(),
      () => view.array,
      () => sqrtdk.ops.softmax(tensor),
    ]) {
      const error = thrown(use);
      expect(error).toBeInstanceOf(DisposedError);
      expect(error.code).toBe("disposed");
    }
    expect(thrown(() => sqrtdk.ops.matmul(tensor, [[1]]))).toMatchObject({
      operator: "matmul",
      argument: "a",
    });
  });

  it("is disposed by `using`", () => {
    const tensor = sqrtdk.tensor([1], [1]);
    tensor[Symbol.dispose]();
    expect(tensor.disposed).toBe(true);
  });
});

describe("view", () => {
  it("is the tensor's own memory", () => {
    const tensor = sqrtdk.tensor([1, 2], [2]);
    tensor.view().array[1] = 5;
    expect([...tensor.toArray()]).toEqual([1, 5]);
    tensor.dispose();
  });

  it("may be given as numbers, also where that grows the memory", () => {
    sqrtdk.scope(() => {
      const half = new Float32Array(2 ** 23).fill(3); // 32 MiB
      let tensor = sqrtdk.tensor(half, [2 ** 23]);
      const { buffer } = tensor.view().array;
      for (let i = 0; i < 5 && buffer.byteLength > 0; ++i) {
        tensor = sqrtdk.tensor(tensor.view().array, [2 ** 23]);
        expect(tensor.toArray().every((value) => value === 3)).toBe(true);
      }
      expect(buffer.byteLength).toBe(0);
    });
  });

  it("is stale once the memory has grown", () => {
    const tensor = sqrtdk.tensor([1, 2], [2]);
    const view = tensor.view();
    const large: Tensor[] = [];
    for (let i = 0; i < 20; ++i) large.push(sqrtdk.random.rand([2 ** 20]));
    expect(thrown(() => view.array)).toBeInstanceOf(StaleViewError);
    expect([...tensor.view().array]).toEqual([1, 2]);
    for (const one of [tensor, ...large]) one.dispose();
  });
});

describe("scope", () => {
  it("frees what was made inside, except what is returned", () => {
    const inside: Tensor[] = [];
    const make = (): Tensor => {
      const tensor = sqrtdk.tensor([1], [1]);
      inside.push(tensor);
      return tensor;
    };
    const kept = sqrtdk.scope(() => {
      make();
      return make();
    });
    const list = sqrtdk.scope(() => [make(), make()]);
    const object = sqrtdk.scope(() => ({ a: make(), n: 1, unused: make() && null }));
    expect(inside.filter((tensor) => !tensor.disposed)).toEqual([kept, ...list, object.a]);
    for (const tensor of inside) tensor.dispose();
  });

  it("nests: what an inner scope returns belongs to the outer one", () => {
    let inner: Tensor | undefined;
    sqrtdk.scope(() => {
      inner = sqrtdk.scope(() => sqrtdk.tensor([1], [1]));
      expect(inner.disposed).toBe(false);
    });
    expect(inner?.disposed).toBe(true);
  });

  it("leaves tensors from outside alone, and frees when its body throws", () => {
    const outside = sqrtdk.tensor([1], [1]);
    let inside: Tensor | undefined;
    const body = (): never => {
      inside = sqrtdk.tensor([outside.size], [1]);
      throw new Error("mine");
    };
    expect(() => sqrtdk.scope(body)).toThrow("mine");
    expect(inside?.disposed).toBe(true);
    expect(outside.disposed).toBe(false);
    outside.dispose();
  });

  it("refuses an asynchronous body", () => {
    const error = thrown(() => sqrtdk.scope(() => Promise.resolve(1)));
    expect(error).toBeInstanceOf(ValueError);
    expect(error.code).toBe("unsupported");
  });
});
