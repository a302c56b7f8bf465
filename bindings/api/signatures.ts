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
  readonly WeightFormat: "f32" | "bf16" | "int8";
  readonly RotaryPairs: "halves" | "interleaved";
  readonly LayerTensors: "parameters" | "gradients" | "cache";
  readonly Arithmetic: "add" | "sub" | "mul" | "div";
  readonly Reduce: "sum" | "mean";
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

export type WeightFormat = "f32" | "bf16" | "int8";
export const weightFormatNames: readonly Choices["WeightFormat"][] = ["f32", "bf16", "int8"];

export type RotaryPairs = "halves" | "interleaved";
export const rotaryPairsNames: readonly Choices["RotaryPairs"][] = ["halves", "interleaved"];

export type LayerTensors = "parameters" | "gradients" | "cache";
export const layerTensorsNames: readonly Choices["LayerTensors"][] = ["parameters", "gradients", "cache"];

export type Arithmetic = "add" | "sub" | "mul" | "div";
export const arithmeticNames: readonly Choices["Arithmetic"][] = ["add", "sub", "mul", "div"];

export type Reduce = "sum" | "mean";
export const reduceNames: readonly Choices["Reduce"][] = ["sum", "mean"];

// The names of scales at a head dimension d.
export type ScaleName = "default" | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d";

// Arguments that several operators have.
export const attention =
  "attention(scale?: scale, softcap: number, causal: Causal, nPast: number, mask?: u8, bias?: f32, lengths?: i32): attention";

export const describeAll = "describe_all(): text";
export const experimentWork = "experiment_work(request: bytes): number";
export const runExperiment = "run_experiment(request: bytes, reports: flag): text";
export const readCsv = "read_csv(text: bytes): text";
export const readNpy = "read_npy(bytes: bytes): text";
export const releaseObject = "release_object(handle: number): void";
export const makeTrainer = "make_trainer(fields: bytes): handle";
export const loadTrainer = "load_trainer(checkpoint: bytes): handle";
export const trainerFields = "trainer_fields(): text";
export const trainerFacts = "trainer_facts(trainer: handle): text";
export const trainerConfig = "trainer_config(trainer: handle): text";
export const trainerState = "trainer_state(trainer: handle): numbers";
export const setLearningRate = "set_learning_rate(trainer: handle, rate: number): void";
export const trainerStep = "trainer_step(trainer: handle): numbers";
export const trainerRecord =
  "trainer_record(trainer: handle, examples: number, headExamples: number): numbers";
export const trainerEvaluate = "trainer_evaluate(trainer: handle, n: number, scale?: text): numbers";
export const trainerAnswers =
  "trainer_answers(trainer: handle, first: number, n: number, scale?: text): text";
export const trainerMaps = "trainer_maps(trainer: handle, example: number, scale?: text): text";
export const saveTrainer = "save_trainer(trainer: handle): bytes";
export const restoreTrainer = "restore_trainer(trainer: handle, checkpoint: bytes): void";
export const trainerHash = "trainer_hash(trainer: handle): text";
export const trainerParameters = "trainer_parameters(trainer: handle): text";
export const raceResult = "race_result(request: bytes, rows: bytes): text";
export const attentionForward =
  "attention_forward(q: f32, k: f32, v: f32, options: attention, scores: f32, weights: f32, out: f32): void";
export const attentionBackward =
  "attention_backward(q: f32, k: f32, v: f32, options: attention, scores: f32, weights: f32, dout: f32, dscores: f32, dq: f32, dk: f32, dv: f32): void";
export const tiledAttentionForward =
  "tiled_attention_forward(q: f32, k: f32, v: f32, options: attention, out: f32, rowStats?: f32): void";
export const tiledAttentionBackward =
  "tiled_attention_backward(q: f32, k: f32, v: f32, options: attention, rowStats: f32, dout: f32, dq: f32, dk: f32, dv: f32): void";
export const appendRows = "append_rows(past: f32, x: f32, present: f32): void";
export const additiveAttentionForward =
  "additive_attention_forward(q: f32, k: f32, values: f32, wQ: f32, wK: f32, v: f32, b?: f32, mask?: u8, form: AdditiveForm, scores: f32, weights: f32, out: f32): void";
export const additiveAttentionBackward =
  "additive_attention_backward(q: f32, k: f32, values: f32, wQ: f32, wK: f32, v: f32, b?: f32, mask?: u8, weights: f32, dout: f32, dscores: f32, dq: f32, dk: f32, dvalues: f32, dwQ: f32, dwK: f32, dv: f32, db: f32): void";
export const cosineAttentionForward =
  "cosine_attention_forward(q: f32, k: f32, v: f32, tau: number, mask?: u8, scores: f32, weights: f32, out: f32): void";
export const cosineAttentionBackward =
  "cosine_attention_backward(q: f32, k: f32, v: f32, tau: number, mask?: u8, weights: f32, dout: f32, dscores: f32, dq: f32, dk: f32, dv: f32): number";
export const matmul =
  "matmul(a: f32, b: f32, bias?: f32, out: f32, transposeA: flag, transposeB: flag): void";
export const packedSize = "packed_size(k: number, n: number): number";
export const packMatrix = "pack_matrix(b: f32, packed: f32, transposeB: flag): void";
export const matmulPacked =
  "matmul_packed(a: f32, packed: f32, bias?: f32, out: f32, k: number, n: number): void";
export const roundTo = "round_to(format: Format, x: f32, out: f32): void";
export const matmulInFormat =
  "matmul_in_format(a: f32, b: f32, out: f32, transposeA: flag, transposeB: flag, format: Format, accumulate: Format): void";
export const embeddingForward = "embedding_forward(table: f32, ids: i32, out: f32): void";
export const embeddingBackward = "embedding_backward(ids: i32, dout: f32, dtable: f32): void";
export const positionalEncoding = "positional_encoding(out: f32, base: number): void";
export const rotaryTable = "rotary_table(base: number, cos: f32, sin: f32): void";
export const rotaryForward =
  "rotary_forward(x: f32, cos: f32, sin: f32, positions?: i32, pairs: RotaryPairs, out: f32): void";
export const rotaryBackward =
  "rotary_backward(dout: f32, cos: f32, sin: f32, positions?: i32, pairs: RotaryPairs, dx: f32): void";
export const softmaxForward = "softmax_forward(x: f32, out: f32): void";
export const softmaxBackward = "softmax_backward(p: f32, dp: f32, dx: f32): void";
export const logSoftmaxForward = "log_softmax_forward(x: f32, out: f32): void";
export const logSoftmaxBackward = "log_softmax_backward(y: f32, dy: f32, dx: f32): void";
export const activationForward = "activation_forward(activation: Activation, x: f32, out: f32): void";
export const activationBackward =
  "activation_backward(activation: Activation, x: f32, dout: f32, dx: f32): void";
export const layerNormForward =
  "layer_norm_forward(x: f32, gain?: f32, bias?: f32, epsilon: number, out: f32, rowStats?: f32): void";
export const layerNormBackward =
  "layer_norm_backward(x: f32, gain?: f32, rowStats: f32, dout: f32, dx: f32, dgain: f32, dbias: f32): void";
export const rmsNormForward =
  "rms_norm_forward(x: f32, gain?: f32, epsilon: number, out: f32, rowRrms?: f32): void";
export const rmsNormBackward =
  "rms_norm_backward(x: f32, gain?: f32, rowRrms: f32, dout: f32, dx: f32, dgain: f32): void";
export const crossEntropyForward =
  "cross_entropy_forward(logits: f32, target: i32, reduction: Reduction, labelSmoothing: number, ignoreIndex: number, weight?: f32, logProbs: f32, losses: f32): number";
export const crossEntropyBackward =
  "cross_entropy_backward(logProbs: f32, target: i32, reduction: Reduction, labelSmoothing: number, ignoreIndex: number, weight?: f32, dloss: f32, dlogits: f32): void";
export const dropoutForward =
  "dropout_forward(x: f32, probability: number, seed: bits64, stream: number, out: f32): void";
export const dropoutBackward =
  "dropout_backward(dout: f32, probability: number, seed: bits64, stream: number, dx: f32): void";
export const philox = "philox(seed: bits64, stream: number, normal: flag, out: f32): void";
export const torch = "torch(seed: bits64, normal: flag, out: f32): void";
export const full = "full(value: number, out?: f32, dims: rest): numbers";
export const arange = "arange(start: number, stop: number, step: number, out?: f32): numbers";
export const reshape = "reshape(x: f32, out?: f32, dims: rest): numbers";
export const slice = "slice(x: f32, out?: f32, slices: rest): numbers";
export const transpose = "transpose(x: f32, out?: f32, order: rest): numbers";
export const concat = "concat(axis: number, out?: f32, list: rest): numbers";
export const arithmetic = "arithmetic(operation: Arithmetic, a: f32, b: f32, out?: f32): numbers";
export const reduce = "reduce(what: Reduce, x: f32, axis?: number, keep: flag, out?: f32): numbers";
export const memoryUsed = "memory_used(): number";
export const makeLayer = "make_layer(fields: rest): handle";
export const initializeLayer = "initialize_layer(layer: handle, seed: bits64, fields: rest): void";
export const layerForward =
  "layer_forward(layer: handle, x?: f32, y?: f32, z?: f32, ids?: i32, first: attention, second: attention, third: attention, explain: flag, training: flag, seed: bits64, step: number, out: f32): void";
export const layerBackward = "layer_backward(layer: handle, dout: f32, dx?: f32, dy?: f32, dz?: f32): void";
export const listTensors = "list_tensors(layer: handle, which: LayerTensors): text";
export const clearGradients = "clear_gradients(layer: handle): void";
export const readSafetensors = "read_safetensors(bytes: bytes): text";
export const writeSafetensors = "write_safetensors(tensors: bytes, dtype: Dtype, metadata: bytes): bytes";
export const writeNpy = "write_npy(x: f32): bytes";
export const saveLayer = "save_layer(layer: handle, dtype: Dtype, metadata: bytes): bytes";
export const loadLayer = "load_layer(layer: handle, strict: flag, prefix: text, bytes: bytes): text";
export const loadStateDict = "load_state_dict(layer: handle, strict: flag, prefix: text, dict: bytes): text";
export const loadLlama2c = "load_llama2c(bytes: bytes): handle";
export const loadNanoGpt = "load_nano_gpt(json: bytes, files: bytes): handle";
export const describeModel = "describe_model(model: handle): text";
export const packModel = "pack_model(model: handle, weights: WeightFormat): void";
export const makePast = "make_past(model: handle, batch: number, capacity: number): handle";
export const pastLength = "past_length(past: handle): number";
export const clearPast = "clear_past(past: handle): void";
export const decode = "decode(model: handle, past: handle, ids: i32, options: attention, out: f32): void";
export const likelihood = "likelihood(model: handle, ids: i32, options: attention, out: f32): number";
export const generate =
  "generate(model: handle, past: handle, ids: i32, steps: number, options: attention, temperature: number, topK: number, topP: number, seed: bits64, stop?: number, reports: flag): text";
export const makeTokenizer = "make_tokenizer(bytes: bytes, vocab: number): handle";
export const tokenizerEncode = "tokenizer_encode(tokenizer: handle, text: bytes): text";
export const tokenizerDecode = "tokenizer_decode(tokenizer: handle, ids: i32): text";
