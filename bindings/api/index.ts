// What people import, but for `load`: types and errors.
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
export type { MatmulOptions, MatrixKernels, OutOption, PackedMatrix, RotaryOptions } from "./matrix.ts";
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
  CrossEntropy,
  CrossEntropyOptions,
  DropoutOptions,
  LayerNormOptions,
  NormGradients,
  NormOptions,
  Normalized,
  RowKernels,
} from "./rows.ts";
export type { Scale } from "./scale.ts";
export type { Activation, Dtype, Format, ScaleName } from "./signatures.ts";
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
