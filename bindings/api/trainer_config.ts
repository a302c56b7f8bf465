// Made by scripts/update_schema.mjs from the fields that C++ declares (config_fields.h).
// A trainer's are the options of the command line.

/** A number or a switch, or its text form as in links and attributes. */
export type NumberText = number | string;
export type FlagText = boolean | string;

/** Every field may be left out. */
export interface TrainerConfig {
  /** What is learned. Default `sort`. */
  readonly task?:
    | "sort"
    | "copy"
    | "reverse"
    | "recall"
    | "modular_addition"
    | "coreference"
    | "dates"
    | "characters"
    | (string & {});
  /** Tokens to sort, copy or reverse, pairs to recall or characters to predict. Default 12. */
  readonly length?: NumberText;
  /** The number of different tokens; the modulus of an addition. Default 16. */
  readonly symbols?: NumberText;
  /** The text whose characters are predicted. */
  readonly text?: string;
  /** The halves of the Transformer that there are. Default `encoder`. */
  readonly topology?: "encoder" | "decoder" | "encoder_decoder" | (string & {});
  /** The number of layers. Default 2. */
  readonly nLayers?: NumberText;
  /** What is added to embeddings; rotary positions are inside attention. Default `learned`. */
  readonly positions?: "none" | "sinusoidal" | "learned" | "rotary" | (string & {});
  /** The logits are products with the rows of the embedding. Default false. */
  readonly tied?: FlagText;
  /** The logits have a bias. Default true. */
  readonly headBias?: FlagText;
  /** A norm follows the last layer. Default true. */
  readonly finalNorm?: FlagText;
  /** Embeddings are multiplied by √dModel. Default false. */
  readonly scaleEmbedding?: FlagText;
  /** The dimension of a position. Default 64. */
  readonly dModel?: NumberText;
  /** The number of heads. Default 1. */
  readonly nHeads?: NumberText;
  /** The number of key and value heads, which divides nHeads. Default 0: nHeads. */
  readonly nKvHeads?: NumberText;
  /** A head's dimension d_k. Default 0: dModel / nHeads. */
  readonly dHead?: NumberText;
  /** The probability that an element is dropped in training; less than 1. Default 0. */
  readonly dropout?: NumberText;
  /** Linear layers have biases. Default true. */
  readonly bias?: FlagText;
  /** The factor of q·k. Default `default`: 1/√dHead. */
  readonly scale?:
    | "default"
    | "none"
    | "1/sqrt(d)"
    | "1/(2*sqrt(d))"
    | "1/d"
    | "learned"
    | "cosine"
    | (string & {})
    | number;
  /** With c > 0 scores become c·tanh(scores / c). Default 0: none. */
  readonly softcap?: NumberText;
  /** Above 0, q and k get rotary positions. Default 0: none; with rotary positions 10000. */
  readonly rotaryBase?: NumberText;
  /** Each head's q and k pass an RMS norm. Default false. */
  readonly qkNorm?: FlagText;
  /** Scores are scale · cos(q, k), with a default scale of √dHead. Default false. */
  readonly cosine?: FlagText;
  /** The scale is a parameter, `scale` [1]. Default false. */
  readonly learnedScale?: FlagText;
  /** Keys and values have one projection, W_K = W_V; in_proj_weight has 2 parts. Default false. */
  readonly tiedKv?: FlagText;
  /** Components make pairs (i, i + dHead/2), or (2i, 2i + 1). Default `halves`. */
  readonly rotaryPairs?: "halves" | "interleaved" | (string & {});
  /** The number of hidden units in the feed-forward network. Default 0: 2 dModel. */
  readonly dFf?: NumberText;
  /** Norms come first (pre-LN), not last (post-LN, as in the paper). Default true. */
  readonly normFirst?: FlagText;
  /** The feed-forward network's; SwiGLU is w2 (silu(w1 x) · w3 x) with linear1, linear2, linear3. Default `relu`. */
  readonly feedForward?: "relu" | "gelu" | "gelu_tanh" | "swiglu" | (string & {});
  /** Norms add it to the variance. Default 0.00001. */
  readonly normEpsilon?: NumberText;
  /** The norms' kind. Default `layer`. */
  readonly norm?: "layer" | "rms" | (string & {});
  /** The initial values; pytorch: those of torch.nn's layers. Default `xavier_uniform`. */
  readonly init?:
    | "pytorch"
    | "xavier_uniform"
    | "xavier_normal"
    | "kaiming_uniform"
    | "kaiming_normal"
    | "normal"
    | (string & {});
  /** Xavier's and Kaiming's gain. Default 1. */
  readonly initGain?: NumberText;
  /** Xavier draws W_Q, W_K and W_V as a matrix each. Default true. */
  readonly initSplitInProj?: FlagText;
  /** The standard deviation of normal values. Default 0.02. */
  readonly initStd?: NumberText;
  /** The std of embeddings and learned positions. Default `default`: 1, or for normal initStd. */
  readonly initEmbeddingStd?: NumberText;
  /** The std of W_Q, W_K and W_V, whatever init says. Default `default`: init's. */
  readonly initProjectionStd?: NumberText;
  /** W_K begins as a copy of W_Q. Default false. */
  readonly initEqualQk?: FlagText;
  /** The formulas, which are torch.optim's; Adafactor's those of its paper. Default `adam`. */
  readonly optimizer?: "sgd" | "adam" | "adamw" | "adagrad" | "adafactor" | (string & {});
  /** The schedule's peak. Default 0.001. */
  readonly learningRate?: NumberText;
  /** The factor of L2; AdamW and Adafactor decouple it. Default 0. */
  readonly weightDecay?: NumberText;
  /** SGD's momentum. Default 0. */
  readonly momentum?: NumberText;
  /** SGD's dampening of the momentum; with nesterov 0. Default 0. */
  readonly dampening?: NumberText;
  /** SGD has Nesterov's momentum. Default false. */
  readonly nesterov?: FlagText;
  /** Adam's and AdamW's decay of the mean; less than 1. Default 0.9. */
  readonly beta1?: NumberText;
  /** Adam's and AdamW's decay of the mean square; less than 1. Default 0.999. */
  readonly beta2?: NumberText;
  /** Adam, AdamW and Adagrad add it to the divisor. Default 1e-8. */
  readonly epsilon?: NumberText;
  /** Adagrad divides the learning rate by 1 + rateDecay · t. Default 0. */
  readonly rateDecay?: NumberText;
  /** A gradient that is not finite throws, or its step is skipped. Default `throw`. */
  readonly nonFinite?: "throw" | "skip" | (string & {});
  /** The steps of the linear rise to the learning rate. Default 0. */
  readonly warmupSteps?: NumberText;
  /** The step at which the cosine decay ends; 0: no decay. Default 0. */
  readonly totalSteps?: NumberText;
  /** The share of the learning rate that the decay leaves. Default 0. */
  readonly finalFraction?: NumberText;
  /** The norm to which gradients are clipped; 0: they are not. Default 0. */
  readonly maxGradientNorm?: NumberText;
  /** The share of the target that all tokens get. Default 0. */
  readonly labelSmoothing?: NumberText;
  /** The number of examples of a step. Default 32. */
  readonly batch?: NumberText;
  /** The seed of examples, initial values and dropout; beyond 2^53 a bigint or decimal text. Default 0. */
  readonly seed?: NumberText | bigint;
}
