// Options that are null or a number: a ValueError that names the operator and the argument, of every function that
// takes options.
import { beforeAll, describe, expect, it } from "vitest";
import { ValueError, load } from "../../bindings/entry/full.ts";
import type { LanguageModel, Sqrtdk, SqrtdkWorker, Trainer } from "../../bindings/entry/full.ts";
import { rejected, thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const x = { data: [1, 2, 3, 4], shape: [1, 2, 2] };
const square = { data: [1, 2, 3, 4], shape: [2, 2] };
const row = { data: [1, 2], shape: [2] };
const stats = { data: [0, 1, 0, 1], shape: [1, 2, 2] };
const ids = { data: [0, 1], shape: [1, 2] };
const heads = { dModel: 2, nHeads: 1 };
const additive = { wQ: square, wK: square, v: row };

type Call = (options: never) => unknown;
const operators: Readonly<Record<string, Call>> = {
  sum: (o) => sqrtdk.ops.sum(x, 0, o),
  mean: (o) => sqrtdk.ops.mean(x, 0, o),
  slice: (o) => sqrtdk.ops.slice(x, [0], [1], o),
  attention: (o) => sqrtdk.ops.attention(x, x, x, o),
  attentionBackward: (o) => sqrtdk.ops.attentionBackward(x, x, x, { weights: x, scores: x }, x, o),
  additiveAttention: (o) => sqrtdk.ops.additiveAttention(x, x, x, additive, o),
  additiveAttentionBackward: (o) => sqrtdk.ops.additiveAttentionBackward(x, x, x, additive, x, x, o),
  cosineAttention: (o) => sqrtdk.ops.cosineAttention(x, x, x, 1, o),
  cosineAttentionBackward: (o) => sqrtdk.ops.cosineAttentionBackward(x, x, x, 1, x, x, o),
  matmul: (o) => sqrtdk.ops.matmul(square, square, o),
  packMatrix: (o) => sqrtdk.ops.packMatrix(square, o),
  roundTo: (o) => sqrtdk.ops.roundTo("f16", x, o),
  matmulInFormat: (o) => sqrtdk.ops.matmulInFormat(square, square, o),
  embedding: (o) => sqrtdk.ops.embedding(square, ids, o),
  rotary: (o) => sqrtdk.ops.rotary(x, square, square, o),
  rotaryBackward: (o) => sqrtdk.ops.rotaryBackward(x, square, square, o),
  softmax: (o) => sqrtdk.ops.softmax(x, o),
  softmaxBackward: (o) => sqrtdk.ops.softmaxBackward(x, x, o),
  logSoftmax: (o) => sqrtdk.ops.logSoftmax(x, o),
  logSoftmaxBackward: (o) => sqrtdk.ops.logSoftmaxBackward(x, x, o),
  activation: (o) => sqrtdk.ops.activation("relu", x, o),
  activationBackward: (o) => sqrtdk.ops.activationBackward("relu", x, x, o),
  layerNorm: (o) => sqrtdk.ops.layerNorm(x, o),
  layerNormBackward: (o) => sqrtdk.ops.layerNormBackward(x, stats, x, o),
  rmsNorm: (o) => sqrtdk.ops.rmsNorm(x, o),
  rmsNormBackward: (o) => sqrtdk.ops.rmsNormBackward(x, square, x, o),
  crossEntropy: (o) => sqrtdk.ops.crossEntropy(x, ids, o),
  crossEntropyBackward: (o) => sqrtdk.ops.crossEntropyBackward(x, ids, 1, o),
  dropout: (o) => sqrtdk.ops.dropout(x, 0.5, o),
  dropoutBackward: (o) => sqrtdk.ops.dropoutBackward(x, 0.5, o),
  randn: (o) => sqrtdk.random.randn([2], o),
  rand: (o) => sqrtdk.random.rand([2], o),
  positionalEncoding: (o) => sqrtdk.ops.positionalEncoding(2, 2, o),
  writeSafetensors: (o) => sqrtdk.formats.writeSafetensors({ x }, o),
  score_variance: (o) => sqrtdk.experiments.get("score_variance").run({ d: 1, trials: 10 }, o),
  Linear: (o) => new sqrtdk.nn.Linear({ nIn: 2, nOut: 2 }).forward(x, o),
  Embedding: (o) => new sqrtdk.nn.Embedding({ vocab: 2, dModel: 2 }).forward(ids, o),
  LayerNorm: (o) => new sqrtdk.nn.LayerNorm({ dModel: 2 }).forward(x, o),
  FeedForward: (o) => new sqrtdk.nn.FeedForward({ dModel: 2 }).forward(x, o),
  MultiHeadAttention: (o) => new sqrtdk.nn.MultiHeadAttention(heads).forward(x, x, x, o),
  EncoderLayer: (o) => new sqrtdk.nn.EncoderLayer(heads).forward(x, o),
  DecoderLayer: (o) => new sqrtdk.nn.DecoderLayer(heads).forward(x, x, o),
  TransformerEncoder: (o) => new sqrtdk.nn.TransformerEncoder({ ...heads, nLayers: 1 }).forward(x, o),
  TransformerDecoder: (o) => new sqrtdk.nn.TransformerDecoder({ ...heads, nLayers: 1 }).forward(x, x, o),
  Transformer: (o) =>
    new sqrtdk.nn.Transformer({ ...heads, nEncoderLayers: 1, nDecoderLayers: 1 }).forward(x, x, o),
  LanguageModel: (o) => model().forward(ids, o),
  decode: (o) => model().decode([1], model().makeCache(), o),
  generate: (o) => model().generate([1], o),
  nll: (o) => model().nll([1, 0], o),
  save: (o) => model().save(o),
  load: (o) => model().load(new Uint8Array(8), o),
  loadStateDict: (o) => model().loadStateDict({}, o),
  trainer: (o) => sqrtdk.train.trainer(o),
  run: (o) => trainer().run(1, o),
  record: (o) => trainer().record(o),
};
const model = (): LanguageModel =>
  new sqrtdk.models.LanguageModel({ ...heads, nLayers: 1, vocab: 2, context: 4 });
const trainer = (): Trainer => sqrtdk.train.trainer({ dModel: 4, nHeads: 1, length: 2, batch: 1 });

/** What takes its options under another operator's or argument's name. */
const others: readonly (readonly [operator: string, argument: string, Call])[] = [
  ["trainer", "options", (o) => trainer().evaluate(1, o)],
  ["trainer", "options", (o) => trainer().answers(1, o)],
  ["trainer", "options", (o) => trainer().attentionMaps(0, o)],
  ["additiveAttention", "parameters", (o) => sqrtdk.ops.additiveAttention(x, x, x, o)],
  ["DecoderLayer", "self", (o) => new sqrtdk.nn.DecoderLayer(heads).forward(x, x, { self: o })],
  ["DecoderLayer", "cross", (o) => new sqrtdk.nn.DecoderLayer(heads).forward(x, x, { cross: o })],
  ["loadNanoGpt", "files", (o) => sqrtdk.models.loadNanoGpt("{}", o)],
  ["score_variance", "params", (o) => sqrtdk.experiments.get("score_variance").run(o)],
  ["score_variance", "params", (o) => sqrtdk.experiments.get("score_variance").work(o)],
  ...(["Linear", "LayerNorm", "EncoderLayer"] as const).map(
    (kind) => [kind, "config", (o: never) => new sqrtdk.nn[kind](o)] as const,
  ),
  ["LanguageModel", "config", (o: never) => new sqrtdk.models.LanguageModel(o)],
];

const all = [
  ...Object.entries(operators).map(([operator, call]) => [operator, "options", call] as const),
  ...others,
];

describe.each([null, 5])("%s", (wrong) => {
  it.each(all)("%s: %s", (operator, argument, call) => {
    sqrtdk.scope(() => {
      const error = thrown(() => call(wrong as never));
      expect(error).toBeInstanceOf(ValueError);
      const got = wrong === null ? "null" : "number";
      expect(error).toMatchObject({ code: "unsupported", operator, argument, got, expected: "an object" });
    });
  });

  it("rejects where a promise is answered", async () => {
    const given = wrong as never;
    expect(await rejected(load(given))).toMatchObject({ operator: "load", argument: "options" });
    const beside: SqrtdkWorker = await load({ worker: true });
    const experiment = beside.experiments.get("score_variance");
    for (const [promise, operator, argument] of [
      [experiment.run({}, given), "score_variance", "options"],
      [experiment.run(given), "score_variance", "params"],
      [beside.train.trainer(given), "trainer", "options"],
      [beside.train.trainer({}, given), "trainer", "where"],
      [beside.train.loadTrainer(new Uint8Array(1), given), "loadTrainer", "where"],
    ] as const) {
      expect(await rejected(promise)).toMatchObject({ name: "ValueError", operator, argument });
    }
  });
});

it("has every operator that takes options in its table", () => {
  const without = [
    ...["appendRows", "embeddingBackward", "rotaryTable"], // whose arguments all stand for themselves
    ...["zeros", "ones", "full", "arange", "reshape", "transpose", "concat", "add", "sub", "mul", "div"],
  ];
  const ops = Object.keys(sqrtdk.ops).filter((name) => !without.includes(name));
  expect(Object.keys(operators)).toEqual(expect.arrayContaining(ops));
});
