// Made by scripts/update_schema.mjs from the fields that C++ declares (config_fields.h).
import type { Scales } from "./scale.ts";

/** A field as it crosses to C++: which numbers or names it may be. One that is not required has a default. */
export interface Field {
  readonly name: string;
  readonly type: "whole" | "number" | "flag" | "scale" | "choice";
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** In the order of C++'s. */
  readonly choices?: readonly string[];
}

export interface LinearFields {
  /** The dimension of the input. */
  readonly nIn: number;
  /** The dimension of the output. */
  readonly nOut: number;
  /** The layer adds a bias. Default true. */
  readonly bias?: boolean;
}

export const linearFields: readonly Field[] = [
  { name: "nIn", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "nOut", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "bias", type: "flag" },
];

export interface EmbeddingFields {
  /** The number of rows. */
  readonly vocab: number;
  /** The dimension of a row. */
  readonly dModel: number;
}

export const embeddingFields: readonly Field[] = [
  { name: "vocab", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "dModel", type: "whole", required: true, min: 1, max: 16777216 },
];

export interface NormFields {
  /** Layer norm or RMS norm. Default `layer`. */
  readonly kind?: "layer" | "rms";
  /** The dimension of a position. */
  readonly dModel: number;
  /** The norm adds it to the variance. Default 0.00001. */
  readonly epsilon?: number;
}

export const normFields: readonly Field[] = [
  { name: "kind", type: "choice", choices: ["layer", "rms"] },
  { name: "dModel", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "epsilon", type: "number", min: 0 },
];

export interface FeedForwardFields {
  /** The dimension of a position. */
  readonly dModel: number;
  /** The number of hidden units. Default 4 dModel. */
  readonly dFf?: number;
  /** SwiGLU is w2 (silu(w1 x) · w3 x) with linear1, linear2, linear3. Default `relu`. */
  readonly activation?: "relu" | "gelu" | "gelu_tanh" | "swiglu";
  /** Linear layers have biases. Default true. */
  readonly bias?: boolean;
  /** The probability that an element is dropped in training; less than 1. Default 0. */
  readonly dropout?: number;
}

export const feedForwardFields: readonly Field[] = [
  { name: "dModel", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "dFf", type: "whole", min: 1, max: 16777216 },
  { name: "activation", type: "choice", choices: ["relu", "gelu", "gelu_tanh", "swiglu"] },
  { name: "bias", type: "flag" },
  { name: "dropout", type: "number", min: 0 },
];

export interface HeadsFields {
  /** The dimension of a position. */
  readonly dModel: number;
  /** The number of heads. */
  readonly nHeads: number;
  /** The number of key and value heads, which divides nHeads. Default nHeads. */
  readonly nKvHeads?: number;
  /** A head's dimension d_k. Default dModel / nHeads. */
  readonly dHead?: number;
  /** The probability that an element is dropped in training; less than 1. Default 0. */
  readonly dropout?: number;
  /** Linear layers have biases. Default true. */
  readonly bias?: boolean;
  /** The factor of q·k. Default 1/√dHead. */
  readonly scale?: Scales;
  /** With c > 0 scores become c·tanh(scores / c). Default none. */
  readonly softcap?: number;
  /** Above 0, q and k get rotary positions. Default none; with rotary positions 10000. */
  readonly rotaryBase?: number;
  /** Each head's q and k pass an RMS norm. Default false. */
  readonly qkNorm?: boolean;
  /** Scores are scale · cos(q, k), with a default scale of √dHead. Default false. */
  readonly cosine?: boolean;
  /** The scale is a parameter, `scale` [1]. Default false. */
  readonly learnedScale?: boolean;
  /** Keys and values have one projection, W_K = W_V; in_proj_weight has 2 parts. Default false. */
  readonly tiedKv?: boolean;
  /** Components make pairs (i, i + dHead/2), or (2i, 2i + 1). Default `halves`. */
  readonly rotaryPairs?: "halves" | "interleaved";
}

export const headsFields: readonly Field[] = [
  { name: "dModel", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "nHeads", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "nKvHeads", type: "whole", min: 1, max: 16777216 },
  { name: "dHead", type: "whole", min: 1, max: 16777216 },
  { name: "dropout", type: "number", min: 0 },
  { name: "bias", type: "flag" },
  { name: "scale", type: "scale" },
  { name: "softcap", type: "number", min: 0 },
  { name: "rotaryBase", type: "number", min: 0 },
  { name: "qkNorm", type: "flag" },
  { name: "cosine", type: "flag" },
  { name: "learnedScale", type: "flag" },
  { name: "tiedKv", type: "flag" },
  { name: "rotaryPairs", type: "choice", choices: ["halves", "interleaved"] },
];

export interface MultiHeadAttentionFields extends HeadsFields {
  /** The dimension of the key input. Default dModel. */
  readonly dKeyIn?: number;
  /** The dimension of the value input. Default dModel. */
  readonly dValueIn?: number;
}

export const multiHeadAttentionFields: readonly Field[] = [
  ...headsFields,
  { name: "dKeyIn", type: "whole", min: 1, max: 16777216 },
  { name: "dValueIn", type: "whole", min: 1, max: 16777216 },
];

export interface TransformerLayerFields extends HeadsFields {
  /** The number of hidden units in the feed-forward network. Default 4 dModel. */
  readonly dFf?: number;
  /** Norms come first (pre-LN), not last (post-LN, as in the paper). Default false. */
  readonly normFirst?: boolean;
  /** The feed-forward network's; SwiGLU is w2 (silu(w1 x) · w3 x) with linear1, linear2, linear3. Default `relu`. */
  readonly activation?: "relu" | "gelu" | "gelu_tanh" | "swiglu";
  /** Norms add it to the variance. Default 0.00001. */
  readonly epsilon?: number;
  /** The norms' kind. Default `layer`. */
  readonly norm?: "layer" | "rms";
}

export const transformerLayerFields: readonly Field[] = [
  ...headsFields,
  { name: "dFf", type: "whole", min: 1, max: 16777216 },
  { name: "normFirst", type: "flag" },
  { name: "activation", type: "choice", choices: ["relu", "gelu", "gelu_tanh", "swiglu"] },
  { name: "epsilon", type: "number", min: 0 },
  { name: "norm", type: "choice", choices: ["layer", "rms"] },
];

export interface StackFields extends TransformerLayerFields {
  /** The number of layers. */
  readonly nLayers: number;
  /** A norm follows the last layer. Default as normFirst. */
  readonly finalNorm?: boolean;
}

export const stackFields: readonly Field[] = [
  ...transformerLayerFields,
  { name: "nLayers", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "finalNorm", type: "flag" },
];

export interface TransformerFields extends TransformerLayerFields {
  /** The number of the encoder's layers. */
  readonly nEncoderLayers: number;
  /** The number of the decoder's layers. */
  readonly nDecoderLayers: number;
}

export const transformerFields: readonly Field[] = [
  ...transformerLayerFields,
  { name: "nEncoderLayers", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "nDecoderLayers", type: "whole", required: true, min: 1, max: 16777216 },
];

export interface LanguageModelFields extends TransformerLayerFields {
  /** The number of different tokens. */
  readonly vocab: number;
  /** The largest number of positions. */
  readonly context: number;
  /** The model is decoder-only, not encoder-only. Default true. */
  readonly causal?: boolean;
  /** The number of logits of a position. Default vocab. */
  readonly nOut?: number;
  /** The number of layers. */
  readonly nLayers: number;
  /** What is added to embeddings; rotary positions are inside attention. Default `sinusoidal`. */
  readonly positions?: "none" | "sinusoidal" | "learned" | "rotary";
  /** The logits are products with the rows of the embedding. Default true unless nOut is given. */
  readonly tied?: boolean;
  /** The logits have a bias. Default false. */
  readonly headBias?: boolean;
  /** A norm follows the last layer. Default true. */
  readonly finalNorm?: boolean;
  /** Embeddings are multiplied by √dModel. Default false. */
  readonly scaleEmbedding?: boolean;
}

export const languageModelFields: readonly Field[] = [
  ...transformerLayerFields,
  { name: "vocab", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "context", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "causal", type: "flag" },
  { name: "nOut", type: "whole", min: 1, max: 16777216 },
  { name: "nLayers", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "positions", type: "choice", choices: ["none", "sinusoidal", "learned", "rotary"] },
  { name: "tied", type: "flag" },
  { name: "headBias", type: "flag" },
  { name: "finalNorm", type: "flag" },
  { name: "scaleEmbedding", type: "flag" },
];

export interface InitializationFields {
  /** The initial values; pytorch: those of torch.nn's layers. Default `pytorch`. */
  readonly init?:
    "pytorch" | "xavier_uniform" | "xavier_normal" | "kaiming_uniform" | "kaiming_normal" | "normal";
  /** Xavier's and Kaiming's gain. Default 1. */
  readonly initGain?: number;
  /** Xavier draws W_Q, W_K and W_V as a matrix each. Default false. */
  readonly initSplitInProj?: boolean;
  /** The standard deviation of normal values. Default 0.02. */
  readonly initStd?: number;
  /** The std of embeddings and learned positions. Default 1, or for normal initStd. */
  readonly initEmbeddingStd?: number;
  /** The std of W_Q, W_K and W_V, whatever init says. Default init's. */
  readonly initProjectionStd?: number;
  /** W_K begins as a copy of W_Q. Default false. */
  readonly initEqualQk?: boolean;
}

export const initializationFields: readonly Field[] = [
  {
    name: "init",
    type: "choice",
    choices: ["pytorch", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "normal"],
  },
  { name: "initGain", type: "number", min: 0 },
  { name: "initSplitInProj", type: "flag" },
  { name: "initStd", type: "number", min: 0 },
  { name: "initEmbeddingStd", type: "number", min: 0 },
  { name: "initProjectionStd", type: "number", min: 0 },
  { name: "initEqualQk", type: "flag" },
];

/** What can be made, by C++'s names in its order. */
export const layerKinds = [
  "linear",
  "token_embedding",
  "norm",
  "feed_forward",
  "multi_head_attention",
  "encoder_layer",
  "decoder_layer",
  "transformer_encoder",
  "transformer_decoder",
  "transformer",
  "language_model",
] as const;
