// The JavaScript API of sqrtdk.
//
//   import { load } from "sqrtdk";
//   const sqrtdk = await load();                                        // everything on this thread
//   const result = sqrtdk.experiment("score_variance").run({ d: [32, 128], seed: 7 });
//   const layer = sqrtdk.encoder_layer({ d_model: 512, n_heads: 8, d_ff: 2048 });
//   const out = layer.forward(sqrtdk.randn([2, 10, 512]));
//   const trainer = sqrtdk.trainer({ task: "sort", scale: "none" });    // then run, evaluate, answers, checkpoint
//   const worker = await load({ worker: true });                        // run() returns promises
//   await worker.experiment("score_variance").run({ trials: 100000 }, { signal, onProgress });
//
// The sources import Emscripten's glue as "../build/wasm/kernels.mjs" and, unless told otherwise, find the
// module and the worker where locations.ts says. In build/package/ both lie beside index.js, so a site's
// bundler should resolve bindings/index.ts to build/package/index.js; its two
// `new URL("./…", import.meta.url)` become assets. A single-file embed passes `wasmBinary` (the bytes of
// kernels.wasm) and `worker: { source }` (the text of build/package/worker.js).
export { load } from "./load.ts";
export type { LoadOptions, SqrtdkWorker, WorkerLoadOptions } from "./load.ts";
export type { Sqrtdk } from "./api.ts";
export type { Experiment, Experiments, WorkerExperiment } from "./experiments.ts";
export type {
  AttentionGradients,
  AttentionKernels,
  AttentionOptions,
  AttentionResult,
  TiledAttentionResult,
} from "./attention.ts";
export type { Checkpoints, SafeTensors } from "./checkpoint.ts";
export type { Files, NumberArray } from "./files.ts";
export type { Kernels } from "./kernels.ts";
export type {
  Dtype,
  ForwardOptions,
  KeyDifference,
  Layer,
  LayerAttentionOptions,
  LoadStateOptions,
  SaveOptions,
} from "./layer.ts";
export type {
  EmbeddingConfig,
  FeedForwardActivation,
  FeedForwardConfig,
  Init,
  LanguageModelConfig,
  LayerConfig,
  LinearConfig,
  MultiHeadAttentionConfig,
  NormConfig,
  StackConfig,
  TransformerConfig,
  TransformerLayerConfig,
} from "./layer_config.ts";
export type {
  Decoder,
  DecoderForwardOptions,
  Embedding,
  EncoderForwardOptions,
  Ids,
  Linear,
  MultiHeadAttention,
  MultiHeadAttentionResult,
  SequenceLayer,
  Transformer,
  TransformerForwardOptions,
} from "./layers.ts";
export type { Values } from "./listing.ts";
export type { Layers } from "./make_layers.ts";
export type {
  Format,
  MatmulOptions,
  MatrixKernels,
  OutOption,
  PackedMatrix,
  RotaryOptions,
} from "./matrix.ts";
export type { GenerateOptions, KeyValueCache, LanguageModel, ModelConfig, ScaleOptions } from "./model.ts";
export type { ModuleSource } from "./module.ts";
export type { RandomNumbers, RandomOptions } from "./random.ts";
export type {
  AdditiveGradients,
  AdditiveParameters,
  MaskOption,
  OtherAttentionKernels,
} from "./other_attention.ts";
export type {
  Activation,
  CrossEntropy,
  CrossEntropyOptions,
  DropoutOptions,
  LayerNormOptions,
  NormGradients,
  NormOptions,
  Normalized,
  RowKernels,
} from "./rows.ts";
export type { Mask, Tensor, TensorLike, TensorView } from "./tensor.ts";
export type { Tokenizer } from "./tokenizer.ts";
export type {
  Answer,
  AttentionMap,
  BesideOption,
  Evaluation,
  HowFar,
  RaceRows,
  RecordOptions,
  RunStepsOptions,
  ScaleOption,
  StepResult,
  Trainer,
  TrainerFacts,
  TrainerField,
  Trainers,
  WorkerTrainer,
  WorkerTrainers,
} from "./trainer.ts";
export type { FlagText, NumberText, TrainerConfig } from "./trainer_config.ts";
export type { WorkerLike } from "./worker_client.ts";
export type { WorkerSource } from "./worker_open.ts";
export {
  Cancelled,
  FormatError,
  LoadError,
  OutOfMemory,
  ShapeError,
  SqrtdkError,
  StaleViewError,
  ValueError,
  WorkerError,
} from "./errors.ts";
export type { ErrorFields, LoadStep } from "./errors.ts";
export type * from "./types.ts";
