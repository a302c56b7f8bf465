// Layers and their classes, bound to the memory of an instance.
import { bound } from "./bound.ts";
import type { Bound } from "./bound.ts";
import type * as config from "./layer_config.ts";
import * as layers from "./layers.ts";
import type { TensorMemory } from "./tensor.ts";

/**
 * Classes of layers in this instance's memory: `new nn.Linear({ nIn: 4, nOut: 2 })`. All throw `ValueError` for an
 * invalid config, and `OutOfMemoryError`. `dispose` what they make.
 */
export interface Nn {
  readonly Linear: Bound<config.LinearConfig, layers.Linear>;
  readonly Embedding: Bound<config.EmbeddingConfig, layers.Embedding>;
  readonly LayerNorm: Bound<config.NormConfig, layers.LayerNorm>;
  readonly RMSNorm: Bound<config.NormConfig, layers.RMSNorm>;
  readonly FeedForward: Bound<config.FeedForwardConfig, layers.FeedForward>;
  readonly MultiHeadAttention: Bound<config.MultiHeadAttentionConfig, layers.MultiHeadAttention>;
  readonly EncoderLayer: Bound<config.TransformerLayerConfig, layers.EncoderLayer>;
  readonly DecoderLayer: Bound<config.TransformerLayerConfig, layers.DecoderLayer>;
  readonly TransformerEncoder: Bound<config.StackConfig, layers.TransformerEncoder>;
  readonly TransformerDecoder: Bound<config.StackConfig, layers.TransformerDecoder>;
  readonly Transformer: Bound<config.TransformerConfig, layers.Transformer>;
}

export function makeNn(memory: TensorMemory): Nn {
  return {
    Linear: bound(memory, "Linear", layers.Linear),
    Embedding: bound(memory, "Embedding", layers.Embedding),
    LayerNorm: bound(memory, "LayerNorm", layers.LayerNorm),
    RMSNorm: bound(memory, "RMSNorm", layers.RMSNorm),
    FeedForward: bound(memory, "FeedForward", layers.FeedForward),
    MultiHeadAttention: bound(memory, "MultiHeadAttention", layers.MultiHeadAttention),
    EncoderLayer: bound(memory, "EncoderLayer", layers.EncoderLayer),
    DecoderLayer: bound(memory, "DecoderLayer", layers.DecoderLayer),
    TransformerEncoder: bound(memory, "TransformerEncoder", layers.TransformerEncoder),
    TransformerDecoder: bound(memory, "TransformerDecoder", layers.TransformerDecoder),
    Transformer: bound(memory, "Transformer", layers.Transformer),
  };
}
