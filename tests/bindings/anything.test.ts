// Every function of the API, called with right arguments of which one, or one option, is anything: it computes, or throws
// a typed error; never a trap, an error of the engine or of our own making.
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { SqrtdkError, load } from "../../bindings/entry/full.ts";
import type { Layer, Sqrtdk } from "../../bindings/entry/full.ts";
import { anything } from "./anything.ts";
import { small } from "./small_trainer.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

type Arguments = readonly unknown[];
type Table = Readonly<Record<string, Arguments>>;
type Functions = Readonly<Record<string, (...given: Arguments) => unknown>>;

const x = { data: [1, 2, 3, 4], shape: [1, 2, 2] };
const square = { data: [1, 2, 3, 4], shape: [2, 2] };
const row = { data: [1, 2], shape: [2] };
const stats = { data: [0, 1, 0, 1], shape: [1, 2, 2] };
const ids = { data: [0, 1], shape: [1, 2] };
const heads = { dModel: 2, nHeads: 1 };
const norm = { gain: row, epsilon: 1e-5, returnStats: true };
const loss = { reduction: "sum", labelSmoothing: 0.1, ignoreIndex: 1, weight: row };
const masks = {
  scale: 0.5,
  softcap: 0,
  causal: "top_left",
  nPast: 0,
  mask: square,
  bias: square,
  lengths: [2],
};
const additive = { wQ: square, wK: square, v: row, b: row };
const passes = { training: true, step: 1, explain: true };
const layer = { ...masks, ...passes };

const ops: Table = {
  attention: [x, x, x, { ...masks, returnWeights: true }],
  attentionBackward: [x, x, x, { weights: x, scores: x }, x, masks],
  appendRows: [x, x, x],
  additiveAttention: [x, x, x, additive, { form: "naive", mask: square }],
  additiveAttentionBackward: [x, x, x, additive, x, x, { mask: square }],
  cosineAttention: [x, x, x, 1, { mask: square }],
  cosineAttentionBackward: [x, x, x, 1, x, x, { mask: square }],
  matmul: [square, square, { transposeA: true, transposeB: true }],
  packMatrix: [square, { transposeB: true }],
  roundTo: ["f16", x, {}],
  matmulInFormat: [square, square, { format: "bf16", accumulate: "f32" }],
  embedding: [square, ids, {}],
  embeddingBackward: [ids, x, 2],
  rotaryTable: [2, 2, 10000],
  rotary: [x, [[1], [1]], [[0], [0]], { positions: [0, 1], pairs: "halves" }],
  rotaryBackward: [x, [[1], [1]], [[0], [0]], { positions: [0, 1], pairs: "halves" }],
  positionalEncoding: [2, 2, { base: 100 }],
  softmax: [x, {}],
  softmaxBackward: [x, x, {}],
  logSoftmax: [x, {}],
  logSoftmaxBackward: [x, x, {}],
  activation: ["relu", x, {}],
  activationBackward: ["gelu", x, x, {}],
  layerNorm: [x, { ...norm, bias: row }],
  layerNormBackward: [x, { rowStats: stats, options: { gain: row } }, x, { gain: row }],
  rmsNorm: [x, norm],
  rmsNormBackward: [x, { rowStats: [[1, 1]], options: { gain: row } }, x, { gain: row }],
  crossEntropy: [x, ids, loss],
  crossEntropyBackward: [{ logProbs: x, options: loss }, ids, 1, loss],
  dropout: [x, 0.5, { seed: 1, stream: 2 }],
  dropoutBackward: [x, 0.5, { seed: 1, stream: 2 }],
  zeros: [[2], {}],
  ones: [[2], {}],
  full: [[2], 3, {}],
  arange: [0, 4, 2],
  reshape: [x, [4], {}],
  slice: [x, [0], [1], { steps: [1] }],
  transpose: [x, [0, 2, 1], {}],
  concat: [[x, x], 0, {}],
  add: [x, x, {}],
  sub: [x, x, {}],
  mul: [x, x, {}],
  div: [x, x, {}],
  sum: [x, 0, { keepDims: true }],
  mean: [x, 0, { keepDims: true }],
};
const random: Table = {
  randn: [[2], { seed: 1, stream: 1 }],
  rand: [[2], { seed: 1, stream: 1 }],
};
const formats = (): Table => ({
  readCsv: ["1,2"],
  readNpy: [sqrtdk.formats.writeNpy(x)],
  writeNpy: [x],
  readSafetensors: [sqrtdk.formats.writeSafetensors({ x })],
  writeSafetensors: [{ x }, { dtype: "f16", metadata: { a: "b" } }],
});
const state = (layer: Layer, left: string): Table => ({
  stateDict: [],
  gradients: [],
  zeroGrad: [],
  loadStateDict: [layer.stateDict(), { strict: false, prefix: "" }],
  save: [{ dtype: "bf16", metadata: {} }],
  load: [layer.save(), { strict: false }],
  intermediates: [],
  intermediate: [left],
});

/** A call with one of its arguments, or one value of one of these, replaced. */
const replaced = (given: Arguments, value: fc.Arbitrary<unknown>): fc.Arbitrary<Arguments> =>
  given.length === 0
    ? fc.tuple(value)
    : fc.tuple(fc.nat(given.length - 1), fc.nat(), fc.boolean(), value).map(([at, which, inside, put]) => {
        const whole = given[at];
        const names = Object.keys(whole as object);
        const name = names[which % names.length];
        return given.with(at, inside && name !== undefined ? { ...(whole as object), [name]: put } : put);
      });

/** Calls each function of `table` once with what is right, and then so often with something replaced. */
function holds(functions: object, table: Table, runs = 150, value = anything): void {
  sqrtdk.scope(() => {
    for (const [name, given] of Object.entries(table)) (functions as Functions)[name]!(...given);
  });
  refuses(functions, table, runs, value);
}

/** Calls each function of `table` so often with something replaced. */
function refuses(functions: object, table: Table, runs = 150, value = anything): void {
  for (const [name, given] of Object.entries(table)) {
    const called = fc.property(replaced(given, value), (list) => {
      sqrtdk.scope(() => {
        try {
          (functions as Functions)[name]!(...list);
        } catch (error) {
          expect(error, name).toBeInstanceOf(SqrtdkError);
          expect((error as SqrtdkError).code, name).not.toBe("internal");
        }
      });
    });
    fc.assert(called, { numRuns: runs });
  }
}

it("operators", () => {
  expect(Object.keys(ops).sort()).toEqual(Object.keys(sqrtdk.ops).sort());
  holds(sqrtdk.ops, ops);
});

it("random numbers", () => {
  expect(Object.keys(random).sort()).toEqual(Object.keys(sqrtdk.random).sort());
  holds(sqrtdk.random, random);
});

it("files", () => {
  const table = formats();
  expect(Object.keys(table).sort()).toEqual(Object.keys(sqrtdk.formats).sort());
  holds(sqrtdk.formats, table);
});

it("tensors", () => {
  holds(sqrtdk, {
    tensor: [
      [1, 2, 3, 4],
      [2, 2],
    ],
  });
  sqrtdk.scope(() => holds(sqrtdk.tensor([1, 2]), { copyTo: [new Float32Array(2)] }));
});

it("layers", () => {
  sqrtdk.scope(() => {
    const { nn } = sqrtdk;
    const plain: Table = { forward: [x, passes], backward: [x] };
    const one: Table = { forward: [x, layer], backward: [x] };
    const two: Table = { forward: [x, x, { self: masks, cross: masks, ...passes }], backward: [x] };
    const linear = new nn.Linear({ nIn: 2, nOut: 2 });
    holds(linear, { ...plain, ...state(linear, "out") }, 40);
    holds(new nn.Embedding({ vocab: 2, dModel: 2 }), { ...plain, forward: [ids, passes] }, 40);
    holds(new nn.LayerNorm({ dModel: 2 }), one, 40);
    holds(new nn.RMSNorm({ dModel: 2 }), one, 40);
    holds(new nn.FeedForward({ dModel: 2 }), one, 40);
    holds(new nn.MultiHeadAttention(heads), { ...one, forward: [x, x, x, layer] }, 40);
    holds(new nn.EncoderLayer(heads), one, 40);
    holds(new nn.DecoderLayer(heads), two, 40);
    holds(new nn.TransformerEncoder({ ...heads, nLayers: 1 }), one, 40);
    holds(new nn.TransformerDecoder({ ...heads, nLayers: 1 }), two, 40);
    holds(new nn.Transformer({ ...heads, nEncoderLayers: 1, nDecoderLayers: 1 }), two, 40);
  });
});

/** No numbers, of which a large one is work for minutes. */
const noNumber = anything.filter((value) => !["number", "bigint"].includes(typeof value));

it("language models", () => {
  sqrtdk.scope(() => {
    const model = new sqrtdk.models.LanguageModel({ ...heads, nLayers: 1, vocab: 2, context: 4 });
    const past = model.makeCache();
    holds(
      model,
      { forward: [ids, layer], backward: [x], pack: [{ weights: "int8" }], ...state(model, "head.out") },
      40,
    );
    holds(model, { decode: [[1], past, { scale: 0.5 }], nll: [[1, 0], {}], makeCache: [1, 4] }, 40);
    const chosen = { steps: 2, stop: 1, temperature: 1, topK: 2, topP: 0.9, seed: 1, onToken: () => true };
    holds(model, { generate: [[1], chosen] }, 100, noNumber);
    refuses(sqrtdk.models, { loadLlama2c: [new Uint8Array(80)], loadNanoGpt: ["{}", {}] }, 100);
  });
});

it("trainers", () => {
  sqrtdk.scope(() => {
    const trainer = sqrtdk.train.trainer(small);
    const saved = trainer.checkpoint();
    holds(sqrtdk.train, { trainer: [small], loadTrainer: [saved] }, 60);
    refuses(sqrtdk.train, { raceResult: [{}, []] }, 60);
    holds(trainer, { restore: [saved], record: [{}], attentionMaps: [0, { scale: 1 }] }, 60);
    holds(trainer, { run: [1, {}], evaluate: [1, {}], answers: [1, { first: 1 }] }, 60, noNumber);
    trainer.restore(saved);
    expect(trainer.checkpoint()).toEqual(saved);
  });
});
