// Which module computes which experiment: a small one for the page's first figures, another for the rest. The
// lists are those of src/experiments/{figures,layers}.inc.

export const modules = {
  figures: ["article_snippet", "score_variance", "softmax_saturation"],
  layers: [
    "per_head_scale",
    "cross_modal",
    "attention_steps",
    "qk_exchange",
    "multi_head",
    "positional_encoding",
    "encoder_layer",
    "decoder_layer",
    "trained_without",
  ],
};

/** Throws an error with the fields of the library's errors where there is no such experiment. */
export function moduleOf(experiment: string): keyof typeof modules {
  if (modules.figures.includes(experiment)) return "figures";
  if (modules.layers.includes(experiment)) return "layers";
  const expected = [...modules.figures, ...modules.layers].join(", ");
  const fields = { code: "unknown_name", argument: "experiment", expected, got: experiment };
  throw Object.assign(new Error(`unknown experiment ${experiment}`), fields);
}
