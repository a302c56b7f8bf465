// Made by scripts/update_experiments.mjs from what `sqrtdk list --json` says.
import type { NumberText } from "./trainer_config.ts";
import type { ShapedData, TensorCopy } from "./types.ts";

/** Rows of numbers: as arrays, with their shape, a tensor, or as text with `;` between rows. */
export type Matrix = readonly (readonly number[])[] | ShapedData | TensorCopy | string;

/** The parameters of each experiment; those that are not given have their defaults. */
export interface ExperimentParams {
  /** Does the largest weight really run away when nobody divides? */
  readonly article_snippet: {
    /** 1 .. 16384. Default `32,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 4096. Default `8`. */
    readonly n_keys?: NumberText;
    /** Default `independent`. */
    readonly draws?: "independent" | "paired";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
    /** Default `philox`. */
    readonly rng?: "philox" | "torch";
    /** Default none. */
    readonly q?: Matrix;
    /** Default none. */
    readonly k?: Matrix;
  };
  /** What happens to the numbers between a sentence and the output? */
  readonly attention_steps: {
    /** Default `The cat sat on the mat`. */
    readonly text?: string;
    /** 1 .. 128. Default `8`. */
    readonly d_model?: NumberText;
    /** 1 .. 128. Default `4`. */
    readonly d_k?: NumberText;
    /** Default `1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** Default `no`. */
    readonly causal?: "no" | "yes";
    /** Default `own`. */
    readonly w_k?: "own" | "w_q";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
    /** Default `sentence`. */
    readonly mode?: "sentence" | "search";
    /** Default `transformer paper`. */
    readonly query?: string;
    /** Default `A paper on the transformer; Attention is all you need; How to bake bread; The cat sat on the mat`. */
    readonly documents?: string;
  };
  /** How large is the dot product of two random vectors? */
  readonly score_variance: {
    /** 1 .. 16384. Default `4,16,64,256`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 4096. Default `8`. */
    readonly n_keys?: NumberText;
    /** Default `none,1/sqrt(d),1/(2*sqrt(d)),1/d`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** Default `normal`. */
    readonly distribution?: "normal" | "uniform" | "rademacher" | "student_t";
    /** 3 .. 100. Default `3`. */
    readonly nu?: NumberText;
    /** -1000 .. 1000. Default `0`. */
    readonly mean?: NumberText;
    /** -1 .. 1. Default `0`. */
    readonly correlation?: NumberText;
    /** 0 .. 1000. Default `1`. */
    readonly sigma_q?: NumberText;
    /** 0 .. 1000. Default `1`. */
    readonly sigma_k?: NumberText;
    /** 100 .. 1000000. Default `10000`. */
    readonly trials?: NumberText;
    /** 0 .. 1000. Default `0`. */
    readonly walks?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** How soon does a single key take all the weight? */
  readonly softmax_saturation: {
    /** 1 .. 16384. Default `8,32,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 4096. Default `8`. */
    readonly n_keys?: NumberText;
    /** Default `none,1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** Default `normal`. */
    readonly distribution?: "normal" | "uniform" | "rademacher" | "student_t";
    /** 3 .. 100. Default `3`. */
    readonly nu?: NumberText;
    /** 100 .. 1000000. Default `2000`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** How much of a change of the scores reaches the weights? */
  readonly softmax_jacobian: {
    /** Default `50,1,1,1`. */
    readonly scores?: Matrix;
    /** 1 .. 16384. Default `64`. */
    readonly d_k?: NumberText;
    /** 1 .. 16384. Default `8,32,64,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 1024. Default `8,64`. */
    readonly n_keys?: NumberText | readonly NumberText[];
    /** Default `none,1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** 100 .. 1000000. Default `1000`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** How much gradient passes through the softmax, at the start and during training? */
  readonly gradient_flow: {
    /** Default `u_p`. */
    readonly loss?: "u_p" | "u_pv" | "cross_entropy" | "log_p";
    /** 1 .. 4096. Default `8,32,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `8`. */
    readonly n_keys?: NumberText;
    /** Default `none,1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** 4 .. 256. Default `128`. */
    readonly d_k?: NumberText;
    /** 0 .. 2000. Default `40`. */
    readonly steps?: NumberText;
    /** 100 .. 1000000. Default `1000`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Why the square root of d, and not d, or twice the square root? */
  readonly scale_factors: {
    /** 1 .. 4096. Default `8,32,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `8`. */
    readonly n_keys?: NumberText;
    /** Default `1/sqrt(d),1/(2*sqrt(d)),1/d`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** Default `sort`. */
    readonly task?: "sort" | "reverse" | "copy";
    /** 4 .. 128. Default `32`. */
    readonly d_k?: NumberText;
    /** 0 .. 5000. Default `80`. */
    readonly steps?: NumberText;
    /** 0.00001 .. 0.1. Default `0.012`. */
    readonly learning_rate?: NumberText;
    /** 100 .. 1000000. Default `300`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Does the number of keys matter as the dimension does? */
  readonly number_of_keys: {
    /** 1 .. 16384. Default `1,4,16,64,256,1024`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 2 .. 65536. Default `8,64,512,4096`. */
    readonly n_keys?: NumberText | readonly NumberText[];
    /** Default `none,1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** Default `entropy_share`. */
    readonly measure?: "entropy_share" | "softmax_max" | "effective_keys_exp_entropy" | "frac_max_gt_0.99";
    /** 100 .. 1000000. Default `600`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Can normalized queries and keys do without the square root of d? */
  readonly cosine_and_temperature: {
    /** 1 .. 4096. Default `16,64,256`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `64`. */
    readonly n_keys?: NumberText;
    /** 1 .. 100. Default `1,10`. */
    readonly tau?: NumberText | readonly NumberText[];
    /** 100 .. 1000000. Default `500`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** May the scale move from the formula into the parameters? */
  readonly scale_in_the_weights: {
    /** Default `adam`. */
    readonly optimizer?: "adam" | "adamw" | "sgd" | "momentum" | "adafactor";
    /** 0.00001 .. 1. Default `0.001`. */
    readonly learning_rate?: NumberText;
    /** 4 .. 128. Default `64`. */
    readonly d_k?: NumberText;
    /** 1 .. 2000. Default `60`. */
    readonly steps?: NumberText;
    /** Default `complete`. */
    readonly correction?: "complete" | "rate_only" | "none";
    /** 0 .. 1. Default `0.01`. */
    readonly weight_decay?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** When does the exponential function overflow? */
  readonly softmax_overflow: {
    /** 1 .. 16384. Default `32,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 1024. Default `8`. */
    readonly n_keys?: NumberText;
    /** Default `none,1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** 100 .. 1000000. Default `2000`. */
    readonly trials?: NumberText;
    /** Default none. */
    readonly scores?: Matrix;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Do scores overflow in 16 bits, and does the scale come in time? */
  readonly mixed_precision: {
    /** 1 .. 2048. Default `64,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 1000. Default `1,32,64,100`. */
    readonly std?: NumberText | readonly NumberText[];
    /** Default `fp16`. */
    readonly format?: "fp16" | "bf16";
    /** Default `exact`. */
    readonly products?: "exact" | "rounded";
    /** 1 .. 256. Default `64`. */
    readonly n_keys?: NumberText;
    /** 10 .. 100000. Default `100`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Does it help to divide the values instead of the scores? */
  readonly scaling_values: {
    /** 1 .. 2048. Default `32,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `8`. */
    readonly n_keys?: NumberText;
    /** 100 .. 1000000. Default `400`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Why the dot product, and not the cosine or the distance? */
  readonly similarity_measures: {
    /** Default `2,1`. */
    readonly q?: Matrix;
    /** Default `0.4,0.2;5,-2;2,0.2`. */
    readonly k?: Matrix;
    /** 1 .. 2048. Default `2,8,32,128,512`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `8`. */
    readonly n_keys?: NumberText;
    /** 1 .. 65536. Default `128`. */
    readonly n?: NumberText;
    /** 100 .. 1000000. Default `500`. */
    readonly trials?: NumberText;
    /** Default `no`. */
    readonly measured?: "no" | "yes";
    /** 3 .. 101. Default `9`. */
    readonly rounds?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** How much does additive attention cost, and what of that is needless? */
  readonly additive_vs_dot: {
    /** 1 .. 512. Default `8,16,32,64,128`. */
    readonly n?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `32`. */
    readonly d_fixed?: NumberText;
    /** 1 .. 256. Default `8,16,32,64,128`. */
    readonly d?: NumberText | readonly NumberText[];
    /** 1 .. 512. Default `32`. */
    readonly n_fixed?: NumberText;
    /** 3 .. 101. Default `5`. */
    readonly rounds?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** What does attention cost when the text grows, and must its memory grow with the square? */
  readonly attention_cost: {
    /** 1 .. 4096. Default `32,64,128,256,512`. */
    readonly n?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `64`. */
    readonly d?: NumberText;
    /** 3 .. 101. Default `9`. */
    readonly rounds?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** What do several heads see that a single one does not? */
  readonly multi_head: {
    /** Default `The cat sat on the mat`. */
    readonly text?: string;
    /** 1 .. 16. Default `4`. */
    readonly n_heads?: NumberText;
    /** 1 .. 512. Default `64`. */
    readonly d_model?: NumberText;
    /** Default `xavier`. */
    readonly init?: "xavier" | "torch";
    /** Default `no`. */
    readonly causal?: "no" | "yes";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Does a model learn by itself where “it” points? */
  readonly role_emergence: {
    /** Default `the cat passed the street because it was tired`. */
    readonly sentence?: string;
    /** 1 .. 5000. Default `120`. */
    readonly steps?: NumberText;
    /** 1 .. 4. Default `2`. */
    readonly n_heads?: NumberText;
    /** 1 .. 2. Default `1`. */
    readonly n_layers?: NumberText;
    /** 4 .. 128. Default `32`. */
    readonly d_model?: NumberText;
    /** 0.00001 .. 0.1. Default `0.004`. */
    readonly learning_rate?: NumberText;
    /** Default `1/sqrt(d)`. */
    readonly trained_with?: "1/sqrt(d)" | "none" | "1/(2*sqrt(d))" | "1/d";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** A head’s dimension is smaller than the model’s. Which of the two divides? */
  readonly per_head_scale: {
    /** 1 .. 4096. Default `512`. */
    readonly d_model?: NumberText;
    /** 1 .. 4096. Default `1,2,4,8,16,32`. */
    readonly n_heads?: NumberText | readonly NumberText[];
    /** 2 .. 256. Default `8`. */
    readonly n_keys?: NumberText;
    /** 100 .. 1000000. Default `1000`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Which mistakes with the scale are made in code, and how does one notice? */
  readonly bug_museum: {
    /** Default `absent`. */
    readonly bug?: "absent" | "d_model" | "after_softmax" | "on_v" | "twice" | "q_first";
    /** 1 .. 256. Default `64`. */
    readonly d_model?: NumberText;
    /** 1 .. 256. Default `2`. */
    readonly n_heads?: NumberText;
    /** 1 .. 256. Default `8`. */
    readonly n_keys?: NumberText;
    /** 100 .. 1000000. Default `1000`. */
    readonly trials?: NumberText;
    /** 0 .. 2000. Default `60`. */
    readonly steps?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Does it matter whether a score is q times k or k times q? */
  readonly qk_exchange: {
    /** 1 .. 64. Default `8`. */
    readonly n?: NumberText;
    /** 1 .. 2048. Default `512`. */
    readonly d_model?: NumberText;
    /** 1 .. 512. Default `64`. */
    readonly d_k?: NumberText;
    /** Default `1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** Default `own`. */
    readonly w_k?: "own" | "w_q";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** What makes the matrices of queries and keys differ? */
  readonly qk_symmetry_breaking: {
    /** Default `reverse`. */
    readonly task?: "reverse" | "sort" | "copy";
    /** 4 .. 128. Default `32`. */
    readonly d_k?: NumberText;
    /** 1 .. 5000. Default `200`. */
    readonly steps?: NumberText;
    /** 0.00001 .. 1. Default `0.005`. */
    readonly learning_rate?: NumberText;
    /** 0 .. 0.1. Default `0.0001`. */
    readonly difference?: NumberText;
    /** Default `adam`. */
    readonly optimizer?: "adam" | "sgd";
    /** Default `1/sqrt(d)`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** 2 .. 16. Default `6`. */
    readonly length?: NumberText;
    /** 2 .. 32. Default `16`. */
    readonly symbols?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Do keys and values of one matrix get in each other’s way? */
  readonly kv_tying: {
    /** Default `sort`. */
    readonly task?: "sort" | "reverse" | "recall" | "coreference";
    /** 2 .. 16. Default `6`. */
    readonly length?: NumberText;
    /** 2 .. 32. Default `8`. */
    readonly symbols?: NumberText;
    /** 1 .. 5000. Default `120`. */
    readonly steps?: NumberText;
    /** 1 .. 32. Default `3`. */
    readonly runs?: NumberText;
    /** 4 .. 128. Default `32`. */
    readonly d_model?: NumberText;
    /** 1 .. 8. Default `1`. */
    readonly n_heads?: NumberText;
    /** 1 .. 4. Default `1`. */
    readonly n_layers?: NumberText;
    /** 0.00001 .. 0.1. Default `0.006`. */
    readonly learning_rate?: NumberText;
    /** Default `1/sqrt(d)`. */
    readonly trained_with?: "1/sqrt(d)" | "none" | "1/(2*sqrt(d))" | "1/d";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** What happens to a sentence inside one layer of the encoder? */
  readonly encoder_layer: {
    /** 1 .. 4. Default `2`. */
    readonly batch?: NumberText;
    /** 1 .. 32. Default `10`. */
    readonly n?: NumberText;
    /** 8 .. 1024. Default `512`. */
    readonly d_model?: NumberText;
    /** 1 .. 64. Default `8`. */
    readonly n_heads?: NumberText;
    /** 8 .. 4096. Default `2048`. */
    readonly d_ff?: NumberText;
    /** Default `post`. */
    readonly norm?: "post" | "pre";
    /** 0 .. 0.9. Default `0.1`. */
    readonly dropout?: NumberText;
    /** 0 .. 31. Default `3`. */
    readonly padding?: NumberText;
    /** 1 .. 12. Default `6`. */
    readonly n_layers?: NumberText;
    /** 1 .. 64. Default `1`. */
    readonly head?: NumberText;
    /** Default `uniform`. */
    readonly input?: "uniform" | "normal";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** How does a decoder read its own text without seeing what comes next? */
  readonly decoder_layer: {
    /** 1 .. 4. Default `2`. */
    readonly batch?: NumberText;
    /** 1 .. 32. Default `10`. */
    readonly n_target?: NumberText;
    /** 1 .. 32. Default `10`. */
    readonly n_source?: NumberText;
    /** 8 .. 1024. Default `512`. */
    readonly d_model?: NumberText;
    /** 1 .. 64. Default `8`. */
    readonly n_heads?: NumberText;
    /** 8 .. 4096. Default `2048`. */
    readonly d_ff?: NumberText;
    /** Default `post`. */
    readonly norm?: "post" | "pre";
    /** 0 .. 31. Default `5`. */
    readonly changed?: NumberText;
    /** 1 .. 64. Default `1`. */
    readonly head?: NumberText;
    /** Default `uniform`. */
    readonly input?: "uniform" | "normal";
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Does the division make up for two sides that are distributed differently? */
  readonly cross_modal: {
    /** 1 .. 2048. Default `768`. */
    readonly d?: NumberText;
    /** 1 .. 64. Default `10`. */
    readonly n_text?: NumberText;
    /** 2 .. 256. Default `49`. */
    readonly n_image?: NumberText;
    /** 1 .. 8. Default `2`. */
    readonly batch?: NumberText;
    /** -10 .. 10. Default `0`. */
    readonly mean_text?: NumberText;
    /** 0 .. 10. Default `1`. */
    readonly std_text?: NumberText;
    /** -10 .. 10. Default `0`. */
    readonly mean_image?: NumberText;
    /** 0.01 .. 10. Default `1`. */
    readonly std_image?: NumberText;
    /** -1 .. 1. Default `0`. */
    readonly correlation?: NumberText;
    /** 20 .. 10000. Default `40`. */
    readonly trials?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** How does attention, blind to order, learn where a token stands? */
  readonly positional_encoding: {
    /** 1 .. 256. Default `100`. */
    readonly n_positions?: NumberText;
    /** 2 .. 1024. Default `512`. */
    readonly d_model?: NumberText;
    /** 1 .. 1000000. Default `10000`. */
    readonly base?: NumberText;
    /** 1 .. 64. Default `10`. */
    readonly n?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** Who learns without the scale, and how soon? */
  readonly training_race: {
    /** Default `sort`. */
    readonly task?:
      "sort" | "copy" | "reverse" | "recall" | "modular_addition" | "coreference" | "dates" | "characters";
    /** Default `none,1/sqrt(d),1/d`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | "learned"
      | "cosine"
      | (string & {})
      | readonly (
          number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | "learned" | "cosine" | (string & {})
        )[];
    /** 1 .. 64. Default `1`. */
    readonly n_heads?: NumberText | readonly NumberText[];
    /** 2 .. 512. Default `64`. */
    readonly d_model?: NumberText;
    /** Default `xavier_uniform`. */
    readonly init?:
      "pytorch" | "xavier_uniform" | "xavier_normal" | "kaiming_uniform" | "kaiming_normal" | "normal";
    /** 0 .. 1. Default `0.003`. */
    readonly learning_rate?: NumberText;
    /** 1 .. 100000. Default `240`. */
    readonly steps?: NumberText;
    /** 0 .. 1000000000. Default `0,1,2`. */
    readonly seeds?: NumberText | readonly NumberText[];
    /** 1 .. 256. Default `6`. */
    readonly length?: NumberText;
    /** 2 .. 256. Default `8`. */
    readonly symbols?: NumberText;
    /** Default `This is the house that Jack built.
This is the malt that lay in the house that Jack built.
This is the rat that ate the malt that lay in the house that Jack built.
This is the cat that killed the rat that ate the malt that lay in the house that Jack built.
This is the dog that worried the cat that killed the rat that ate the malt that lay in the house that Jack built.
This is the cow with the crumpled horn that tossed the dog that worried the cat that killed the rat that ate the malt that lay in the house that Jack built.
`. */
    readonly text?: string;
    /** 1 .. 512. Default `8`. */
    readonly batch?: NumberText;
    /** Default `encoder`. */
    readonly topology?: "encoder" | "decoder" | "encoder_decoder";
    /** 1 .. 8. Default `2`. */
    readonly n_layers?: NumberText;
    /** 0 .. 512. Default `0`. */
    readonly d_head?: NumberText;
    /** 0 .. 2048. Default `0`. */
    readonly d_ff?: NumberText;
    /** Default `learned`. */
    readonly positions?: "none" | "sinusoidal" | "learned" | "rotary";
    /** Default `layer`. */
    readonly norm?: "layer" | "rms";
    /** Default `true`. */
    readonly norm_first?: "false" | "true";
    /** Default `false`. */
    readonly qk_norm?: "false" | "true";
    /** 0 .. 1000. Default `0`. */
    readonly softcap?: NumberText;
    /** Default `relu`. */
    readonly feed_forward?: "relu" | "gelu" | "gelu_tanh" | "swiglu";
    /** Default `false`. */
    readonly tied?: "false" | "true";
    /** Default `false`. */
    readonly tied_kv?: "false" | "true";
    /** 0 .. 0.9. Default `0`. */
    readonly dropout?: NumberText;
    /** 0 .. 10. Default `0.02`. */
    readonly init_std?: NumberText;
    /** Default `false`. */
    readonly init_equal_qk?: "false" | "true";
    /** Default `adam`. */
    readonly optimizer?: "sgd" | "adam" | "adamw" | "adagrad" | "adafactor";
    /** Default none. */
    readonly rate_changes?: string;
    /** 0 .. 1. Default `0`. */
    readonly momentum?: NumberText;
    /** 0 .. 1. Default `0`. */
    readonly weight_decay?: NumberText;
    /** 0 .. 100000. Default `0`. */
    readonly warmup_steps?: NumberText;
    /** 0 .. 100000. Default `0`. */
    readonly total_steps?: NumberText;
    /** 0 .. 1000. Default `0`. */
    readonly max_gradient_norm?: NumberText;
    /** 0 .. 1. Default `0`. */
    readonly label_smoothing?: NumberText;
    /** 1 .. 10000. Default `20`. */
    readonly record_every?: NumberText;
    /** 1 .. 4096. Default `128`. */
    readonly examples?: NumberText;
  };
  /** Can a trained model do without the scale it was trained with? */
  readonly trained_without: {
    /** Default `none,1/sqrt(d),1/(2*sqrt(d)),1/d`. */
    readonly scale?:
      | number
      | "none"
      | "1/sqrt(d)"
      | "1/(2*sqrt(d))"
      | "1/d"
      | (string & {})
      | readonly (number | "none" | "1/sqrt(d)" | "1/(2*sqrt(d))" | "1/d" | (string & {}))[];
    /** Default `sort`. */
    readonly task?: "sort" | "characters";
    /** Default `1/sqrt(d)`. */
    readonly trained_with?: "1/sqrt(d)" | "none" | "1/(2*sqrt(d))" | "1/d";
    /** 4 .. 128. Default `32`. */
    readonly d_k?: NumberText;
    /** 1 .. 4. Default `1`. */
    readonly n_layers?: NumberText;
    /** 2 .. 64. Default `6`. */
    readonly length?: NumberText;
    /** 2 .. 32. Default `8`. */
    readonly symbols?: NumberText;
    /** 1 .. 5000. Default `400`. */
    readonly steps?: NumberText;
    /** 0.00001 .. 0.1. Default `0.004`. */
    readonly learning_rate?: NumberText;
    /** Default none. */
    readonly checkpoint?: string | Uint8Array | ArrayBuffer;
    /** Default none. */
    readonly tokenizer?: string | Uint8Array | ArrayBuffer;
    /** 2 .. 1024. Default `200`. */
    readonly n_tokens?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
  /** How far are these numbers from exact ones, and are they the same everywhere? */
  readonly kernel_errors: {
    /** 8 .. 128. Default `48`. */
    readonly n?: NumberText;
    /** 16 .. 128. Default `64`. */
    readonly d?: NumberText;
    /** Default `0`. */
    readonly seed?: NumberText | bigint;
  };
}

/** The names that the results of each experiment use. */
export interface ExperimentNames {
  readonly article_snippet: {
    readonly verdict:
      | "unscaled_is_sharper"
      | "unscaled_is_not_sharper"
      | "reversed_by_chance"
      | "equal_weights"
      | "scores_not_finite";
    readonly scalar: "softmax_max" | "softmax_min" | "entropy_nats" | "logit_variance_per_trial";
    readonly figure: "weights";
  };
  readonly attention_steps: {
    readonly verdict: "scores_not_finite" | "steps_agree" | "steps_agree_same_word" | "steps_disagree";
    readonly scalar:
      | "softmax_max"
      | "effective_keys_exp_entropy"
      | "scaled_mismatches"
      | "row_sum_error"
      | "output_error"
      | "same_word_mismatches";
    readonly figure:
      | "x"
      | "w_q"
      | "w_k"
      | "w_v"
      | "q"
      | "k"
      | "v"
      | "scores"
      | "scaled_scores"
      | "weights"
      | "output"
      | "x_query"
      | "x_documents";
  };
  readonly score_variance: {
    readonly verdict:
      | "variance_is_d"
      | "variance_as_expected"
      | "variance_differs"
      | "variance_is_infinite"
      | "kurtosis_is_infinite"
      | "tails_too_heavy";
    readonly scalar:
      | "score_mean"
      | "score_variance"
      | "score_excess_kurtosis"
      | "share_beyond_3_sigma"
      | "logit_mean_per_trial"
      | "logit_variance_per_trial"
      | "logit_mean_square_per_trial";
    readonly figure: "variance_over_d" | "score_histogram" | "score_walks";
  };
  readonly softmax_saturation: {
    readonly verdict: "unscaled_saturates" | "saturation_not_seen" | "nothing_compared" | "too_few_d";
    readonly scalar:
      | "softmax_max"
      | "softmax_min"
      | "entropy_nats"
      | "effective_keys_exp_entropy"
      | "frac_max_gt_0.9"
      | "frac_max_gt_0.99"
      | "frac_max_gt_0.999"
      | "example_max"
      | "example_min";
    readonly figure: "max_over_d" | "entropy_over_d" | "effective_keys_over_d" | "share_saturated_over_d";
  };
  readonly softmax_jacobian: {
    readonly verdict:
      | "nothing_compared"
      | "jacobian_smaller_unscaled"
      | "jacobian_larger_unscaled"
      | "jacobian_depends_on_keys"
      | "jacobian_differs";
    readonly scalar:
      | "example_frobenius"
      | "example_slope"
      | "example_frobenius_fp32"
      | "example_slope_fp32"
      | "jacobian_frobenius"
      | "jacobian_trace"
      | "jacobian_frobenius_raw";
    readonly figure: "jacobian" | "jacobian_over_d" | "jacobian_raw_over_d";
  };
  readonly gradient_flow: {
    readonly verdict:
      | "nothing_compared"
      | "typical_gradient_vanishes"
      | "gradient_erratic_not_small"
      | "gradient_of_log_p_stays"
      | "gradient_flow_differs"
      | "within_chance";
    readonly scalar:
      | "grad_norm_wrt_q"
      | "grad_norm_wrt_scaled_logits"
      | "grad_norm_wrt_raw_logits"
      | "share_of_small_gradients"
      | "share_of_largest_tenth"
      | "row_grad_norm_wrt_q"
      | "row_grad_norm_wrt_scores"
      | "saturated_rows"
      | "token_accuracy";
    readonly figure:
      | "gradient_median_over_d"
      | "gradient_mean_over_d"
      | "gradient_histogram"
      | "training_median"
      | "training_mean"
      | "training_saturated";
  };
  readonly scale_factors: {
    readonly verdict: "only_the_root_is_level" | "factors_differ" | "factors_nothing_compared";
    readonly scalar:
      | "softmax_max"
      | "effective_keys_exp_entropy"
      | "entropy_share"
      | "grad_norm_wrt_q"
      | "token_accuracy"
      | "learned_scale";
    readonly figure:
      | "keys_over_power"
      | "spread_over_power"
      | "keys_over_temperature"
      | "gradient_over_power"
      | "learned_scale"
      | "accuracy_with_learned_scale";
  };
  readonly number_of_keys: {
    readonly verdict: "collapse_is_soft" | "collapse_differs";
    readonly scalar:
      | "critical_beta"
      | "critical_d"
      | "entropy_deficit"
      | "keys_kept"
      | "lead_for_half"
      | "entropy_share"
      | "softmax_max"
      | "effective_keys_exp_entropy"
      | "frac_max_gt_0.99";
    readonly figure: "plane_of_keys" | "over_keys" | "entropy_over_beta" | "saturated_over_beta";
  };
  readonly cosine_and_temperature: {
    readonly verdict:
      "cosine_bounded_and_flattens" | "cosine_nothing_compared" | "cosine_differs" | "within_chance";
    readonly scalar:
      | "softmax_max"
      | "effective_keys_exp_entropy"
      | "largest_score"
      | "cosine_sd"
      | "weights_beyond_bound"
      | "weight_bound";
    readonly figure: "max_of_forms" | "keys_of_forms" | "cosine_sd" | "score_of_forms";
  };
  readonly scale_in_the_weights: {
    readonly verdict:
      | "same_to_the_bit"
      | "same_but_for_rounding"
      | "rounding_has_grown"
      | "faster_in_the_weights"
      | "not_the_same_training"
      | "training_diverged";
    readonly scalar:
      | "first_loss"
      | "last_loss"
      | "loss_apart"
      | "differing_parameters"
      | "query_step_ratio"
      | "token_accuracy"
      | "steps_to_90";
    readonly figure: "loss_over_steps" | "query_change" | "accuracy_over_steps";
  };
  readonly softmax_overflow: {
    readonly verdict:
      | "subtraction_saves_every_row"
      | "subtraction_saves_finite_rows"
      | "subtraction_does_not_help"
      | "nothing_overflows"
      | "scores_not_finite";
    readonly scalar:
      "exp_overflows_above" | "exp_is_zero_below" | "rows_broken" | "weights_zero" | "rows_broken_subtracted";
    readonly figure: "row_in_formats" | "rows_broken_over_d" | "zero_weights_over_d";
  };
  readonly mixed_precision: {
    readonly verdict:
      | "scaling_must_come_first"
      | "scaling_first_is_not_enough"
      | "no_score_overflows"
      | "precision_not_as_expected";
    readonly scalar:
      | "scores_beyond_exactly"
      | "scores_not_finite"
      | "rows_with_nan"
      | "rms_rel_error"
      | "max_abs_prob_error_from_rounding_logits";
    readonly figure: "sum_over_terms" | "not_finite_over_std" | "rounding_over_d" | "weight_error_over_d";
  };
  readonly scaling_values: {
    readonly verdict:
      "values_do_not_reach_the_weights" | "values_reach_the_weights" | "scaling_nothing_compared";
    readonly scalar:
      | "softmax_max"
      | "frac_max_gt_0.99"
      | "query_gradient"
      | "output_rms"
      | "weights_changed"
      | "weights_from_scores";
    readonly figure: "max_over_d" | "query_gradient_over_d" | "output_over_d" | "weights";
  };
  readonly similarity_measures: {
    readonly verdict: "measures_are_one_product" | "measures_disagree";
    readonly scalar:
      | "best_key"
      | "softmax_max"
      | "same_winner"
      | "operations"
      | "numbers_held"
      | "expansion_error"
      | "key_penalty_error"
      | "equal_lengths_error"
      | "milliseconds"
      | "time_exponent_d"
      | "time_of_dot"
      | "clock_step";
    readonly figure: "weights" | "same_winner_over_d" | "max_over_d" | "operations_over_d" | "time_over_d";
  };
  readonly additive_vs_dot: {
    readonly verdict: "nothing_compared" | "additive_needs_no_square" | "additive_forms_differ";
    readonly scalar:
      | "attention_operations"
      | "milliseconds"
      | "operations_of_dot"
      | "time_of_dot"
      | "differing_bits_of_forms"
      | "operations_exponent_n"
      | "time_exponent_n"
      | "operations_exponent_d"
      | "time_exponent_d"
      | "clock_step";
    readonly figure: "time_over_n" | "work_over_n" | "time_over_d" | "work_over_d";
  };
  readonly attention_cost: {
    readonly verdict:
      | "memory_need_not_be_square"
      | "attention_forms_differ"
      | "memory_nothing_compared"
      | "memory_grows_alike";
    readonly scalar:
      | "milliseconds"
      | "bytes_between"
      | "attention_operations"
      | "steps_in_order"
      | "time_exponent_n"
      | "bytes_exponent_n"
      | "operations_exponent_n"
      | "forms_difference"
      | "last_state"
      | "equal_operations_n"
      | "clock_step";
    readonly figure: "time_over_n" | "bytes_over_n" | "work_over_n";
  };
  readonly multi_head: {
    readonly verdict: "heads_are_separate" | "heads_nothing_compared" | "heads_disagree";
    readonly scalar:
      | "effective_keys_exp_mean_entropy"
      | "entropy_of_heads"
      | "entropy_of_mean"
      | "entropy_of_one_head"
      | "mean_against_one_head"
      | "row_sum_error"
      | "head_mismatches"
      | "sum_of_scores_error"
      | "multiply_adds"
      | "exponentials";
    readonly figure: "weights" | "weights_mean" | "weights_one_head" | "head_output" | "output";
  };
  readonly role_emergence: {
    readonly verdict: "roles_emerge" | "roles_do_not_emerge" | "roles_not_learnt" | "training_diverged";
    readonly scalar:
      | "answers_right"
      | "weight_on_referent"
      | "weight_on_other_noun"
      | "it_prefers_referent"
      | "answers_right_even_weights"
      | "weight_change"
      | "answer_follows";
    readonly figure: "role_emergence" | "sentence_weights" | "twin_weights" | "weight_by_kind";
  };
  readonly per_head_scale: {
    readonly verdict:
      | "head_deviation_as_expected"
      | "head_deviation_differs"
      | "one_head_nothing_compared"
      | "tails_too_heavy";
    readonly scalar: "score_sd" | "softmax_max" | "effective_keys_exp_entropy";
    readonly figure: "sd_over_heads" | "effective_keys_over_heads" | "max_over_heads";
  };
  readonly bug_museum: {
    readonly verdict:
      | "museum_too_sharp"
      | "museum_too_flat"
      | "museum_too_late"
      | "museum_no_bug"
      | "museum_nothing_to_see"
      | "museum_differs"
      | "tails_too_heavy";
    readonly scalar:
      | "score_sd"
      | "softmax_max"
      | "frac_max_gt_0.99"
      | "entropy_nats"
      | "row_sum"
      | "output_rms"
      | "query_gradient"
      | "weights_unlike_right"
      | "weights_unlike_absent"
      | "token_accuracy"
      | "loss"
      | "saturated_rows";
    readonly figure: "weights" | "accuracy_over_steps" | "training_saturated";
  };
  readonly qk_exchange: {
    readonly verdict:
      | "scores_not_finite"
      | "scores_transpose_weights_do_not"
      | "exchange_of_equals"
      | "exchange_nothing_compared"
      | "exchange_differs";
    readonly scalar:
      | "q_variance"
      | "score_mismatches"
      | "swapped_mismatches"
      | "weights_difference"
      | "row_sum_error"
      | "column_sum_error"
      | "row_sum_error_swapped"
      | "column_sum_error_swapped";
    readonly figure:
      "scores" | "scores_swapped" | "weights" | "weights_swapped_transposed" | "row_sums" | "column_sums";
  };
  readonly qk_symmetry_breaking: {
    readonly verdict:
      | "qk_parted_by_the_loss"
      | "qk_parting_goes_on"
      | "qk_parting_differs"
      | "qk_without_gradient"
      | "training_diverged";
    readonly scalar:
      | "qk_distance"
      | "qk_cosine"
      | "qk_gradient_distance"
      | "qk_gradient_cosine"
      | "token_accuracy"
      | "gradient_sum_of_queries"
      | "gradient_sum_of_keys"
      | "curves_apart"
      | "distance_after_learning";
    readonly figure: "qk_distance" | "qk_cosine" | "qk_gradient_cosine" | "accuracy_over_steps";
  };
  readonly kv_tying: {
    readonly verdict: "kv_paths_do_not_conflict" | "kv_paths_conflict" | "kv_paths_without_gradient";
    readonly scalar:
      | "token_accuracy"
      | "accuracy_while_learning"
      | "tied_less_separate"
      | "cosine_at_start"
      | "cosine_mean"
      | "cosine_least"
      | "cosine_most";
    readonly figure: "accuracy_over_steps" | "path_cosine" | "path_norm_ratio";
  };
  readonly encoder_layer: {
    readonly verdict: "encoder_layer_as_described" | "encoder_layer_differs";
    readonly scalar:
      | "activation_mean"
      | "activation_std"
      | "row_mean_farthest_from_0"
      | "row_std_farthest_from_1"
      | "masked_weight_largest"
      | "row_sum_error"
      | "permuted_change"
      | "share_changed_by_other_sequence"
      | "dropout_mean"
      | "dropout_power"
      | "stream_std";
    readonly figure: "head_weights" | "stream_over_depth";
  };
  readonly decoder_layer: {
    readonly verdict: "decoder_sees_no_future" | "decoder_layer_differs";
    readonly scalar:
      | "activation_mean"
      | "activation_std"
      | "masked_weight_largest"
      | "row_sum_error"
      | "share_changed_by_later_tokens"
      | "permuted_change";
    readonly figure: "self_weights" | "cross_weights" | "change_by_later_tokens";
  };
  readonly cross_modal: {
    readonly verdict: "row_variance_as_expected" | "row_variance_differs";
    readonly scalar:
      "logit_variance_per_row" | "entropy_nats" | "softmax_max" | "partner_weight" | "partner_found";
    readonly figure: "entropy_over_std" | "logits" | "weights";
  };
  readonly positional_encoding: {
    readonly verdict: "order_needs_positions" | "positions_differ" | "nothing_permuted";
    readonly scalar:
      | "wavelength_shortest"
      | "wavelength_longest"
      | "share_longer_than_text"
      | "dot_spread"
      | "score_spread"
      | "permuted_change"
      | "different_elements";
    readonly figure: "encoding" | "wavelengths" | "dot_over_distance" | "rotary_over_offset";
  };
  readonly training_race: {
    readonly verdict:
      | "race_under_way"
      | "race_nothing_compared"
      | "race_nothing_learnt"
      | "race_unscaled_never"
      | "race_unscaled_needs_narrow_heads"
      | "race_unscaled_slower"
      | "race_unscaled_faster"
      | "race_unscaled_less_right"
      | "race_unscaled_more_right"
      | "race_undecided"
      | "race_too_few_seeds"
      | "race_diverged";
    readonly scalar: "steps_to_90" | "token_accuracy" | "sequence_accuracy" | "loss";
    readonly figure:
      | "race_accuracy"
      | "race_loss"
      | "gradient_norm_over_steps"
      | "score_gradient_mean"
      | "score_gradient_median"
      | "entropy_over_steps"
      | "saturated_over_steps"
      | "steps_over_d_k"
      | "accuracy_over_d_k";
  };
  readonly trained_without: {
    readonly verdict:
      | "scale_belongs_to_the_weights"
      | "scale_makes_no_difference"
      | "not_learnt"
      | "training_diverged"
      | "no_other_scale";
    readonly scalar:
      | "token_accuracy"
      | "sequence_accuracy"
      | "loss"
      | "n_sorted"
      | "greedy_agreement"
      | "negative_log_likelihood"
      | "equal_tokens";
    readonly figure: "accuracy_over_factor" | "trained_weights";
  };
  readonly kernel_errors: {
    readonly verdict: "kernels_within_bounds" | "kernels_beyond_bounds";
    readonly scalar:
      "largest_error" | "relative_error" | "bound_relative" | "last_places" | "bound_last_places";
    readonly figure: "kernel_errors";
  };
}

export type ExperimentId = keyof ExperimentParams;
