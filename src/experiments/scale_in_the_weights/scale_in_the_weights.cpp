// 1/sqrt(d) in the formula, or folded into the initial values of W_Q, or its root into W_Q and W_K: one
// function before the first step. How far do the trainings part, and which optimizer settings make them one
// again?
#include <algorithm>
#include <cmath>
#include <cstring>

#include "experiments/registry.h"
#include "experiments/scale_in_the_weights/folded_training.h"
#include "lab/common_params.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "scale_in_the_weights";
constexpr double kReached = 0.9;

constexpr ScalePlace kPlaces[] = {{"in_formula", 0, 0, false},
                                  {"in_queries", -0.5, 0, false},
                                  {"in_queries_corrected", -0.5, 0, true},
                                  {"in_both", -0.25, -0.25, false},
                                  {"in_both_corrected", -0.25, -0.25, true}};
enum : size_t { kFormula, kQueries, kQueriesCorrected };

double loss_apart(const FoldedCourse& a, const FoldedCourse& b) {
  double largest = 0;
  for (size_t i = 0; i < a.losses.size(); ++i) {
    largest = std::max(largest, std::fabs(a.losses[i] - b.losses[i]));
  }
  return largest;
}

/// Without the corrected ones where nobody asks for a correction.
std::vector<ScalePlace> places_of(const Params& params) {
  std::vector<ScalePlace> places;
  for (const ScalePlace& place : kPlaces) {
    if (!place.corrected || params.choice("correction") != "none") places.push_back(place);
  }
  return places;
}

/// How many parameters have other bits at the end.
int64_t differing(const FoldedCourse& a, const FoldedCourse& b) {
  int64_t count = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    count += std::memcmp(&a.values[i], &b.values[i], sizeof(float)) != 0;
  }
  return count;
}

/// The first look with 90 % of the tokens right; none where it is not reached.
double steps_to_90(const FoldedCourse& course) {
  const auto found = std::find_if(course.looks.begin(), course.looks.end(),
                                  [](const FoldedLook& look) { return look.accuracy >= kReached; });
  return found == course.looks.end() ? kNone : found->step;
}

/// By how much faster W_Q, sqrt(d) times smaller with gradients as much larger, changes by the first step.
double expected_ratio(OptimizerKind kind, double d) {
  if (kind == OptimizerKind::kAdafactor) return 1;
  return kind == OptimizerKind::kSgd ? d : std::sqrt(d);
}

Figure over_steps(const char* name, const char* y, const std::vector<ScalePlace>& places,
                  const std::vector<FoldedCourse>& courses, double (*value)(const FoldedLook&)) {
  Figure figure{.name = name, .at = {}, .x = "step", .y = y};
  for (size_t i = 0; i < courses.size(); ++i) {
    Series series{.name = places[i].name, .role = i == kFormula ? Role::kScaled : Role::kOther};
    for (const FoldedLook& look : courses[i].looks) series.add(look.step, value(look));
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// All are one function before the first step; W_Q alone then changes faster, as the optimizer's steps have
/// it; and corrected it is the same training: to the bit where 1/sqrt(d) is a power of two and nothing is
/// left uncorrected, else but for rounding, as long as that has not grown.
void judge(Result& result, const std::vector<FoldedCourse>& courses, const Params& params) {
  constexpr int64_t kFew = 100;  // steps in which rounding does not grow
  const double d = static_cast<double>(params.integer("d_k"));
  int exponent = 0;
  const bool exact = params.choice("correction") == "complete" && std::frexp(std::sqrt(d), &exponent) == 0.5;
  bool holds = true;
  for (const FoldedCourse& course : courses) {
    holds = holds && std::fabs(course.losses.front() - courses[kFormula].losses.front()) < 1e-4;
  }
  const double ratio = courses[kQueries].first_change / courses[kFormula].first_change;
  const double expected = expected_ratio(folded_config(params).optimizer.kind, d);
  holds = holds && std::fabs(ratio / expected - 1) < 0.1;
  for (const FoldedCourse& course : courses) {
    if (!std::isfinite(course.losses.back())) return result.cannot_be_judged("training_diverged");
  }
  if (params.choice("correction") == "none") {
    return result.judge(holds, "faster_in_the_weights", "not_the_same_training");
  }
  const FoldedCourse &formula = courses[kFormula], &corrected = courses[kQueriesCorrected];
  const double apart = loss_apart(corrected, formula);
  const bool few = params.integer("steps") <= kFew;
  if (exact) {
    holds = holds && apart == 0 && differing(corrected, formula) == 0;
  } else if (few) {
    holds = holds && apart < 0.01;
  }
  if (holds && !exact && !few) return result.cannot_be_judged("rounding_has_grown");
  result.judge(holds, exact ? "same_to_the_bit" : "same_but_for_rounding", "not_the_same_training");
}

Result run(const Params& params, ProgressMeter& meter) {
  const std::vector<ScalePlace> places = places_of(params);
  meter.begin(static_cast<double>(places.size()) * folded_work(params));
  Result result;
  std::vector<FoldedCourse> courses;
  for (const ScalePlace& place : places) courses.push_back(train_folded(params, place, meter));
  const FoldedCourse& formula = courses[kFormula];
  for (size_t i = 0; i < courses.size(); ++i) {
    const Labels at = {{"scale_place", places[i].name}};
    result.add("first_loss", at, courses[i].losses.front());
    result.add("last_loss", at, courses[i].losses.back());
    result.add("loss_apart", at, loss_apart(courses[i], formula));
    result.add("differing_parameters", at, differing(courses[i], formula));
    result.add("query_step_ratio", at, courses[i].first_change / formula.first_change);
    result.add("token_accuracy", at, courses[i].looks.back().accuracy);
    result.add("steps_to_90", at, steps_to_90(courses[i]));
  }
  result.figures = {
      over_steps("loss_over_steps", "loss", places, courses, [](const FoldedLook& l) { return l.loss; }),
      over_steps("query_change", "query_change", places, courses,
                 [](const FoldedLook& l) { return l.change; }),
      over_steps("accuracy_over_steps", "right_tokens", places, courses,
                 [](const FoldedLook& l) { return l.accuracy; })};
  result.figures.back().y_max = 1;
  judge(result, courses, params);
  return result;
}

constexpr const char* kOptimizers[] = {"adam", "adamw", "sgd", "momentum", "adafactor"};
constexpr const char* kCorrections[] = {"complete", "rate_only", "none"};
constexpr Condition kIfAdamW[] = {{"optimizer", "adamw"}};
constexpr Param kParams[] = {choice_param("optimizer", "adam", kOptimizers),
                             real_param("learning_rate", "0.001", 1e-5, 1),
                             int_param("d_k", "64", 4, 128),
                             int_param("steps", "60", 1, 2000),
                             choice_param("correction", "complete", kCorrections),
                             shown_when(kIfAdamW, folded(real_param("weight_decay", "0.01", 0, 1))),
                             kSeedParam};

}  // namespace

const Experiment scale_in_the_weights = {
    .id = kId,
    .question = "May the scale move from the formula into the parameters?",
    .source = "no article; T5 (Raffel and others, 2020) leaves the scale out",
    .group = Group::kWhere,
    .chapter = 9,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"same_to_the_bit", "same_but_for_rounding", "rounding_has_grown",
                           "faster_in_the_weights", "not_the_same_training", "training_diverged"},
              .scalars = {"first_loss", "last_loss", "loss_apart", "differing_parameters", "query_step_ratio",
                          "token_accuracy", "steps_to_90"},
              .labels = {"scale_place"},
              .figures = {"loss_over_steps", "query_change", "accuracy_over_steps"},
              .axes = {"step", "loss", "query_change", "right_tokens"},
              .series = {"in_formula", "in_queries", "in_queries_corrected", "in_both", "in_both_corrected"},
              .values = {"in_formula", "in_queries", "in_queries_corrected", "in_both", "in_both_corrected"}},
};

}  // namespace sqrtdk::experiments
