// Made by scripts/update_signatures.mjs from what C++ reads (bindings/embind/*_operators.cpp): each operator's name,
// arguments in their order with their kinds, and answer. raw.ts says what a kind is.

// What operators choose among, in the order of C++'s enumerations.
export interface Choices {
  readonly Causal: "" | "top_left" | "bottom_right";
  readonly AdditiveForm: "naive" | "projected";
  readonly Activation: "relu" | "gelu" | "gelu_tanh" | "silu" | "tanh";
  readonly Reduction: "none" | "mean" | "sum";
  readonly Format: "f32" | "f16" | "bf16";
  readonly Dtype: "f32" | "f16" | "bf16";
  readonly RotaryPairs: "halves" | "interleaved";
  readonly LayerTensors: "parameters" | "gradients" | "cache";
}

export type Causal = "top_left" | "bottom_right";
export const causalNames: readonly Choices["Causal"][] = ["", "top_left", "bottom_right"];

export type AdditiveForm = "naive" | "projected";
export const additiveFormNames: readonly Choices["AdditiveForm"][] = ["naive", "projected"];

export type Activation = "relu" | "gelu" | "gelu_tanh" | "silu" | "tanh";
export const activationNames: readonly Choices["Activation"][] = [
  "relu",
  "gelu",
  "gelu_tanh",
  "silu",
  "tanh",
];

export type Reduction = "none" | "mean" | "sum";
export const reductionNames: readonly Choices["Reduction"][] = ["none", "mean", "sum"];

export type Format = "f32" | "f16" | "bf16";
export const formatNames: readonly Choices["Format"][] = ["f32", "f16", "bf16"];

export type Dtype = "f32" | "f16" | "bf16";
export const dtypeNames: readonly Choices["Dtype"][] = ["f32", "f16", "bf16"];

export type RotaryPairs = "halves" | "interleaved";
export const rotaryPairsNames: readonly Choices["RotaryPairs"][] = ["halves", "interleaved"];

export type LayerTensors = "parameters" | "gradients" | "cache";
export const layerTensorsNames: readonly Choices["LayerTensors"][] = ["parameters", "gradients", "cache"];

// The names of scales at a head dimension d.
export type ScaleName = "default" | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d";

// Arguments that several operators have.
export const attention =
  "attention(scale?: scale, softcap: number, causal: Causal, n_past: number, mask?: u8, bias?: f32, lengths?: i32): attention";

export const describe_all = "describe_all(): text";
export const experiment_work = "experiment_work(request: bytes): number";
export const run_experiment = "run_experiment(request: bytes, reports: flag): text";
export const read_csv = "read_csv(text: bytes): text";
export const read_npy = "read_npy(bytes: bytes): text";
export const release_object = "release_object(handle: number): void";
export const make_trainer = "make_trainer(fields: bytes): handle";
export const load_trainer = "load_trainer(checkpoint: bytes): handle";
export const trainer_fields = "trainer_fields(): text";
export const trainer_facts = "trainer_facts(trainer: handle): text";
export const trainer_config = "trainer_config(trainer: handle): text";
export const trainer_state = "trainer_state(trainer: handle): numbers";
export const set_learning_rate = "set_learning_rate(trainer: handle, rate: number): void";
export const trainer_step = "trainer_step(trainer: handle): numbers";
export const trainer_record =
  "trainer_record(trainer: handle, examples: number, head_examples: number): numbers";
export const trainer_evaluate = "trainer_evaluate(trainer: handle, n: number, scale?: text): numbers";
export const trainer_answers =
  "trainer_answers(trainer: handle, first: number, n: number, scale?: text): text";
export const trainer_maps = "trainer_maps(trainer: handle, example: number, scale?: text): text";
export const save_trainer = "save_trainer(trainer: handle): bytes";
export const restore_trainer = "restore_trainer(trainer: handle, checkpoint: bytes): void";
export const trainer_hash = "trainer_hash(trainer: handle): text";
export const trainer_parameters = "trainer_parameters(trainer: handle): text";
export const race_result = "race_result(request: bytes, rows: bytes): text";
export const attention_forward =
  "attention_forward(q: f32, k: f32, v: f32, options: attention, scores: f32, weights: f32, out: f32): void";
export const attention_backward =
  "attention_backward(q: f32, k: f32, v: f32, options: attention, scores: f32, weights: f32, dout: f32, dscores: f32, dq: f32, dk: f32, dv: f32): void";
export const tiled_attention_forward =
  "tiled_attention_forward(q: f32, k: f32, v: f32, options: attention, out: f32, row_stats?: f32): void";
export const tiled_attention_backward =
  "tiled_attention_backward(q: f32, k: f32, v: f32, options: attention, row_stats: f32, dout: f32, dq: f32, dk: f32, dv: f32): void";
export const append_rows = "append_rows(past: f32, x: f32, present: f32): void";
export const additive_attention_forward =
  "additive_attention_forward(q: f32, k: f32, values: f32, w_q: f32, w_k: f32, v: f32, b?: f32, mask?: u8, form: AdditiveForm, scores: f32, weights: f32, out: f32): void";
export const additive_attention_backward =
  "additive_attention_backward(q: f32, k: f32, values: f32, w_q: f32, w_k: f32, v: f32, b?: f32, mask?: u8, weights: f32, dout: f32, dscores: f32, dq: f32, dk: f32, dvalues: f32, dw_q: f32, dw_k: f32, dv: f32, db: f32): void";
export const cosine_attention_forward =
  "cosine_attention_forward(q: f32, k: f32, v: f32, tau: number, mask?: u8, scores: f32, weights: f32, out: f32): void";
export const cosine_attention_backward =
  "cosine_attention_backward(q: f32, k: f32, v: f32, tau: number, mask?: u8, weights: f32, dout: f32, dscores: f32, dq: f32, dk: f32, dv: f32): number";
export const matmul =
  "matmul(a: f32, b: f32, bias?: f32, out: f32, transpose_a: flag, transpose_b: flag): void";
export const packed_size = "packed_size(k: number, n: number): number";
export const pack_matrix = "pack_matrix(b: f32, packed: f32, transpose_b: flag): void";
export const matmul_packed =
  "matmul_packed(a: f32, packed: f32, bias?: f32, out: f32, k: number, n: number): void";
export const round_to = "round_to(format: Format, x: f32, out: f32): void";
export const matmul_in_format =
  "matmul_in_format(a: f32, b: f32, out: f32, transpose_a: flag, transpose_b: flag, format: Format, accumulate: Format): void";
export const embedding_forward = "embedding_forward(table: f32, ids: i32, out: f32): void";
export const embedding_backward = "embedding_backward(ids: i32, dout: f32, dtable: f32): void";
export const rotary_table = "rotary_table(base: number, cos: f32, sin: f32): void";
export const rotary_forward =
  "rotary_forward(x: f32, cos: f32, sin: f32, positions?: i32, pairs: RotaryPairs, out: f32): void";
export const rotary_backward =
  "rotary_backward(dout: f32, cos: f32, sin: f32, positions?: i32, pairs: RotaryPairs, dx: f32): void";
export const softmax_forward = "softmax_forward(x: f32, out: f32): void";
export const softmax_backward = "softmax_backward(p: f32, dp: f32, dx: f32): void";
export const log_softmax_forward = "log_softmax_forward(x: f32, out: f32): void";
export const log_softmax_backward = "log_softmax_backward(y: f32, dy: f32, dx: f32): void";
export const activation_forward = "activation_forward(activation: Activation, x: f32, out: f32): void";
export const activation_backward =
  "activation_backward(activation: Activation, x: f32, dout: f32, dx: f32): void";
export const layer_norm_forward =
  "layer_norm_forward(x: f32, gain?: f32, bias?: f32, epsilon: number, out: f32, row_stats?: f32): void";
export const layer_norm_backward =
  "layer_norm_backward(x: f32, gain?: f32, row_stats: f32, dout: f32, dx: f32, dgain: f32, dbias: f32): void";
export const rms_norm_forward =
  "rms_norm_forward(x: f32, gain?: f32, epsilon: number, out: f32, row_rrms?: f32): void";
export const rms_norm_backward =
  "rms_norm_backward(x: f32, gain?: f32, row_rrms: f32, dout: f32, dx: f32, dgain: f32): void";
export const cross_entropy_forward =
  "cross_entropy_forward(logits: f32, target: i32, reduction: Reduction, label_smoothing: number, ignore_index: number, weight?: f32, log_probs: f32, losses: f32): number";
export const cross_entropy_backward =
  "cross_entropy_backward(log_probs: f32, target: i32, reduction: Reduction, label_smoothing: number, ignore_index: number, weight?: f32, dloss: f32, dlogits: f32): void";
export const dropout_forward =
  "dropout_forward(x: f32, probability: number, seed: bits64, stream: number, out: f32): void";
export const dropout_backward =
  "dropout_backward(dout: f32, probability: number, seed: bits64, stream: number, dx: f32): void";
export const philox = "philox(seed: bits64, stream: number, normal: flag, out: f32): void";
export const torch = "torch(seed: bits64, normal: flag, out: f32): void";
export const make_layer = "make_layer(fields: rest): handle";
export const initialize_layer = "initialize_layer(layer: handle, seed: bits64, fields: rest): void";
export const layer_forward =
  "layer_forward(layer: handle, x?: f32, y?: f32, z?: f32, ids?: i32, first: attention, second: attention, third: attention, explain: flag, training: flag, seed: bits64, step: number, out: f32): void";
export const layer_backward = "layer_backward(layer: handle, dout: f32, dx?: f32, dy?: f32, dz?: f32): void";
export const list_tensors = "list_tensors(layer: handle, which: LayerTensors): text";
export const clear_gradients = "clear_gradients(layer: handle): void";
export const positional_encoding = "positional_encoding(out: f32, base: number): void";
export const read_safetensors = "read_safetensors(bytes: bytes): text";
export const write_safetensors = "write_safetensors(tensors: bytes, dtype: Dtype, metadata: bytes): bytes";
export const save_layer = "save_layer(layer: handle, dtype: Dtype, metadata: bytes): bytes";
export const load_layer = "load_layer(layer: handle, strict: flag, bytes: bytes): text";
export const load_state_dict = "load_state_dict(layer: handle, strict: flag, dict: bytes): text";
export const load_llama2c = "load_llama2c(bytes: bytes): handle";
export const load_nano_gpt = "load_nano_gpt(json: bytes, files: bytes): handle";
export const describe_model = "describe_model(model: handle): text";
export const make_past = "make_past(model: handle, batch: number, capacity: number): handle";
export const past_length = "past_length(past: handle): number";
export const clear_past = "clear_past(past: handle): void";
export const decode = "decode(model: handle, past: handle, ids: i32, options: attention, out: f32): void";
export const likelihood = "likelihood(model: handle, ids: i32, options: attention, out: f32): number";
export const generate =
  "generate(model: handle, past: handle, ids: i32, steps: number, options: attention, stop?: number, reports: flag): text";
export const make_tokenizer = "make_tokenizer(bytes: bytes, vocab: number): handle";
export const tokenizer_encode = "tokenizer_encode(tokenizer: handle, text: bytes): text";
export const tokenizer_decode = "tokenizer_decode(tokenizer: handle, ids: i32): text";
