// Results carry no name that their experiment does not declare: each has a word in both languages.
#include <algorithm>
#include <set>
#include <string_view>

#include "base/decimal.h"
#include "experiments/run.h"

namespace sqrtdk::test {
namespace {

struct Spread {
  std::string id;
  Text params;
};

/// Settings that make experiments say what they can; those that are not here run with their defaults.
const Spread kSpread[] = {
    {"article_snippet", {}},
    {"article_snippet", {{"rng", "torch"}, {"n_keys", "1"}}},
    {"article_snippet", {{"q", "1,2"}, {"k", "1,0;0,1"}}},
    {"attention_steps", {{"causal", "yes"}, {"scale", "0.3"}}},
    {"attention_steps", {{"mode", "search"}, {"w_k", "w_q"}}},
    {"score_variance", {{"trials", "200"}, {"scale", "none,0.3,1/d"}}},
    {"score_variance", {{"trials", "100"}, {"d", "4"}, {"walks", "30"}}},
    {"score_variance", {{"trials", "200"}, {"distribution", "student_t"}, {"mean", "1"}}},
    {"score_variance", {{"trials", "200"}, {"distribution", "student_t"}, {"nu", "4"}, {"n_keys", "1"}}},
    {"softmax_saturation", {{"trials", "200"}, {"scale", "none,0.3,1/d,1/sqrt(d)"}}},
    {"softmax_saturation", {{"trials", "100"}, {"n_keys", "1"}}},
    {"softmax_jacobian", {{"trials", "100"}}},
    {"softmax_jacobian", {{"trials", "100"}, {"scores", "1,2"}, {"n_keys", "1"}}},
    {"gradient_flow", {{"trials", "100"}, {"steps", "2"}, {"loss", "u_p"}}},
    {"gradient_flow", {{"trials", "100"}, {"steps", "2"}, {"loss", "u_pv"}}},
    {"gradient_flow", {{"trials", "100"}, {"steps", "0"}, {"loss", "cross_entropy"}}},
    {"gradient_flow", {{"trials", "100"}, {"steps", "0"}, {"loss", "log_p"}}},
    {"scale_factors", {{"trials", "100"}, {"steps", "2"}, {"scale", "none,1/sqrt(d),0.3"}}},
    {"scale_factors", {{"trials", "100"}, {"steps", "0"}, {"d", "8"}}},
    {"number_of_keys", {{"trials", "100"}, {"n_keys", "2,64"}, {"scale", "none,1/sqrt(d),0.3"}}},
    {"number_of_keys", {{"trials", "100"}, {"n_keys", "8"}, {"measure", "effective_keys_exp_entropy"}}},
    {"cosine_and_temperature", {{"trials", "100"}}},
    {"cosine_and_temperature", {{"trials", "100"}, {"d", "1"}}},
    {"scale_in_the_weights", {{"steps", "2"}, {"d_k", "16"}}},
    {"scale_in_the_weights", {{"steps", "101"}, {"d_k", "4"}, {"correction", "rate_only"}}},
    {"scale_in_the_weights", {{"steps", "4"}, {"d_k", "4"}, {"correction", "none"}}},
    {"softmax_overflow", {{"trials", "100"}}},
    {"softmax_overflow", {{"trials", "100"}, {"d", "8"}, {"scores", "89,1"}}},
    {"mixed_precision", {{"trials", "10"}}},
    {"mixed_precision", {{"trials", "10"}, {"format", "bf16"}, {"products", "rounded"}}},
    {"mixed_precision", {{"trials", "10"}, {"d", "64"}, {"std", "1"}}},
    {"scaling_values", {{"trials", "100"}}},
    {"scaling_values", {{"trials", "100"}, {"n_keys", "1"}}},
    {"similarity_measures", {{"trials", "100"}}},
    {"similarity_measures", {{"trials", "100"}, {"measured", "yes"}, {"rounds", "3"}, {"n", "16"}}},
    {"additive_vs_dot", {{"n", "4,8"}, {"d", "4,8"}, {"rounds", "3"}}},
    {"additive_vs_dot", {{"n", "1"}, {"d", "4"}, {"n_fixed", "1"}, {"d_fixed", "4"}, {"rounds", "3"}}},
    {"attention_cost", {{"n", "8,16"}, {"rounds", "3"}}},
    {"attention_cost", {{"n", "8"}, {"rounds", "3"}}},
    {"multi_head", {{"causal", "yes"}}},
    {"multi_head", {{"n_heads", "1"}, {"init", "torch"}}},
    {"role_emergence", {{"steps", "2"}, {"n_layers", "2"}}},
    {"role_emergence", {{"steps", "2"}, {"n_heads", "1"}, {"trained_with", "none"}}},
    {"per_head_scale", {{"trials", "100"}}},
    {"per_head_scale", {{"trials", "100"}, {"n_heads", "1"}}},
    {"bug_museum", {{"trials", "100"}, {"steps", "2"}, {"bug", "absent"}}},
    {"bug_museum", {{"trials", "100"}, {"steps", "2"}, {"bug", "d_model"}}},
    {"bug_museum", {{"trials", "100"}, {"steps", "2"}, {"bug", "after_softmax"}}},
    {"bug_museum", {{"trials", "100"}, {"steps", "2"}, {"bug", "on_v"}}},
    {"bug_museum", {{"trials", "100"}, {"steps", "0"}, {"bug", "twice"}}},
    {"bug_museum", {{"trials", "100"}, {"steps", "0"}, {"bug", "q_first"}, {"n_keys", "1"}}},
    {"qk_exchange", {}},
    {"qk_exchange", {{"n", "1"}, {"w_k", "w_q"}}},
    {"qk_symmetry_breaking", {{"steps", "4"}}},
    {"qk_symmetry_breaking", {{"steps", "4"}, {"optimizer", "sgd"}, {"difference", "0"}}},
    {"kv_tying", {{"steps", "2"}}},
    {"kv_tying", {{"steps", "2"}, {"n_layers", "2"}, {"n_heads", "2"}, {"task", "coreference"}}},
    {"encoder_layer", {{"d_model", "32"}, {"d_ff", "64"}, {"n_layers", "2"}}},
    {"encoder_layer", {{"d_model", "32"}, {"d_ff", "64"}, {"norm", "pre"}, {"input", "normal"}}},
    {"decoder_layer", {{"d_model", "32"}, {"d_ff", "64"}}},
    {"decoder_layer", {{"d_model", "32"}, {"d_ff", "64"}, {"norm", "pre"}, {"n_source", "4"}}},
    {"cross_modal", {{"d", "16"}, {"trials", "20"}}},
    {"positional_encoding", {}},
    {"positional_encoding", {{"n", "1"}, {"d_model", "64"}}},
    {"training_race", {{"steps", "4"}, {"seeds", "0,1"}, {"record_every", "2"}, {"n_heads", "1,2"}}},
    {"training_race",
     {{"steps", "4"},
      {"seeds", "0"},
      {"record_every", "2"},
      {"topology", "encoder_decoder"},
      {"scale", "learned,cosine,none,0.5"}}},
    {"trained_without", {{"steps", "2"}, {"scale", "none,0.3"}}},
    {"trained_without", {{"steps", "2"}, {"task", "characters"}, {"length", "4"}}},
    {"kernel_errors", {{"n", "8"}, {"d", "16"}}},
};

bool has(const Words::Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A choice or scale of the reader's, or a setting such as "d=32".
bool is_setting(const Experiment& experiment, const std::string& name) {
  for (const Param& param : experiment.params) {
    const auto* const choice = std::get_if<ChoiceParam>(&param.kind);
    const auto* const scales = std::get_if<ScaleListParam>(&param.kind);
    const std::span<const char* const> names = choice   ? choice->choices
                                               : scales ? scales->further
                                                        : std::span<const char* const>();
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  }
  return name.find('=') != std::string::npos || parse_double(name);
}

std::string undeclared(const Experiment& experiment, const Result& result) {
  const Words& words = experiment.words;
  std::string missing;
  const auto need = [&](const char* topic, const Words::Names& names, const std::string& name) {
    if (!has(names, name)) missing += std::string(missing.empty() ? "" : ", ") + topic + " " + name;
  };
  const auto need_labels = [&](const Labels& at) {
    for (const auto& [label, value] : at) need("label", words.labels, label);
  };
  need("verdict", words.verdicts, result.verdict);
  for (const Scalar& scalar : result.scalars) {
    need("scalar", words.scalars, scalar.name);
    need_labels(scalar.at);
  }
  for (const Figure& figure : result.figures) {
    need("figure", words.figures, figure.name);
    need_labels(figure.at);
    for (const Key axis : {figure.x, figure.y}) need("axis", words.axes, axis);
    if (const HeatMap* map = figure.heat_map()) need("axis", words.axes, map->z);
    for (const Series& series : figure.series) {
      if (!is_setting(experiment, series.name)) need("series", words.series, series.name);
    }
  }
  return missing;
}

TEST_CASE("words: every name of a result is declared by its experiment" * doctest::skip(kSanitized)) {
  std::set<std::string> others;
  for (const Experiment* experiment : all_experiments()) others.insert(experiment->id);
  std::vector<Spread> spread(std::begin(kSpread), std::end(kSpread));
  for (const Spread& each : spread) others.erase(each.id);
  for (const std::string& id : others) spread.push_back({id, {}});
  for (const Spread& each : spread) {
    const Run run = run_experiment(each.id, each.params);
    CAPTURE(each.id);
    CHECK(undeclared(*run.experiment, run.result) == "");
  }
}

TEST_CASE("words: what is not declared is named") {
  const Experiment experiment{.id = "id",
                              .question = "why?",
                              .source = "",
                              .group = Group::kRest,
                              .params = {},
                              .run = nullptr,
                              .words = {.verdicts = {"agrees"}, .scalars = {"known"}, .axes = {"x", "y"}}};
  Result result;
  result.verdict = "agrees";
  result.scalars = {{.name = "known", .at = {{"d", "1"}}}, {.name = "other", .at = {}}};
  result.figures = {{.name = "chart", .at = {}, .x = "x", .y = "y", .series = {{.name = "line"}}}};
  CHECK(undeclared(experiment, result) == "label d, scalar other, figure chart, series line");
}

}  // namespace
}  // namespace sqrtdk::test
