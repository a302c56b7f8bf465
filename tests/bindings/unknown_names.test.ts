// A name that no options object knows is refused, and the error says which was meant.
import { beforeAll, expect, it } from "vitest";
import { suggestion } from "../../bindings/api/known_names.ts";
import { load } from "../../bindings/entry/full.ts";
import type { Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const x = [
  [1, 2],
  [3, 4],
];
const heads = { dModel: 2, nHeads: 1 };
const sizes = { ...heads, nLayers: 1, vocab: 3, context: 4 };

type Refused = readonly [operator: string, got: string, meant: string, call: (options: never) => unknown];
const refused: readonly Refused[] = [
  ["attention", "return_weights", "returnWeights", (o) => sqrtdk.ops.attention(x, x, x, o)],
  ["attention", "casual", "causal", (o) => sqrtdk.ops.attention(x, x, x, o)],
  ["matmul", "transpose_b", "transposeB", (o) => sqrtdk.ops.matmul(x, x, o)],
  ["softmax", "axis", "", (o) => sqrtdk.ops.softmax(x, o)],
  ["layerNorm", "eps", "", (o) => sqrtdk.ops.layerNorm(x, o)],
  ["layerNorm", "epsylon", "epsilon", (o) => sqrtdk.ops.layerNorm(x, o)],
  [
    "additiveAttention",
    "forn",
    "form",
    (o) => sqrtdk.ops.additiveAttention(x, x, x, { wQ: x, wK: x, v: [1, 1] }, o),
  ],
  ["additiveAttention", "w_q", "wQ", (o) => sqrtdk.ops.additiveAttention(x, x, x, o)],
  ["randn", "sead", "seed", (o) => sqrtdk.random.randn([2], o)],
  ["EncoderLayer", "droput", "dropout", (o) => new sqrtdk.nn.EncoderLayer({ ...heads, ...(o as object) })],
  ["EncoderLayer", "d_ff", "dFf", (o) => new sqrtdk.nn.EncoderLayer({ ...heads, ...(o as object) })],
  ["LayerNorm", "kind", "", (o) => new sqrtdk.nn.LayerNorm({ dModel: 2, ...(o as object) })],
  ["Linear", "norml", "normal", (init) => new sqrtdk.nn.Linear({ nIn: 1, nOut: 1, init })],
  ["EncoderLayer", "explains", "explain", (o) => new sqrtdk.nn.EncoderLayer(heads).forward([x], o)],
  ["DecoderLayer", "mass", "mask", (self) => new sqrtdk.nn.DecoderLayer(heads).forward([x], [x], { self })],
  [
    "MultiHeadAttention",
    "returnWeigths",
    "returnWeights",
    (o) => new sqrtdk.nn.MultiHeadAttention(heads).forward([x], [x], [x], o),
  ],
  ["generate", "step", "steps", (o) => new sqrtdk.models.LanguageModel(sizes).generate([1], o)],
  ["save", "dtyp", "dtype", (o) => new sqrtdk.nn.Linear({ nIn: 1, nOut: 1 }).save(o)],
  [
    "loadStateDict",
    "strikt",
    "strict",
    (o) => new sqrtdk.nn.Linear({ nIn: 1, nOut: 1 }).loadStateDict({}, o),
  ],
  ["writeSafetensors", "meta", "", (o) => sqrtdk.formats.writeSafetensors({ x }, o)],
  ["trainer", "learning_rate", "learningRate", (o) => sqrtdk.train.trainer(o)],
  ["run", "record_every", "recordEvery", (o) => sqrtdk.train.trainer({ dModel: 4 }).run(1, o)],
  ["record", "headExample", "headExamples", (o) => sqrtdk.train.trainer({ dModel: 4 }).record(o)],
  ["trainer", "scael", "scale", (o) => sqrtdk.train.trainer({ dModel: 4 }).evaluate(1, o)],
  ["score_variance", "progress", "onProgress", (o) => sqrtdk.experiments.get("score_variance").run({}, o)],
  ["score_variance", "trails", "trials", (o) => sqrtdk.experiments.get("score_variance").run(o)],
];

it.each(refused)("%s refuses %s", (operator, got, meant, call) => {
  sqrtdk.scope(() => {
    const error = thrown(() => call({ [got]: 1 } as never));
    expect(error).toMatchObject({ name: "ValueError", code: "unknown_name", operator, got });
    expect(error.expected.split(", ").length).toBeGreaterThan(0);
    if (meant) expect(error.message).toMatch(new RegExp(`; did you mean ${meant}\\?$`));
    else expect(error.message).not.toContain("did you mean");
  });
});

it("tells names that are data as they are written", () => {
  const error = thrown(() => sqrtdk.train.trainer({ task: "modularAddition" }));
  expect(error).toMatchObject({ operator: "trainer", argument: "task", got: "modularAddition" });
  expect(error.message).toMatch(/; did you mean modular_addition\?$/);
});

it("tells what was meant where it is near", () => {
  expect(suggestion("ab", "ba, xyz")).toBe("; did you mean ba?");
  expect(suggestion("return_stats", "returnWeights, returnStats")).toBe("; did you mean returnStats?");
  expect(suggestion("elephant", "scale, mask")).toBe("");
});
