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
const heads = { d_model: 2, n_heads: 1 };
const additive = { w_q: square, w_k: square, v: row };

type Call = (options: never) => unknown;
const operators: Readonly<Record<string, Call>> = {
  attention: (o) => sqrtdk.attention(x, x, x, o),
  attention_backward: (o) => sqrtdk.attention_backward(x, x, x, { weights: x, scores: x } as never, x, o),
  additive_attention: (o) => sqrtdk.additive_attention(x, x, x, additive, o),
  additive_attention_backward: (o) => sqrtdk.additive_attention_backward(x, x, x, additive, x, x, o),
  cosine_attention: (o) => sqrtdk.cosine_attention(x, x, x, 1, o),
  cosine_attention_backward: (o) => sqrtdk.cosine_attention_backward(x, x, x, 1, x, x, o),
  matmul: (o) => sqrtdk.matmul(square, square, o),
  pack_matrix: (o) => sqrtdk.pack_matrix(square, o),
  round_to: (o) => sqrtdk.round_to("f16", x, o),
  matmul_in_format: (o) => sqrtdk.matmul_in_format(square, square, o),
  embedding: (o) => sqrtdk.embedding(square, ids, o),
  rotary: (o) => sqrtdk.rotary(x, square, square, o),
  rotary_backward: (o) => sqrtdk.rotary_backward(x, square, square, o),
  softmax: (o) => sqrtdk.softmax(x, o),
  softmax_backward: (o) => sqrtdk.softmax_backward(x, x, o),
  log_softmax: (o) => sqrtdk.log_softmax(x, o),
  log_softmax_backward: (o) => sqrtdk.log_softmax_backward(x, x, o),
  activation: (o) => sqrtdk.activation("relu", x, o),
  activation_backward: (o) => sqrtdk.activation_backward("relu", x, x, o),
  layer_norm: (o) => sqrtdk.layer_norm(x, o),
  layer_norm_backward: (o) => sqrtdk.layer_norm_backward(x, stats, x, o),
  rms_norm: (o) => sqrtdk.rms_norm(x, o),
  rms_norm_backward: (o) => sqrtdk.rms_norm_backward(x, square, x, o),
  cross_entropy: (o) => sqrtdk.cross_entropy(x, ids, o),
  cross_entropy_backward: (o) => sqrtdk.cross_entropy_backward(x, ids, 1, o),
  dropout: (o) => sqrtdk.dropout(x, 0.5, o),
  dropout_backward: (o) => sqrtdk.dropout_backward(x, 0.5, o),
  randn: (o) => sqrtdk.randn([2], o),
  rand: (o) => sqrtdk.rand([2], o),
  positional_encoding: (o) => sqrtdk.positional_encoding(2, 2, o),
  write_safetensors: (o) => sqrtdk.write_safetensors({ x }, o),
  score_variance: (o) => sqrtdk.experiment("score_variance").run({ d: 1, trials: 10 }, o),
  linear: (o) => sqrtdk.linear({ n_in: 2, n_out: 2 }).forward(x, o),
  token_embedding: (o) => sqrtdk.token_embedding({ vocab: 2, d_model: 2 }).forward(ids, o),
  norm: (o) => sqrtdk.norm({ d_model: 2 }).forward(x, o),
  feed_forward: (o) => sqrtdk.feed_forward({ d_model: 2 }).forward(x, o),
  multi_head_attention: (o) => sqrtdk.multi_head_attention(heads).forward(x, x, x, o),
  encoder_layer: (o) => sqrtdk.encoder_layer(heads).forward(x, o),
  decoder_layer: (o) => sqrtdk.decoder_layer(heads).forward(x, x, o),
  transformer_encoder: (o) => sqrtdk.transformer_encoder({ ...heads, n_layers: 1 }).forward(x, o),
  transformer_decoder: (o) => sqrtdk.transformer_decoder({ ...heads, n_layers: 1 }).forward(x, x, o),
  transformer: (o) =>
    sqrtdk.transformer({ ...heads, n_encoder_layers: 1, n_decoder_layers: 1 }).forward(x, x, o),
  language_model: (o) => model().forward(ids, o),
  decode: (o) => model().decode([1], model().make_cache(), o),
  generate: (o) => model().generate([1], o),
  nll: (o) => model().nll([1, 0], o),
  save: (o) => model().save(o),
  load: (o) => model().load(new Uint8Array(8), o),
  load_state_dict: (o) => model().load_state_dict({}, o),
  trainer: (o) => sqrtdk.trainer(o),
  run: (o) => trainer().run(1, o),
  record: (o) => trainer().record(o),
};
const model = (): LanguageModel => sqrtdk.language_model({ ...heads, n_layers: 1, vocab: 2, context: 4 });
const trainer = (): Trainer => sqrtdk.trainer({ d_model: 4, n_heads: 1, length: 2, batch: 1 });

/** What takes its options under another operator's or argument's name. */
const others: readonly (readonly [operator: string, argument: string, Call])[] = [
  ["trainer", "options", (o) => trainer().evaluate(1, o)],
  ["trainer", "options", (o) => trainer().answers(1, o)],
  ["trainer", "options", (o) => trainer().attention_maps(0, o)],
  ["additive_attention", "parameters", (o) => sqrtdk.additive_attention(x, x, x, o)],
  ["decoder_layer", "self", (o) => sqrtdk.decoder_layer(heads).forward(x, x, { self: o })],
  ["decoder_layer", "cross", (o) => sqrtdk.decoder_layer(heads).forward(x, x, { cross: o })],
  ["load_nano_gpt", "files", (o) => sqrtdk.load_nano_gpt("{}", o)],
  ["score_variance", "params", (o) => sqrtdk.experiment("score_variance").run(o)],
  ["score_variance", "params", (o) => sqrtdk.experiment("score_variance").work(o)],
  ...["linear", "norm", "encoder_layer", "language_model"].map(
    (kind) => [kind, "config", (o: never) => sqrtdk[kind as "linear"](o)] as const,
  ),
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
    const experiment = beside.experiment("score_variance");
    for (const [promise, operator, argument] of [
      [experiment.run({}, given), "score_variance", "options"],
      [experiment.run(given), "score_variance", "params"],
      [beside.trainer(given), "trainer", "options"],
      [beside.trainer({}, given), "trainer", "where"],
      [beside.load_trainer(new Uint8Array(1), given), "load_trainer", "where"],
    ] as const) {
      expect(await rejected(promise)).toMatchObject({ name: "ValueError", operator, argument });
    }
  });
});

it("has every operator that takes options in its table", () => {
  const without = ["append_rows", "embedding_backward", "rotary_table"]; // whose arguments all stand for themselves
  const kernels = Object.keys(sqrtdk).filter((name) =>
    /attention|softmax|norm$|_norm_|matmul|dropout/.test(name),
  );
  for (const name of kernels.filter((each) => !without.includes(each)))
    expect(Object.keys(operators)).toContain(name);
});
