// Numbers that sentences of the laboratory tell without a derivation, by page, each with the reason why that is right.
const threshold = "a bound of the verdict or of a measure: the experiment's source sets it";
const article = "the article's own number";
const largest = "the largest number of fp16: (2 − 2^−10) · 2^15";
const browsers =
  "times in the browsers of one idle machine; the sentence names it, and the figure measures the reader's";
const others = "of a model that the project does not ship: measured once, beside its checkpoint";
const reversed =
  "3.045 ± 0.001, 1.009 and 0.399 % of 8 · 10^7 draws; 4,000 seeds assert it in tests/experiments/article_snippet_test.cpp";
const chosen = "a number that the figure's own code sets: src/lab/score_walks.cpp";
const stepsBeside = "the steps of the runs that are quoted beside it";
const ofThousands = "a round number in words";

export const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  article_snippet: {
    "3.0%": reversed,
    "1.0%": reversed,
    "0.4%": reversed,
    "0.000": "what the article's format prints",
    "100": "in words: eight times softmax_overflow's share of weights that fp32 holds as 0",
  },
  attention_steps: { "22": threshold },
  score_variance: { "36": "(2 · 3)²", "22": article, "20": chosen, "68%": chosen, "95%": chosen },
  softmax_saturation: {
    "0.9": "an example of an average",
    "400,000": `${ofThousands}: e^12.9`,
    "0.99": threshold,
    "50": article,
  },
  softmax_jacobian: { "15%": threshold },
  gradient_flow: {
    "0.99": threshold,
    "0.001": "10^−3",
    "10": "powers of ten",
    "0.7": threshold,
    "30": threshold,
  },
  scale_factors: { "1.25": threshold },
  cosine_and_temperature: { "22": "of a model's name, ViT-22B" },
  softmax_overflow: {
    "65504": largest,
    "5.18⋅1021": "e^50, as the article has it",
    "17": "in words: 38.5 − 21.7 powers of ten",
    "10−8": "an example of a small weight",
  },
  mixed_precision: { "65504": largest, "30": "in words: √(65504 / 3 / √512) is 31" },
  scaling_values: { "10,000": "the draws of the link beside it" },
  similarity_measures: {
    "2%": "(17088512 − 16777216) / 16777216 is 1.86 %: tests/experiments/similarity_measures_test.cpp counts them",
    "1.1": browsers,
    "1.2": browsers,
    "12": browsers,
    "18": browsers,
    "48": "the angle of (5, −2) to (2, 1): 21.8 + 26.6 degrees",
  },
  additive_vs_dot: {
    "14": browsers,
    "1.8": browsers,
    "2.2": browsers,
    "38": browsers,
    "60": browsers,
    "1400": browsers,
    "1800": browsers,
  },
  attention_cost: { "100": browsers, "1.8": browsers, "1.9": browsers },
  multi_head: { "0.1": article },
  role_emergence: { "500": "how many sentences the experiment asks", "90%": threshold },
  bug_museum: { "0.99": threshold },
  qk_symmetry_breaking: { "6%": "one of 16 symbols", "0.3": threshold, "0.2": threshold },
  kv_tying: { "0.5": threshold, "100%": "all of it" },
  encoder_layer: { "100%": "all of it" },
  decoder_layer: { "100%": "all of it" },
  positional_encoding: { "44": "the whole number next to the one beside it" },
  training_race: {
    "90%": threshold,
    "0.99": threshold,
    "4%": "1 of 23 numbers",
  },
  trained_without: {
    "500": "how many questions the experiment asks",
    "2.5": threshold,
    "0.4": threshold,
    "80%": threshold,
    "99.9%": others,
    "91.4%": others,
    "59.8%": others,
    "39.9%": others,
    "729": others,
    "728": others,
    "682": others,
    "210": others,
    "260": others,
    "26": others,
    "5%": others,
    "86%": others,
    "2.83": "√8",
    "87.5%": others,
    "20": others,
    "10%": others,
    "0.99": threshold,
    "86": others,
    "89%": others,
  },
  number_of_keys: {
    "99": "0.99 / (1 − 0.99)",
    "2%": threshold,
    "0.3": threshold,
    "0.04": threshold,
    "0.01": threshold,
    "0.03": threshold,
    "65,536": "2^16: a setting of a link",
    "8⋅1013": "e^32 is 7.9 · 10^13",
  },
  scale_in_the_weights: {
    "90%": threshold,
    "10−4": threshold,
    "100": threshold,
    "1000": stepsBeside,
    "400": stepsBeside,
  },
  kernel_errors: {
    "24": "of the unit 2^−24",
    "6.0⋅10−8": "2^−24",
    "10−16": "the rounding of double precision, in words",
    "10−8": "the error function's stated precision, in words",
  },
};
