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
  ["ids", (model, value) => model.decode(value, model.make_cache())],
  ["prompt", (model, value) => model.generate(value)],
  ["past", (model, value) => model.decode([1], value)],
  ["onToken", (model, value) => model.generate([1], { onToken: value })],
  ["bytes", (model, value) => model.load(value)],
  ["metadata", (model, value) => model.save({ metadata: { a: value } })],
  ["bytes", (_, value) => sqrtdk.read_safetensors(value)],
  ["bytes", (_, value) => sqrtdk.load_llama2c(value)],
  ["bytes", (_, value) => sqrtdk.tokenizer(value, 3)],
  ["bytes", (_, value) => sqrtdk.read_npy(value)],
  ["a", (_, value) => sqrtdk.load_nano_gpt("{}", { a: value })],
  ["data", (_, value) => sqrtdk.tensor(value, [1])],
];

it.each(calls)("%s of another kind: %s", (argument, call) => {
  sqrtdk.scope(() => {
    const model = sqrtdk.language_model({ d_model: 4, n_heads: 1, n_layers: 1, vocab: 3, context: 4 });
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
    [() => sqrtdk.linear(none), "config"],
    [() => sqrtdk.write_safetensors(none), "tensors"],
    [() => sqrtdk.read_csv(none), "text"],
    [() => sqrtdk.scope(none), "body"],
  ] as const) {
    expect(thrown(action)).toMatchObject({ name: "ValueError", argument });
  }
});

it("takes the bytes of any view, and a detached buffer for an empty file", () => {
  const bytes = sqrtdk.scope(() => sqrtdk.linear({ n_in: 2, n_out: 2 }).save());
  sqrtdk.scope(() => {
    expect(Object.keys(sqrtdk.read_safetensors(new DataView(bytes.buffer) as never).tensors).length).toBe(2);
  });
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  for (const empty of [bytes, bytes.buffer])
    expect(thrown(() => sqrtdk.read_safetensors(empty))).toMatchObject({ name: "FormatError" });
});

it("is said of an `out` that is no tensor, and of a forward's arrays that are missing", () => {
  sqrtdk.scope(() => {
    const x = sqrtdk.tensor([1, 2], [1, 1, 2]);
    const layer = sqrtdk.linear({ n_in: 2, n_out: 2 });
    const out = { data: new Float32Array(2), shape: [1, 1, 2] } as never; // nothing is written to it
    for (const call of [
      () => sqrtdk.attention(x, x, x, { out }),
      () => sqrtdk.matmul(x, x, { transpose_b: true, out }),
      () => sqrtdk.softmax(x, { out }),
      () => layer.forward(x, { out }),
    ]) {
      expect(thrown(call)).toMatchObject({ name: "ValueError", argument: "out", expected: "a tensor" });
    }
    const forward = {} as never;
    expect(thrown(() => sqrtdk.attention_backward(x, x, x, forward, x))).toMatchObject({
      name: "ValueError",
      argument: "row_stats",
    });
  });
});
