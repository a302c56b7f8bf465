// Made by scripts/update_schema.mjs from the fields that C++ declares (config_fields.h).
import type { Scale } from "./scale.ts";

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
  readonly n_in: number;
  /** The dimension of the output. */
  readonly n_out: number;
  /** The layer adds a bias. Default true. */
  readonly bias?: boolean;
}

export const linearFields: readonly Field[] = [
  { name: "n_in", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "n_out", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "bias", type: "flag" },
];

export interface EmbeddingFields {
  /** The number of rows. */
  readonly vocab: number;
  /** The dimension of a row. */
  readonly d_model: number;
}

export const embeddingFields: readonly Field[] = [
  { name: "vocab", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "d_model", type: "whole", required: true, min: 1, max: 16777216 },
];

export interface NormFields {
  /** Layer norm or RMS norm. Default `layer`. */
  readonly kind?: "layer" | "rms";
  /** The dimension of a position. */
  readonly d_model: number;
  /** The norm adds it to the variance. Default 0.00001. */
  readonly epsilon?: number;
}

export const normFields: readonly Field[] = [
  { name: "kind", type: "choice", choices: ["layer", "rms"] },
  { name: "d_model", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "epsilon", type: "number", min: 0 },
];

export interface FeedForwardFields {
  /** The dimension of a position. */
  readonly d_model: number;
  /** The number of hidden units. Default 4 d_model. */
  readonly d_ff?: number;
  /** SwiGLU is w2 (silu(w1 x) · w3 x) with linear1, linear2, linear3. Default `relu`. */
  readonly activation?: "relu" | "gelu" | "gelu_tanh" | "swiglu";
  /** Linear layers have biases. Default true. */
  readonly bias?: boolean;
  /** The probability that an element is dropped in training; less than 1. Default 0. */
  readonly dropout?: number;
}

export const feedForwardFields: readonly Field[] = [
  { name: "d_model", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "d_ff", type: "whole", min: 1, max: 16777216 },
  { name: "activation", type: "choice", choices: ["relu", "gelu", "gelu_tanh", "swiglu"] },
  { name: "bias", type: "flag" },
  { name: "dropout", type: "number", min: 0 },
];

export interface HeadsFields {
  /** The dimension of a position. */
  readonly d_model: number;
  /** The number of heads. */
  readonly n_heads: number;
  /** The number of key and value heads, which divides n_heads. Default n_heads. */
  readonly n_kv_heads?: number;
  /** A head's dimension d_k. Default d_model / n_heads. */
  readonly d_head?: number;
  /** The probability that an element is dropped in training; less than 1. Default 0. */
  readonly dropout?: number;
  /** Linear layers have biases. Default true. */
  readonly bias?: boolean;
  /** The factor of q·k. Default 1/√d_head. */
  readonly scale?: Scale;
  /** With c > 0 scores become c·tanh(scores / c). Default none. */
  readonly softcap?: number;
  /** Above 0, q and k get rotary positions. Default none; with rotary positions 10000. */
  readonly rotary_base?: number;
  /** Each head's q and k pass an RMS norm. Default false. */
  readonly qk_norm?: boolean;
  /** Scores are scale · cos(q, k), with a default scale of √d_head. Default false. */
  readonly cosine?: boolean;
  /** The scale is a parameter, `scale` [1]. Default false. */
  readonly learned_scale?: boolean;
  /** Keys and values have one projection, W_K = W_V; in_proj_weight has 2 parts. Default false. */
  readonly tied_kv?: boolean;
  /** Components make pairs (i, i + d_head/2), or (2i, 2i + 1). Default `halves`. */
  readonly rotary_pairs?: "halves" | "interleaved";
}

export const headsFields: readonly Field[] = [
  { name: "d_model", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "n_heads", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "n_kv_heads", type: "whole", min: 1, max: 16777216 },
  { name: "d_head", type: "whole", min: 1, max: 16777216 },
  { name: "dropout", type: "number", min: 0 },
  { name: "bias", type: "flag" },
  { name: "scale", type: "scale" },
  { name: "softcap", type: "number", min: 0 },
  { name: "rotary_base", type: "number", min: 0 },
  { name: "qk_norm", type: "flag" },
  { name: "cosine", type: "flag" },
  { name: "learned_scale", type: "flag" },
  { name: "tied_kv", type: "flag" },
  { name: "rotary_pairs", type: "choice", choices: ["halves", "interleaved"] },
];

export interface MultiHeadAttentionFields extends HeadsFields {
  /** The dimension of the key input. Default d_model. */
  readonly d_key_in?: number;
  /** The dimension of the value input. Default d_model. */
  readonly d_value_in?: number;
}

export const multiHeadAttentionFields: readonly Field[] = [
  ...headsFields,
  { name: "d_key_in", type: "whole", min: 1, max: 16777216 },
  { name: "d_value_in", type: "whole", min: 1, max: 16777216 },
];

export interface TransformerLayerFields extends HeadsFields {
  /** The number of hidden units in the feed-forward network. Default 4 d_model. */
  readonly d_ff?: number;
  /** Norms come first (pre-LN), not last (post-LN, as in the paper). Default false. */
  readonly norm_first?: boolean;
  /** The feed-forward network's; SwiGLU is w2 (silu(w1 x) · w3 x) with linear1, linear2, linear3. Default `relu`. */
  readonly activation?: "relu" | "gelu" | "gelu_tanh" | "swiglu";
  /** Norms add it to the variance. Default 0.00001. */
  readonly epsilon?: number;
  /** The norms' kind. Default `layer`. */
  readonly norm?: "layer" | "rms";
}

export const transformerLayerFields: readonly Field[] = [
  ...headsFields,
  { name: "d_ff", type: "whole", min: 1, max: 16777216 },
  { name: "norm_first", type: "flag" },
  { name: "activation", type: "choice", choices: ["relu", "gelu", "gelu_tanh", "swiglu"] },
  { name: "epsilon", type: "number", min: 0 },
  { name: "norm", type: "choice", choices: ["layer", "rms"] },
];

export interface StackFields extends TransformerLayerFields {
  /** The number of layers. */
  readonly n_layers: number;
  /** A norm follows the last layer. Default as norm_first. */
  readonly final_norm?: boolean;
}

export const stackFields: readonly Field[] = [
  ...transformerLayerFields,
  { name: "n_layers", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "final_norm", type: "flag" },
];

export interface TransformerFields extends TransformerLayerFields {
  /** The number of the encoder's layers. */
  readonly n_encoder_layers: number;
  /** The number of the decoder's layers. */
  readonly n_decoder_layers: number;
}

export const transformerFields: readonly Field[] = [
  ...transformerLayerFields,
  { name: "n_encoder_layers", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "n_decoder_layers", type: "whole", required: true, min: 1, max: 16777216 },
];

export interface LanguageModelFields extends TransformerLayerFields {
  /** The number of different tokens. */
  readonly vocab: number;
  /** The largest number of positions. */
  readonly context: number;
  /** The model is decoder-only, not encoder-only. Default true. */
  readonly causal?: boolean;
  /** The number of logits of a position. Default vocab. */
  readonly n_out?: number;
  /** The number of layers. */
  readonly n_layers: number;
  /** What is added to embeddings; rotary positions are inside attention. Default `sinusoidal`. */
  readonly positions?: "none" | "sinusoidal" | "learned" | "rotary";
  /** The logits are products with the rows of the embedding. Default true unless n_out is given. */
  readonly tied?: boolean;
  /** The logits have a bias. Default false. */
  readonly head_bias?: boolean;
  /** A norm follows the last layer. Default true. */
  readonly final_norm?: boolean;
  /** Embeddings are multiplied by √d_model. Default false. */
  readonly scale_embedding?: boolean;
}

export const languageModelFields: readonly Field[] = [
  ...transformerLayerFields,
  { name: "vocab", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "context", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "causal", type: "flag" },
  { name: "n_out", type: "whole", min: 1, max: 16777216 },
  { name: "n_layers", type: "whole", required: true, min: 1, max: 16777216 },
  { name: "positions", type: "choice", choices: ["none", "sinusoidal", "learned", "rotary"] },
  { name: "tied", type: "flag" },
  { name: "head_bias", type: "flag" },
  { name: "final_norm", type: "flag" },
  { name: "scale_embedding", type: "flag" },
];

export interface InitializationFields {
  /** The initial values; pytorch: those of torch.nn's layers. Default `pytorch`. */
  readonly init?:
    "pytorch" | "xavier_uniform" | "xavier_normal" | "kaiming_uniform" | "kaiming_normal" | "normal";
  /** Xavier's and Kaiming's gain. Default 1. */
  readonly init_gain?: number;
  /** Xavier draws W_Q, W_K and W_V as a matrix each. Default false. */
  readonly init_split_in_proj?: boolean;
  /** The standard deviation of normal values. Default 0.02. */
  readonly init_std?: number;
  /** The std of embeddings and learned positions. Default 1, or for normal init_std. */
  readonly init_embedding_std?: number;
  /** The std of W_Q, W_K and W_V, whatever init says. Default init's. */
  readonly init_projection_std?: number;
  /** W_K begins as a copy of W_Q. Default false. */
  readonly init_equal_qk?: boolean;
}

export const initializationFields: readonly Field[] = [
  {
    name: "init",
    type: "choice",
    choices: ["pytorch", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "normal"],
  },
  { name: "init_gain", type: "number", min: 0 },
  { name: "init_split_in_proj", type: "flag" },
  { name: "init_std", type: "number", min: 0 },
  { name: "init_embedding_std", type: "number", min: 0 },
  { name: "init_projection_std", type: "number", min: 0 },
  { name: "init_equal_qk", type: "flag" },
];

/** What can be made, in the order of C++'s. */
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
