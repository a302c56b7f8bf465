// With what the exported programs are tried, besides the defaults.
import type { Labels } from "../../bindings/api/types.ts";

/** Of each experiment with a program, settings other than the defaults. */
export const others: Readonly<Record<string, readonly Labels[]>> = {
  article_snippet: [
    { d: "20,6", n_keys: "3", rng: "torch", draws: "paired", seed: "7" },
    { q: "1;2;-0.5", k: "1,0,2;0.25,3,1" },
    { n_keys: "1", draws: "paired" },
  ],
  attention_steps: [
    {
      text: 'Do "\\n" 不要除以 d！Do',
      causal: "yes",
      w_k: "w_q",
      scale: "0.5",
      d_k: "3",
    },
    { mode: "search", query: "除以 √d", documents: "To divide; 除以; or not" },
  ],
  bug_museum: [
    { bug: "twice", d_model: "24", n_heads: "3", n_keys: "5", trials: "200", steps: "0", seed: "8" },
    { bug: "after_softmax", trials: "100", steps: "0" },
    { bug: "on_v", trials: "100", steps: "0" },
  ],
  cosine_and_temperature: [{ d: "8,3", n_keys: "5", tau: "4", trials: "100", seed: "5" }],
  cross_modal: [{ d: "31", n_text: "3", n_image: "5", correlation: "0.5", mean_image: "1", std_text: "0.5" }],
  decoder_layer: [
    {
      n_target: "5",
      n_source: "7",
      d_model: "24",
      n_heads: "3",
      d_ff: "40",
      norm: "pre",
      head: "2",
      input: "normal",
      changed: "2",
    },
  ],
  encoder_layer: [
    {
      batch: "1",
      n: "5",
      d_model: "24",
      n_heads: "3",
      d_ff: "40",
      norm: "pre",
      head: "2",
      input: "normal",
      n_layers: "2",
      seed: "3",
    },
  ],
  gradient_flow: [
    { loss: "cross_entropy", d: "12,64", n_keys: "6", steps: "0", trials: "200", seed: "2" },
    { loss: "u_pv", d: "100", trials: "100" },
    { loss: "log_p", d: "100", trials: "100" },
  ],
  mixed_precision: [{ format: "bf16", products: "rounded", d: "48", std: "3,1", n_keys: "9", trials: "20" }],
  multi_head: [{ text: "one two three", n_heads: "2", d_model: "16", init: "torch", causal: "yes" }],
  number_of_keys: [
    { d: "3,40", n_keys: "5,1000", scale: "0.5,1/d", measure: "softmax_max", trials: "150", seed: "4" },
  ],
  per_head_scale: [{ d_model: "24", n_heads: "3,1", n_keys: "5", trials: "100", seed: "4" }],
  positional_encoding: [{ n_positions: "20", d_model: "32", base: "500", n: "5", seed: "6" }],
  qk_exchange: [{ n: "5", d_model: "20", d_k: "6", scale: "none", seed: "1" }],
  scale_factors: [{ d: "8,24", n_keys: "4", scale: "0.2,none", steps: "0", trials: "100", seed: "3" }],
  scaling_values: [{ d: "24,8", n_keys: "5", trials: "100", seed: "9" }],
  score_variance: [
    {
      d: "9",
      n_keys: "3",
      mean: "0.5",
      correlation: "-0.5",
      sigma_q: "2",
      distribution: "uniform",
      trials: "1000",
      seed: "18446744073709551615",
    },
    { d: "5", mean: "1", distribution: "rademacher", scale: "-2", trials: "200" },
    { d: "9,100", n_keys: "3", mean: "0.5", trials: "100", walks: "31" },
  ],
  similarity_measures: [{ q: "1,0,2", k: "0,0,1;1,2,3", d: "5", n_keys: "3", n: "10", trials: "200" }],
  softmax_jacobian: [{ scores: "1,2,3.5", d_k: "9", d: "16", n_keys: "5", scale: "0.3,1/d", trials: "100" }],
  softmax_overflow: [{ d: "50", n_keys: "6", scale: "0.7", scores: "12,-100000,0.1", trials: "500" }],
  softmax_saturation: [{ d: "16,7", n_keys: "5", scale: "0.25,1/d", distribution: "student_t", nu: "5" }],
};
