// A small model learns which noun a sentence returns to: where its heads look before and after, and what
// tells them to look there.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "experiments/registry.h"
#include "experiments/role_emergence/coreference_heads.h"
#include "experiments/training_race/training_work.h"
#include "lab/chance.h"
#include "lab/common_params.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "role_emergence";
constexpr int64_t kMoments = 12;  // of the training at which the heads are looked at
constexpr double kLearned = 0.9;  // share of right answers
constexpr double kClearly = 0.3;  // between two weights

/// Trains, and looks on the way: before the first step, after the last, and between.
std::vector<Moment> train(CoreferenceModel& model, int64_t steps) {
  std::vector<Moment> moments = {moment_of(model)};
  for (int64_t i = 1; i <= kMoments; ++i) {
    const int64_t until = steps * i / kMoments, more = until - model.trainer().steps();
    if (more == 0) continue;
    model.train(more);
    moments.push_back(moment_of(model));
  }
  return moments;
}

Figure emergence(const std::vector<Moment>& moments, size_t leader) {
  Figure figure{.name = "role_emergence", .at = {}, .x = "steps", .y = "share", .y_max = 1};
  figure.series = {{.name = "accuracy"},
                   {.name = "referent", .role = Role::kScaled},
                   {.name = "other_noun", .role = Role::kUnscaled}};
  for (const Moment& moment : moments) {
    const HeadGives& head = moment.heads[leader];
    const double values[] = {moment.accuracy, head.referent.mean(), head.other.mean()};
    for (size_t i = 0; i < std::size(values); ++i) {
      figure.series[i].add(moment.step, values[i]);
    }
  }
  return figure;
}

Labels head_label(CoreferenceModel& model, size_t i) {
  const auto h = static_cast<size_t>(model.trainer().config().model.layer.attention.n_heads);
  return {{"layer", i / h + 1}, {"head", i % h + 1}};
}

Labels at_step(double step, const Labels& at = {}) {
  Labels labels = {{"steps", static_cast<int64_t>(step)}};
  labels.insert(labels.end(), at.begin(), at.end());
  return labels;
}

Figure weight_map(const char* name, Labels at, const std::vector<std::string>& names,
                  std::vector<double> weights) {
  const auto n = static_cast<int64_t>(names.size());
  Grid grid{.n_rows = n, .n_cols = n, .rows = names, .cols = names, .values = std::move(weights)};
  return {.name = name,
          .at = std::move(at),
          .kind = HeatMap{.z = "weight", .grid = std::move(grid)},
          .x = "key",
          .y = "query",
          .y_max = 1};
}

/// The model's answer in words, and a map for each head.
void add_sentence(Result& result, CoreferenceModel& model, const char* name, const Sentence& sentence) {
  const std::vector<std::string> words = model.words(sentence);
  const auto step = static_cast<double>(model.trainer().steps());
  const int32_t answer = model.answer(sentence, [&](const SentenceWeights& weights) {
    for (size_t i = 0; i < model.n_heads(); ++i) {
      const float* first = weights.heads[i];
      result.add(weight_map(name, at_step(step, head_label(model, i)), words,
                            {first, first + words.size() * words.size()}));
    }
  });
  std::string line = "steps=" + shortest(step) + ":";
  for (const std::string& word : words) line += " " + word;
  result.lines.push_back(line + " -> " + (answer < 0 ? "?" : model.word(answer)));
}

/// What a word of each kind gives to each kind, on average.
void add_kinds(Result& result, CoreferenceModel& model) {
  constexpr size_t n = std::size(kWordKinds);
  std::vector<std::vector<double>> sums(model.n_heads(), std::vector<double>(n * n));
  std::vector<double> rows(n);
  model.look([&](const Sentence& sentence, const SentenceWeights& weights) {
    for (int64_t row = 0; row < Sentence::kLength; ++row) {
      const auto asking = static_cast<size_t>(kind_of(sentence.words[row]));
      rows[asking] += 1;
      for (int64_t column = 0; column < Sentence::kLength; ++column) {
        const size_t cell = asking * n + static_cast<size_t>(kind_of(sentence.words[column]));
        for (size_t i = 0; i < sums.size(); ++i) sums[i][cell] += weights.at(i, row, column);
      }
    }
  });
  std::vector<std::string> names;
  for (const Kind& kind : kWordKinds) names.push_back(model.word(kind.first) + (kind.size > 1 ? " …" : ""));
  for (size_t i = 0; i < sums.size(); ++i) {
    for (size_t cell = 0; cell < n * n; ++cell) sums[i][cell] /= rows[cell / n];
    result.add(weight_map("weight_by_kind", head_label(model, i), names, sums[i]));
  }
}

TrainerConfig config_of(const Params& params) {
  const int64_t d_model = params.integer("d_model"), n_heads = params.integer("n_heads");
  check_heads(kId, d_model, n_heads);
  TrainerConfig config;
  config.task.name = "coreference";
  config.model.n_layers = params.integer("n_layers");
  config.model.context = Sentence::kLength;
  config.model.layer.attention.d_model = d_model;
  config.model.layer.attention.n_heads = n_heads;
  config.model.layer.d_ff = 2 * d_model;
  config.model.layer.attention.scale = parse_scale(kId, params.choice("trained_with")).at(d_model / n_heads);
  config.optimizer.learning_rate = params.real("learning_rate");
  config.optimizer.non_finite = NonFinite::kSkip;
  config.seed = params.seed("seed");
  return config;
}

void add_scalars(Result& result, CoreferenceModel& model, const Moment& moment, bool one_layer) {
  const auto add = [&](const char* name, const Labels& at, const Moments& of, double expected = kNone) {
    result.add(name, at_step(moment.step, at), of.estimate(), expected);
  };
  result.add(share("answers_right", at_step(moment.step),
                   static_cast<int64_t>(std::lround(moment.accuracy * CoreferenceModel::kSentences)),
                   CoreferenceModel::kSentences));
  for (size_t i = 0; i < moment.heads.size(); ++i) {
    const Labels at = head_label(model, i);
    add("weight_on_referent", at, moment.heads[i].referent);
    add("weight_on_other_noun", at, moment.heads[i].other);
    add("it_prefers_referent", at, moment.heads[i].it_difference, one_layer ? 0 : kNone);
  }
}

void add_swaps(Result& result, CoreferenceModel& model, size_t leader) {
  for (const bool same : {true, false}) {
    const Swap swap = swapped(model, leader, same);
    const Labels at = {{"replaced_by", same ? "same_kind" : "other_kind"}};
    result.add("weight_change", at, swap.weight_change.estimate());
    result.add(share("answer_follows", at, swap.followed, CoreferenceModel::kSentences));
  }
}

/// Some head gives the noun that is meant far more than the other one, and "it" knows nothing of it where it
/// cannot: in a single layer.
void judge(Result& result, const Moment& last, size_t leader, bool one_layer) {
  const Moments& difference = last.heads[leader].difference;
  if (!std::isfinite(difference.mean())) return result.cannot_be_judged("training_diverged");
  if (last.accuracy < kLearned) return result.cannot_be_judged("roles_not_learnt");
  const Chance chance(1 + std::ssize(last.heads));
  const auto reach = [&](const Moments& of) { return chance.reach(of.se(), of.count(), 1); };
  bool agree = difference.mean() > kClearly && difference.mean() > reach(difference);
  for (const HeadGives& head : last.heads) {
    const Moments& it = head.it_difference;
    agree = agree && (!one_layer || std::fabs(it.mean()) <= reach(it));
  }
  result.judge(agree, "roles_emerge", "roles_do_not_emerge");
}

double total_work(const TrainerConfig& config, int64_t steps, int64_t n_sentences) {
  const int64_t moments = 1 + std::min(kMoments, steps);
  // Forward passes over all fresh sentences: each moment two, even weights one, two swaps with two each, and
  // the kinds of words.
  const int64_t passes = 2 * moments + 1 + 2 * 2 + 1;
  return static_cast<double>(steps) * step_work(config) +
         static_cast<double>(passes * CoreferenceModel::kSentences + n_sentences) * forward_work(config);
}

Result run(const Params& params, ProgressMeter& meter) {
  const TrainerConfig config = config_of(params);
  CoreferenceModel model(config, meter);
  const Sentence sentence = model.sentence_of(kId, "sentence", params.words("sentence"));
  const std::optional<Sentence> twin = with_other_adjective(sentence);
  const int64_t steps = params.integer("steps");
  meter.begin(total_work(config, steps, twin ? 3 : 2));
  Result result;
  add_sentence(result, model, "sentence_weights", sentence);
  const std::vector<Moment> moments = train(model, steps);
  const size_t leader = leading_head(moments.back().heads);
  const bool one_layer = config.model.n_layers == 1;

  add_scalars(result, model, moments.front(), one_layer);
  add_scalars(result, model, moments.back(), one_layer);
  const double even = model.accuracy(0.0f);
  result.add(share("answers_right_even_weights", at_step(moments.back().step),
                   static_cast<int64_t>(std::lround(even * CoreferenceModel::kSentences)),
                   CoreferenceModel::kSentences));
  add_swaps(result, model, leader);
  add_sentence(result, model, "sentence_weights", sentence);
  if (twin) add_sentence(result, model, "twin_weights", *twin);
  add_kinds(result, model);
  result.figures.insert(result.figures.begin(), emergence(moments, leader));
  judge(result, moments.back(), leader, one_layer);
  return result;
}

constexpr Param kParams[] = {text_param("sentence", "the cat passed the street because it was tired", 240),
                             folded(int_param("steps", "120", 1, 5000)),
                             int_param("n_heads", "2", 1, 4),
                             folded(int_param("n_layers", "1", 1, 2)),
                             int_param("d_model", "32", 4, 128),
                             folded(real_param("learning_rate", "0.004", 1e-5, 0.1)),
                             kTrainedWithParam,
                             kSeedParam};

}  // namespace

const Experiment role_emergence = {
    .id = kId,
    .question = "Does a model learn by itself where “it” points?",
    .source = "article 4, section 4.3",
    .group = Group::kRest,
    .chapter = 13,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"roles_emerge", "roles_do_not_emerge", "roles_not_learnt", "training_diverged"},
              .scalars = {"answers_right", "weight_on_referent", "weight_on_other_noun",
                          "it_prefers_referent", "answers_right_even_weights", "weight_change",
                          "answer_follows"},
              .labels = {"steps", "layer", "head", "replaced_by"},
              .figures = {"role_emergence", "sentence_weights", "twin_weights", "weight_by_kind"},
              .axes = {"steps", "share", "key", "query", "weight"},
              .series = {"accuracy", "referent", "other_noun"},
              .values = {"same_kind", "other_kind"}},
};

}  // namespace sqrtdk::experiments
