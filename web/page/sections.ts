// The order of the page's sections: the five steps, why the variance is d and what follows from it, heads,
// query and key, whole blocks, a trained model. Experiments that are not named here come last.
const order = [
  "attention_steps",
  "article_snippet",
  "score_variance",
  "softmax_saturation",
  "multi_head",
  "per_head_scale",
  "qk_exchange",
  "encoder_layer",
  "decoder_layer",
  "cross_modal",
  "positional_encoding",
  "trained_without",
];

export function inPageOrder<T extends { id: string }>(experiments: readonly T[]): T[] {
  const place = ({ id }: T): number => (order.includes(id) ? order.indexOf(id) : order.length);
  return [...experiments].sort((a, b) => place(a) - place(b));
}
