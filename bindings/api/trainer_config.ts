// What a trainer is made from: the fields of C++'s TrainerConfig under the names of the command line's options.

/** A number or a switch, or its text form as in links and attributes. */
export type NumberText = number | string;
export type FlagText = boolean | string;

/** Every field may be left out; a 0 of a size then means what the comment says. */
export interface TrainerConfig {
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
  /** Tokens to sort, copy or reverse; pairs of which one is recalled; characters to predict. Default 12. */
  readonly length?: NumberText;
  /** Different ones; the modulus of an addition. Default 16. */
  readonly symbols?: NumberText;
  /** Whose characters are to be predicted. */
  readonly text?: string;
  /** Default `encoder`. */
  readonly topology?: "encoder" | "decoder" | "encoder_decoder" | (string & {});

  readonly n_layers?: NumberText;
  readonly d_model?: NumberText;
  readonly n_heads?: NumberText;
  /** 0: `n_heads`. */
  readonly n_kv_heads?: NumberText;
  /** 0: `d_model / n_heads`. */
  readonly d_head?: NumberText;
  /** 0: `2 d_model`. */
  readonly d_ff?: NumberText;
  readonly positions?: "none" | "sinusoidal" | "learned" | "rotary" | (string & {});
  readonly rotary_base?: NumberText;
  readonly rotary_pairs?: "halves" | "interleaved" | (string & {});
  readonly norm?: "layer" | "rms" | (string & {});
  readonly norm_first?: FlagText;
  readonly final_norm?: FlagText;
  readonly norm_epsilon?: NumberText;
  readonly feed_forward?: "relu" | "gelu" | "gelu_tanh" | "swiglu" | (string & {});
  readonly bias?: FlagText;
  readonly head_bias?: FlagText;
  /** The embedding is the head's matrix, too. */
  readonly tied?: FlagText;
  /** W_K = W_V. */
  readonly tied_kv?: FlagText;
  readonly scale_embedding?: FlagText;
  readonly dropout?: NumberText;

  /**
   * By what q·k is multiplied: `"default"` and `"1/sqrt(d)"` (d is d_head), `"none"` (1), `"1/d"`, `"1/(2*sqrt(d))"`, a
   * number, `"learned"` (begins with 1/√d), `"cosine"` (√d times the cosine of q and k).
   */
  readonly scale?: NumberText;
  /** 0: none. */
  readonly softcap?: NumberText;
  readonly qk_norm?: FlagText;
  readonly cosine?: FlagText;
  readonly learned_scale?: FlagText;

  readonly init?:
    | "pytorch"
    | "xavier_uniform"
    | "xavier_normal"
    | "kaiming_uniform"
    | "kaiming_normal"
    | "normal"
    | (string & {});
  readonly init_gain?: NumberText;
  readonly init_std?: NumberText;
  readonly init_embedding_std?: NumberText;
  readonly init_split_in_proj?: FlagText;
  /** W_K begins as a copy of W_Q. */
  readonly init_equal_qk?: FlagText;
  /** The standard deviation of W_Q, W_K and W_V, whatever `init`; `"default"`: that of `init`. */
  readonly init_projection_std?: NumberText;

  readonly optimizer?: "sgd" | "adam" | "adamw" | "adagrad" | (string & {});
  readonly learning_rate?: NumberText;
  readonly weight_decay?: NumberText;
  readonly momentum?: NumberText;
  readonly dampening?: NumberText;
  readonly nesterov?: FlagText;
  readonly beta1?: NumberText;
  readonly beta2?: NumberText;
  readonly epsilon?: NumberText;
  readonly rate_decay?: NumberText;
  /** What a gradient that is not finite does: the step throws, or is skipped. */
  readonly non_finite?: "throw" | "skip" | (string & {});
  readonly warmup_steps?: NumberText;
  /** Where the cosine decay ends; 0: none. */
  readonly total_steps?: NumberText;
  readonly final_fraction?: NumberText;
  /** 0: gradients are not clipped. */
  readonly max_gradient_norm?: NumberText;
  readonly label_smoothing?: NumberText;
  readonly batch?: NumberText;
  /** Beyond 2^53 a bigint or decimal text. */
  readonly seed?: NumberText | bigint;
}
