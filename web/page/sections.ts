// The order of the page's sections: the comparison, the five steps, why the variance is d and what follows from it, numbers,
// heads, query and key, whole blocks, training. Experiments that are not named here come last.
const order = [
  "article_snippet",
  "attention_steps",
  "score_variance",
  "softmax_saturation",
  "softmax_jacobian",
  "gradient_flow",
  "scale_factors",
  "cosine_and_temperature",
  "softmax_overflow",
  "mixed_precision",
  "scaling_values",
  "similarity_measures",
  "additive_vs_dot",
  "attention_cost",
  "multi_head",
  "role_emergence",
  "per_head_scale",
  "bug_museum",
  "qk_exchange",
  "qk_symmetry_breaking",
  "kv_tying",
  "encoder_layer",
  "decoder_layer",
  "cross_modal",
  "positional_encoding",
  "training_race",
  "trained_without",
  "kernel_errors",
];

/** Read at once: its charts stand in the page itself. Those of the others are pictures beside it. */
export const sectionWithCharts = "article_snippet";

export function inPageOrder<T extends { id: string }>(experiments: readonly T[]): T[] {
  const place = ({ id }: T): number => (order.includes(id) ? order.indexOf(id) : order.length);
  return [...experiments].sort((a, b) => place(a) - place(b));
}
