// What people import with the module `nn`, but for `load`: that of `ops`, and layers.
export * from "./index_ops.ts";
export type { Files } from "./files.ts";
export type { Formats, SafeTensors, SaveOptions } from "./formats.ts";
export type { Bound } from "./bound.ts";
export { Layer } from "./layer.ts";
export type { ForwardOptions, KeyDifference, LayerAttentionOptions, LoadStateOptions } from "./layer.ts";
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
  DecoderLayer,
  Embedding,
  EncoderForwardOptions,
  EncoderLayer,
  FeedForward,
  LayerNorm,
  Linear,
  MultiHeadAttention,
  MultiHeadAttentionOptions,
  MultiHeadAttentionResult,
  RMSNorm,
  SequenceLayer,
  Transformer,
  TransformerDecoder,
  TransformerEncoder,
  TransformerForwardOptions,
} from "./layers.ts";
export type {
  GenerateOptions,
  KeyValueCache,
  LanguageModel,
  ModelConfig,
  PackOptions,
  ScaleOptions,
} from "./language_model.ts";
export type { Models } from "./models.ts";
export type { Nn } from "./nn.ts";
export type { WeightFormat } from "./signatures.ts";
export type { Tokenizer } from "./tokenizer.ts";
export type { WithLayers } from "./with_layers.ts";
