// What callers without TypeScript may give: a ValueError or FormatError that names operator and argument.
import { beforeAll, expect, it } from "vitest";
import { SqrtdkError, load } from "../../bindings/entry/full.ts";
import type { LanguageModel, Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const junk: unknown[] = [null, 5, "12", 3n, NaN, {}, [1n], [0.5], { data: [1], shape: null }, () => 1];

type Call = (model: LanguageModel, value: never) => unknown;
const calls: readonly (readonly [argument: string, call: Call])[] = [
  ["ids", (model, value) => model.forward(value)],
  ["ids", (model, value) => model.nll(value)],
  ["ids", (model, value) => model.decode(value, model.makeCache())],
  ["prompt", (model, value) => model.generate(value)],
  ["past", (model, value) => model.decode([1], value)],
  ["onToken", (model, value) => model.generate([1], { onToken: value })],
  ["bytes", (model, value) => model.load(value)],
  ["metadata", (model, value) => model.save({ metadata: { a: value } })],
  ["bytes", (_, value) => sqrtdk.formats.readSafetensors(value)],
  ["bytes", (_, value) => sqrtdk.models.loadLlama2c(value)],
  ["bytes", (_, value) => new sqrtdk.models.Tokenizer(value, 3)],
  ["bytes", (_, value) => sqrtdk.formats.readNpy(value)],
  ["a", (_, value) => sqrtdk.models.loadNanoGpt("{}", { a: value })],
  ["data", (_, value) => sqrtdk.tensor(value, [1])],
];

it.each(calls)("%s of another kind: %s", (argument, call) => {
  sqrtdk.scope(() => {
    const model = new sqrtdk.models.LanguageModel({ dModel: 4, nHeads: 1, nLayers: 1, vocab: 3, context: 4 });
    const before = model.save();
    let refused = 0;
    for (const value of junk) {
      try {
        call(model, value as never); // one or another is right in places
      } catch (error) {
        expect(error, String(value)).toBeInstanceOf(SqrtdkError);
        expect(error).toMatchObject({ argument });
        ++refused;
      }
    }
    expect(refused).toBeGreaterThan(5);
    expect(model.save()).toEqual(before);
  });
});

it("is said of what is missing", () => {
  const none = undefined as never;
  for (const [action, argument] of [
    [() => new sqrtdk.nn.Linear(none), "config"],
    [() => sqrtdk.formats.writeSafetensors(none), "tensors"],
    [() => sqrtdk.formats.readCsv(none), "text"],
    [() => sqrtdk.scope(none), "body"],
  ] as const) {
    expect(thrown(action)).toMatchObject({ name: "ValueError", argument });
  }
});

it("takes the bytes of any view, and a detached buffer for an empty file", () => {
  const bytes = sqrtdk.scope(() => new sqrtdk.nn.Linear({ nIn: 2, nOut: 2 }).save());
  sqrtdk.scope(() => {
    expect(
      Object.keys(sqrtdk.formats.readSafetensors(new DataView(bytes.buffer) as never).tensors).length,
    ).toBe(2);
  });
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  for (const empty of [bytes, bytes.buffer])
    expect(thrown(() => sqrtdk.formats.readSafetensors(empty))).toMatchObject({ name: "FormatError" });
});

it("is said of an `out` that is no tensor, and of a forward's arrays that are missing", () => {
  sqrtdk.scope(() => {
    const x = sqrtdk.tensor([1, 2], [1, 1, 2]);
    const layer = new sqrtdk.nn.Linear({ nIn: 2, nOut: 2 });
    const out = { data: new Float32Array(2), shape: [1, 1, 2] } as never; // nothing is written to it
    for (const call of [
      () => sqrtdk.ops.attention(x, x, x, { out }),
      () => sqrtdk.ops.matmul(x, x, { transposeB: true, out }),
      () => sqrtdk.ops.softmax(x, { out }),
      () => layer.forward(x, { out }),
    ]) {
      expect(thrown(call)).toMatchObject({ name: "ValueError", argument: "out", expected: "a tensor" });
    }
    const forward = {} as never;
    expect(thrown(() => sqrtdk.ops.attentionBackward(x, x, x, forward, x))).toMatchObject({
      name: "ValueError",
      argument: "forward",
      expected: "what attention returns with returnWeights or returnStats",
    });
  });
});
