// Weights are trained with one scale and adapt to it: run with another, the same weights do worse. In either
// direction: a model trained without the division is spoilt by it.
#include <cmath>

#include "base/text.h"
#include "experiments/registry.h"
#include "experiments/rhyme.h"
#include "experiments/trained_without/trained_model.h"
#include "lab/chance.h"
#include "lab/common_params.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "trained_without";
constexpr int kPowers = 4;        // of 2, up and down, by which the model's own scale is multiplied
constexpr double kLearned = 0.8;  // share of right tokens from which on there is something to lose

struct AtScale {
  std::string name;
  float scale;
  Performance performance;
  bool own = false;
};

TaskTraining training_of(const Params& params) {
  const int64_t d_k = params.integer("d_k");
  const std::string& task = params.choice("task");
  return {.task = {task, params.integer("length"), params.integer("symbols"), task == "sort" ? "" : kRhyme},
          .d_k = d_k,
          .n_layers = params.integer("n_layers"),
          .steps = params.integer("steps"),
          .learning_rate = params.real("learning_rate"),
          .scale = parse_scale(kId, params.choice("trained_with")).at(d_k),
          .seed = params.seed("seed")};
}

std::unique_ptr<TrainedModel> model_of(const Params& params, ProgressMeter& meter) {
  const std::span<const uint8_t> file = params.file("checkpoint");
  if (file.empty()) return untrained_model(training_of(params), meter);
  return read_trained_model(file, params.file("tokenizer"), params.integer("n_tokens"), kId, meter);
}

/// Its own scale first, then those of the list.
std::vector<AtScale> scales_of(const Params& params, const TrainedModel& model) {
  const float own = model.own_scale();
  std::vector<AtScale> all = {{.name = shortest(own), .scale = own, .performance = {}, .own = true}};
  for (const char* name : kNamedScales) {
    if (parse_scale(kId, name).at(model.d_k()) != own) continue;
    all.front().name = name;
    break;
  }
  for (const Scale& scale : params.scales("scale")) {
    const float factor = scale.at(model.d_k());
    if (factor != own) all.push_back({.name = scale.name, .scale = factor, .performance = {}});
  }
  return all;
}

/// Over the factor by which the scale differs from the model's own.
Figure over_factor(TrainedModel& model) {
  Series series{.name = "accuracy"};
  for (int power = -kPowers; power <= kPowers; ++power) {
    const double factor = std::ldexp(1.0, power);
    series.add(factor, model.at(static_cast<float>(factor) * model.own_scale()).value());
  }
  return {.name = "accuracy_over_factor",
          .at = {},
          .x = "scale_factor",
          .y = "right_tokens",
          .log_x = true,
          .y_max = 1,
          .series = {series}};
}

/// A model that has learned does worse where its scale is 2.5 times as much or as little, and is nowhere
/// better beyond chance.
void judge(Result& result, const std::vector<AtScale>& all) {
  const Performance& own = all.front().performance;
  const double se = std::isnan(own.measures.front().se) ? 0 : own.measures.front().se;
  const Chance chance(std::ssize(all));
  bool any_far = false, agree = true;
  for (const AtScale& each : all) {
    if (each.own) continue;
    const double ratio = static_cast<double>(each.scale) / static_cast<double>(all.front().scale);
    const bool far = !(ratio > 0.4 && ratio < 2.5);
    const double lost = own.value() - each.performance.value();
    agree = agree && (far ? lost > 0 : lost > -chance.z() * se);
    any_far = any_far || far;
  }
  if (!own.finite()) return result.cannot_be_judged("training_diverged");
  if (!any_far) return result.cannot_be_judged("no_other_scale");
  if (!(own.value() >= kLearned)) return result.cannot_be_judged("not_learnt");
  result.judge(agree, "scale_belongs_to_the_weights", "scale_makes_no_difference");
}

Result run(const Params& params, ProgressMeter& meter) {
  const std::unique_ptr<TrainedModel> model = model_of(params, meter);
  std::vector<AtScale> all = scales_of(params, *model);
  const int64_t n_measured = std::ssize(all) + 2 * kPowers + 1;
  meter.begin(model->preparation_work() + static_cast<double>(n_measured) * model->work());
  model->prepare();
  Result result;
  for (AtScale& each : all) {
    each.performance = model->at(each.scale);
    result.lines.push_back("scale=" + each.name + (each.own ? " (trained with it): " : ": ") +
                           each.performance.text);
    for (const auto& [name, value, se] : each.performance.measures) {
      result.add(name, {{"scale", each.name}}, Estimate{value, se});
    }
  }
  result.add(over_factor(*model));
  for (const AtScale& each : all) {
    std::optional<Figure> figure = model->weights(each.scale);
    if (!figure) continue;
    figure->at = {{"scale", each.name}};
    figure->y_max = 1;
    result.add(std::move(*figure));
  }
  judge(result, all);
  return result;
}

constexpr Condition kIfTrained[] = {{"checkpoint", ""}}, kIfLoaded[] = {{"checkpoint", "", false}};
constexpr Param model_param(Param param) { return shown_when(kIfTrained, param); }
constexpr Param file_param(const char* name, size_t max_bytes) {
  return {.name = name, .kind = FileParam{max_bytes, ".safetensors,.bin,.json"}, .default_value = ""};
}
constexpr const char* kTasksHere[] = {"sort", "characters"};
constexpr Param kParams[] = {scale_param("none,1/sqrt(d),1/(2*sqrt(d)),1/d"),
                             model_param(choice_param("task", "sort", kTasksHere)),
                             model_param(kTrainedWithParam),
                             model_param(int_param("d_k", "32", 4, 128)),
                             folded(model_param(int_param("n_layers", "1", 1, 4))),
                             folded(model_param(int_param("length", "6", 2, 64))),
                             folded(model_param(int_param("symbols", "8", 2, 32))),
                             folded(model_param(int_param("steps", "400", 1, 5000))),
                             folded(model_param(real_param("learning_rate", "0.004", 1e-5, 0.1))),
                             file_param("checkpoint", 64 << 20),
                             shown_when(kIfLoaded, file_param("tokenizer", 8 << 20)),
                             shown_when(kIfLoaded, int_param("n_tokens", "200", 2, 1024)),
                             kSeedParam};

}  // namespace

const Experiment trained_without = {
    .id = kId,
    .question = "Can a trained model do without the scale it was trained with?",
    .source = "articles 1 to 5: the scale keeps training stable; here it is taken away afterwards",
    .group = Group::kWhere,
    .chapter = 10,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"scale_belongs_to_the_weights", "scale_makes_no_difference", "not_learnt",
                           "training_diverged", "no_other_scale"},
              .scalars = {"token_accuracy", "sequence_accuracy", "loss", "n_sorted", "greedy_agreement",
                          "negative_log_likelihood", "equal_tokens"},
              .labels = {"scale"},
              .figures = {"accuracy_over_factor", "trained_weights"},
              .axes = {"scale_factor", "right_tokens", "key", "query", "weight"},
              .series = {"accuracy"}},
};

}  // namespace sqrtdk::experiments
