// What layers are made from, and how C++ (layer_config.h, layer_objects.cpp) reads it: numbers in a fixed order.
import { choiceOf } from "./choice.ts";
import { finite, flag, whole } from "./number.ts";

/** `pytorch`: as torch.nn's layers begin. Kaiming has the gain √2 of ReLU. `{ normal: std }`: N(0, std²). */
export type Init =
  | "pytorch"
  | "xavier_uniform"
  | "xavier_normal"
  | "kaiming_uniform"
  | "kaiming_normal"
  | { readonly normal: number };

export interface LayerConfig {
  /** The seed of initial values and of dropout; unsigned 64-bit. Default 0. */
  readonly seed?: number | bigint | string;
  /** Initial values. Norms begin with 1 and 0; biases with 0, but for PyTorch's linear layers. */
  readonly init?: Init;
}

export interface LinearConfig extends LayerConfig {
  readonly n_in: number;
  readonly n_out: number;
  /** Default true. */
  readonly bias?: boolean;
}

export interface EmbeddingConfig extends LayerConfig {
  readonly vocab: number;
  readonly d_model: number;
}

export interface NormConfig extends LayerConfig {
  readonly d_model: number;
  /** Default `layer`. */
  readonly kind?: "layer" | "rms";
  /** Added to the variance; default 1e-5. */
  readonly epsilon?: number;
}

/** SwiGLU: w2 (silu(w1 x) · w3 x), with w1, w2, w3 = linear1, linear2, linear3. */
export type FeedForwardActivation = "relu" | "gelu" | "gelu_tanh" | "swiglu";

export interface FeedForwardConfig extends LayerConfig {
  readonly d_model: number;
  /** Default 4 d_model. */
  readonly d_ff?: number;
  /** Default `relu`. */
  readonly activation?: FeedForwardActivation;
  readonly bias?: boolean;
  /** Probability, in training only. Default 0. */
  readonly dropout?: number;
}

interface Heads {
  readonly d_model: number;
  readonly n_heads: number;
  /** Grouped heads: keys and values; divides n_heads, the default. */
  readonly n_kv_heads?: number;
  /** Default d_model / n_heads. */
  readonly d_head?: number;
  /** Default true. */
  readonly bias?: boolean;
  /** Probability, in training only. Default 0. */
  readonly dropout?: number;
  /** The factor of the scores; default 1/√d_head. */
  readonly scale?: number;
  /** c > 0: the scores become c·tanh(scores / c). Default 0, none. */
  readonly softcap?: number;
  /** > 0: rotary positions on q and k (of self-attention), 10000 in RoFormer. Default 0, none. */
  readonly rotary_base?: number;
  /** Pairs of components: (i, i + d_head/2), the default, or (2i, 2i + 1). */
  readonly rotary_pairs?: "halves" | "interleaved";
  /** RMS norm of each head's q and k. Default false. */
  readonly qk_norm?: boolean;
  /** Scores scale · cos(q, k), with a default scale of √d_head. Default false. */
  readonly cosine?: boolean;
  /** The scale is a parameter, `scale` [1]. Default false. */
  readonly learned_scale?: boolean;
  /** One projection for keys and values: 2 parts in `in_proj_weight`, or `kv_proj_weight`. Default false. */
  readonly tied_kv?: boolean;
}

export interface MultiHeadAttentionConfig extends LayerConfig, Heads {
  /** Dimensions of the key and value inputs; default d_model. */
  readonly d_key_in?: number;
  readonly d_value_in?: number;
}

export interface TransformerLayerConfig extends LayerConfig, Heads {
  /** Default 4 d_model. */
  readonly d_ff?: number;
  /** Pre-LN; default false, post-LN as in the paper. */
  readonly norm_first?: boolean;
  /** Default `relu`. */
  readonly activation?: FeedForwardActivation;
  /** Default `layer`. */
  readonly norm?: "layer" | "rms";
  readonly epsilon?: number;
}

export interface StackConfig extends TransformerLayerConfig {
  readonly n_layers: number;
  /** A norm after the last layer; default: as `norm_first`. */
  readonly final_norm?: boolean;
}

export interface TransformerConfig extends TransformerLayerConfig {
  readonly n_encoder_layers: number;
  readonly n_decoder_layers: number;
}

export interface LanguageModelConfig extends StackConfig {
  readonly vocab: number;
  /** The largest number of positions. */
  readonly context: number;
  /** Default `sinusoidal`; `rotary` is inside attention. */
  readonly positions?: "none" | "sinusoidal" | "learned" | "rotary";
  /** Default true: decoder-only. False: encoder-only. */
  readonly causal?: boolean;
  /** The logits are products with the rows of the embedding; default true unless n_out is given. */
  readonly tied?: boolean;
  /** Logits of a position; default vocab. */
  readonly n_out?: number;
  readonly head_bias?: boolean;
  /** Embeddings times √d_model; default false. */
  readonly scale_embedding?: boolean;
}

const activations = ["relu", "gelu", "gelu_tanh", "swiglu"] as const; // in the order of C++'s `FeedForwardKind`
const norms = ["layer", "rms"] as const; // `NormKind`
const pairings = ["halves", "interleaved"] as const; // `RotaryPairs`
const positionings = ["none", "sinusoidal", "learned", "rotary"] as const; // `Positions`
const schemes = [
  "pytorch",
  "xavier_uniform",
  "xavier_normal",
  "kaiming_uniform",
  "kaiming_normal",
  "normal",
] as const; // `InitScheme`

/** 0 stands for a default that C++ knows. */
const wholeOr0 = (op: string, argument: string, value: number | undefined): number =>
  value === undefined ? 0 : whole(op, argument, value);

const scaleOf = (op: string, { scale }: Heads): number =>
  scale === undefined ? NaN : finite(op, "scale", scale);

const switches = (op: string, config: Heads): readonly boolean[] => [
  flag(op, "qk_norm", config.qk_norm ?? false),
  flag(op, "cosine", config.cosine ?? false),
  flag(op, "learned_scale", config.learned_scale ?? false),
  flag(op, "tied_kv", config.tied_kv ?? false),
];

/** Scheme, gain and standard deviation. */
export function initNumbers(op: string, init: Init = "pytorch"): number[] {
  const [name, std] = typeof init === "object" ? ["normal", init?.normal] : [init, 0];
  const scheme = choiceOf(op, "init", schemes, name);
  return [scheme, name.startsWith("kaiming") ? Math.SQRT2 : 1, finite(op, "init", std, 0)];
}

type Numbers = readonly (number | boolean)[];

export function linearNumbers(op: string, { n_in, n_out, bias = true }: LinearConfig): Numbers {
  return [whole(op, "n_in", n_in), whole(op, "n_out", n_out), flag(op, "bias", bias)];
}

export function embeddingNumbers(op: string, { vocab, d_model }: EmbeddingConfig): Numbers {
  return [whole(op, "vocab", vocab), whole(op, "d_model", d_model)];
}

export function normNumbers(op: string, { d_model, kind = "layer", epsilon = 1e-5 }: NormConfig): Numbers {
  return [
    choiceOf(op, "kind", norms, kind),
    whole(op, "d_model", d_model),
    finite(op, "epsilon", epsilon, 0),
  ];
}

export function feedForwardNumbers(op: string, config: FeedForwardConfig): Numbers {
  const { d_model, d_ff = 4 * d_model, activation = "relu", bias = true, dropout = 0 } = config;
  return [
    choiceOf(op, "activation", activations, activation),
    whole(op, "d_model", d_model),
    whole(op, "d_ff", d_ff),
    flag(op, "bias", bias),
    finite(op, "dropout", dropout),
  ];
}

export function attentionNumbers(op: string, config: MultiHeadAttentionConfig): Numbers {
  const { bias = true, dropout = 0, softcap = 0, rotary_base = 0, rotary_pairs = "halves" } = config;
  return [
    whole(op, "d_model", config.d_model),
    whole(op, "n_heads", config.n_heads),
    wholeOr0(op, "n_kv_heads", config.n_kv_heads),
    wholeOr0(op, "d_head", config.d_head),
    wholeOr0(op, "d_key_in", config.d_key_in),
    wholeOr0(op, "d_value_in", config.d_value_in),
    flag(op, "bias", bias),
    finite(op, "dropout", dropout),
    scaleOf(op, config),
    finite(op, "softcap", softcap, 0),
    finite(op, "rotary_base", rotary_base, 0),
    choiceOf(op, "rotary_pairs", pairings, rotary_pairs),
    ...switches(op, config),
  ];
}

export function transformerLayerNumbers(op: string, config: TransformerLayerConfig): Numbers {
  const { d_model, d_ff = 4 * d_model, norm_first = false, activation = "relu", dropout = 0 } = config;
  const { epsilon = 1e-5, norm = "layer", bias = true, softcap = 0, rotary_base = 0 } = config;
  return [
    whole(op, "d_model", d_model),
    whole(op, "n_heads", config.n_heads),
    whole(op, "d_ff", d_ff),
    flag(op, "norm_first", norm_first),
    choiceOf(op, "activation", activations, activation),
    finite(op, "dropout", dropout),
    finite(op, "epsilon", epsilon, 0),
    choiceOf(op, "norm", norms, norm),
    flag(op, "bias", bias),
    wholeOr0(op, "n_kv_heads", config.n_kv_heads),
    scaleOf(op, config),
    finite(op, "softcap", softcap, 0),
    finite(op, "rotary_base", rotary_base, 0),
    choiceOf(op, "rotary_pairs", pairings, config.rotary_pairs ?? "halves"),
    ...switches(op, config),
    wholeOr0(op, "d_head", config.d_head),
  ];
}

export function stackNumbers(op: string, config: StackConfig): Numbers {
  const { n_layers, norm_first = false, final_norm = norm_first } = config;
  return [
    ...transformerLayerNumbers(op, config),
    whole(op, "n_layers", n_layers),
    flag(op, "final_norm", final_norm),
  ];
}

export function transformerNumbers(op: string, config: TransformerConfig): Numbers {
  const { n_encoder_layers, n_decoder_layers } = config;
  return [
    ...transformerLayerNumbers(op, config),
    whole(op, "n_encoder_layers", n_encoder_layers),
    whole(op, "n_decoder_layers", n_decoder_layers),
  ];
}

export function languageModelNumbers(op: string, config: LanguageModelConfig): Numbers {
  const { positions = "sinusoidal", causal = true, n_out, tied = n_out === undefined } = config;
  const { head_bias = false, final_norm = true, scale_embedding = false } = config;
  return [
    ...transformerLayerNumbers(op, config),
    whole(op, "vocab", config.vocab),
    whole(op, "context", config.context),
    whole(op, "n_layers", config.n_layers),
    choiceOf(op, "positions", positionings, positions),
    flag(op, "causal", causal),
    flag(op, "tied", tied),
    wholeOr0(op, "n_out", n_out),
    flag(op, "head_bias", head_bias),
    flag(op, "final_norm", final_norm),
    flag(op, "scale_embedding", scale_embedding),
  ];
}
