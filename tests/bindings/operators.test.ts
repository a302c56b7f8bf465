// What the JavaScript side of the operators adds: options, `out`, whole numbers, and errors.
import { beforeAll, describe, expect, it } from "vitest";
import { ShapeError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
let x: Tensor;
beforeAll(async () => {
  sqrtdk = await load();
  x = sqrtdk.random.randn([4, 6], { seed: 3 });
});

const values = (tensor: Tensor): number[] => [...tensor.toArray()];

describe("out", () => {
  it("takes the result and is returned", () => {
    sqrtdk.scope(() => {
      const expected = sqrtdk.ops.softmax(x);
      const out = sqrtdk.tensor(new Float32Array(24), [4, 6]);
      expect(sqrtdk.ops.softmax(x, { out })).toBe(out);
      expect(values(out)).toEqual(values(expected));
      const q = sqrtdk.random.randn([3, 6], { seed: 4 });
      const room = sqrtdk.tensor(new Float32Array(12), [4, 3]);
      expect(sqrtdk.ops.matmul(x, q, { transposeB: true, out: room })).toBe(room);
      expect(values(room)).toEqual(values(sqrtdk.ops.matmul(x, q, { transposeB: true })));
      const other = sqrtdk.tensor(new Float32Array(24), [4, 6]);
      sqrtdk.ops.attention(x, x, x, { out: other });
      expect(values(other)).toEqual(values(sqrtdk.ops.attention(x, x, x)));
    });
  });

  it("may be the input of what works on single rows", () => {
    sqrtdk.scope(() => {
      const { softmax, logSoftmax, layerNorm, rmsNorm } = sqrtdk.ops;
      for (const run of [softmax, logSoftmax, layerNorm, rmsNorm]) {
        const copy = sqrtdk.tensor(x.toArray(), x.shape);
        run(copy, { out: copy });
        expect(values(copy)).toEqual(values(run(x)));
      }
    });
  });

  it("is no input of what reads while it writes, and has the result's shape", () => {
    const square = sqrtdk.random.randn([6, 6]);
    const cases = [
      () => sqrtdk.ops.matmul(square, square, { out: square }),
      () => sqrtdk.ops.attention(x, x, x, { out: x }),
      () => sqrtdk.ops.embedding(square, { data: [0], shape: [1] }, { out: square }),
    ];
    const before = values(square);
    for (const run of cases) {
      expect(thrown(run)).toMatchObject({ name: "ValueError", code: "unsupported", argument: "out" });
    }
    expect(thrown(() => sqrtdk.ops.softmax(x, { out: square }))).toBeInstanceOf(ShapeError);
    expect(values(square)).toEqual(before);
    square.dispose();
  });

  it("may be copied to an array of the reader's", () => {
    const array = new Float32Array(24);
    x.copyTo(array);
    expect([...array]).toEqual(values(x));
    const error = thrown(() => x.copyTo(new Float32Array(23)));
    expect(error).toMatchObject({ code: "wrong_shape", argument: "array", expected: "(24,)" });
  });
});

describe("attention's options", () => {
  const options = {
    softcap: 2,
    causal: "top_left",
    nPast: 2,
    lengths: { data: [5, 3], shape: [2] },
    mask: { data: [1, 0, 1, 1, 1], shape: [1, 5] },
    bias: { data: [0.1, 0.2, 0.3, 0.4, 0.5], shape: [5] },
  } as const;

  it("mean the same with and without the weights", () => {
    sqrtdk.scope(() => {
      const q = sqrtdk.random.randn([2, 4, 3, 8], { seed: 1 });
      const [k, v] = [
        sqrtdk.random.randn([2, 2, 5, 8], { seed: 2 }),
        sqrtdk.random.randn([2, 2, 5, 6], { seed: 3 }),
      ];
      const seen = sqrtdk.ops.attention(q, k, v, { ...options, returnWeights: true });
      const tiled = sqrtdk.ops.attention(q, k, v, { ...options, returnStats: true });
      expect(tiled.rowStats.shape).toEqual([2, 4, 3, 2]);
      const far = (a: Tensor, b: Tensor): number =>
        Math.max(...values(a).map((value, i) => Math.abs(value - b.toArray()[i]!)));
      expect(far(tiled.out, seen.out)).toBeLessThan(1e-6);
      const dout = sqrtdk.random.randn(seen.out.shape, { seed: 4 });
      const a = sqrtdk.ops.attentionBackward(q, k, v, seen, dout, options);
      const b = sqrtdk.ops.attentionBackward(q, k, v, tiled, dout, options);
      for (const name of ["dq", "dk", "dv"] as const) expect(far(a[name], b[name])).toBeLessThan(2e-6);
      // Query i of batch 1 sees keys 0, 2 and i + 2 at most, of which 3 are no padding.
      const row = seen.weights.toArray().subarray((4 + 0) * 15, (4 + 0) * 15 + 5);
      expect([...row].map((weight) => weight > 0)).toEqual([true, false, true, false, false]);
      const scores = seen.scores.toArray().filter(Number.isFinite);
      expect(Math.max(...scores.map(Math.abs))).toBeLessThan(2.6);
    });
  });

  it("refuse what they cannot mean", () => {
    for (const [wrong, argument] of [
      [{ softcap: -1 }, "softcap"],
      [{ nPast: -1 }, "nPast"],
      [{ lengths: { data: [9], shape: [1] } }, "lengths"],
      [{ lengths: { data: [1.5], shape: [1] } }, "lengths"],
    ] as const) {
      const batch = { data: x.toArray(), shape: [1, 4, 6] };
      const error = thrown(() => sqrtdk.ops.attention(batch, batch, batch, wrong));
      expect(error).toBeInstanceOf(ValueError);
      expect(error.argument).toBe(argument);
    }
  });

  it("are refused where the module's memory cannot hold them", () => {
    const [n, m] = [2 ** 20, 2 ** 21];
    const data = { length: n * m };
    const mask = { data, shape: [n, m] };
    const lengths = { data, shape: [n, m] };
    for (const options of [{ mask }, { lengths }]) {
      const error = thrown(() => sqrtdk.ops.attention(x, x, x, options as never));
      expect(error).toMatchObject({ name: "OutOfMemoryError", operator: "attention" });
    }
    const list = { length: 2 ** 40 } as unknown as number[];
    const model = new sqrtdk.models.LanguageModel({ dModel: 2, nHeads: 1, nLayers: 1, vocab: 2, context: 4 });
    for (const call of [() => model.nll(list), () => model.forward(list)])
      expect(thrown(call)).toMatchObject({ name: "OutOfMemoryError" });
    model.dispose();
  });

  it("come with a cache: old keys and new ones", () => {
    sqrtdk.scope(() => {
      const [past, fresh] = [sqrtdk.random.randn([2, 3, 4]), sqrtdk.random.randn([2, 1, 4], { seed: 1 })];
      const present = sqrtdk.ops.appendRows(past, fresh);
      expect(present.shape).toEqual([2, 4, 4]);
      const rows = [past.toArray().subarray(12), fresh.toArray().subarray(4)].flatMap((row) => [...row]);
      expect(values(present).slice(16)).toEqual(rows);
    });
  });
});

describe("positions, masks and formats", () => {
  it("rotate pairs by the position's angle", () => {
    sqrtdk.scope(() => {
      const { cos, sin } = sqrtdk.ops.rotaryTable(8, 4);
      const [c, s] = [Math.cos(3), Math.sin(3)];
      const unit = { data: [1, 0, 0, 0], shape: [1, 4] };
      const positions = { data: [3], shape: [1] };
      const halves = sqrtdk.ops.rotary(unit, cos, sin, { positions });
      const pairs = sqrtdk.ops.rotary(unit, cos, sin, { positions, pairs: "interleaved" });
      for (const [got, expected] of [
        [halves, [c, 0, s, 0]],
        [pairs, [c, s, 0, 0]],
      ] as const) {
        expected.forEach((value, i) => expect(got.toArray()[i]).toBeCloseTo(value, 6));
      }
      const back = sqrtdk.ops.rotaryBackward(halves, cos, sin, { positions });
      unit.data.forEach((value, i) => expect(back.toArray()[i]).toBeCloseTo(value, 6));
      const beyond = { positions: { data: [8], shape: [1] } };
      expect(thrown(() => sqrtdk.ops.rotary(unit, cos, sin, beyond))).toBeInstanceOf(ValueError);
    });
  });

  it("drop the same elements forward and backward, others with another stream", () => {
    sqrtdk.scope(() => {
      const ones = { data: new Float32Array(1000).fill(1), shape: [1000] };
      const options = { seed: 2n ** 63n, stream: 5 };
      const kept = sqrtdk.ops.dropout(ones, 0.25, options);
      const share = values(kept).filter(Boolean).length / 1000;
      expect(Math.abs(share - 0.75)).toBeLessThan(4 * Math.sqrt((0.25 * 0.75) / 1000));
      expect(Math.max(...kept.toArray())).toBe(Math.fround(1 / 0.75));
      expect(values(sqrtdk.ops.dropoutBackward(ones, 0.25, options))).toEqual(values(kept));
      expect(values(sqrtdk.ops.dropout(ones, 0.25, { ...options, stream: 6 }))).not.toEqual(values(kept));
      expect(thrown(() => sqrtdk.ops.dropout(ones, 1))).toMatchObject({ argument: "probability" });
      expect(thrown(() => sqrtdk.ops.dropout(ones, 0.5, { stream: -1 }))).toMatchObject({
        argument: "stream",
      });
    });
  });

  it("round to 16 bits", () => {
    sqrtdk.scope(() => {
      const numbers = { data: [1 + 2 ** -11, 65519, 65520, 2 ** -25], shape: [4] };
      expect(values(sqrtdk.ops.roundTo("f16", numbers))).toEqual([1, 65504, Infinity, 0]);
      expect(values(sqrtdk.ops.roundTo("bf16", { data: [1 + 2 ** -8, 257], shape: [2] }))).toEqual([1, 256]);
      const row = { data: [2048, 1, 1], shape: [1, 3] };
      const column = { data: [1, 1, 1], shape: [3, 1] };
      const [f16, f32] = (["f16", "f32"] as const).map((accumulate) =>
        sqrtdk.ops.matmulInFormat(row, column, { format: "f16", accumulate }),
      ) as [Tensor, Tensor];
      expect([f16.toArray()[0], f32.toArray()[0]]).toEqual([2048, 2050]);
      expect(thrown(() => sqrtdk.ops.roundTo("f8" as "f16", numbers))).toMatchObject({
        code: "not_a_choice",
      });
    });
  });

  it("name the index that is none", () => {
    const table = { data: [1, 2], shape: [2, 1] };
    const embed = (id: number) => () => sqrtdk.ops.embedding(table, { data: [0, id], shape: [2] });
    expect(thrown(embed(2))).toMatchObject({ name: "ValueError", operator: "embedding", argument: "ids" });
    expect(thrown(embed(0.5))).toMatchObject({ code: "not_a_number", got: "0.5 at 1" });
    const target = { data: [4, 9], shape: [2] };
    const logits = { data: x.toArray().slice(0, 12), shape: [2, 6] };
    expect(thrown(() => sqrtdk.ops.crossEntropy(logits, target))).toMatchObject({ argument: "target" });
  });
});
