// What a run tells of its progress: all of it, from 0 to 1, about as evenly as the time passes, and a whole
// that is about what it takes.
#include <algorithm>
#include <ctime>

#include "experiments/run.h"

namespace sqrtdk::test {
namespace {

// In WebAssembly the only clock is that of the wall, which goes on while other programs hold the core.
#ifdef __EMSCRIPTEN__
constexpr bool kTimeTells = false;
#else
constexpr bool kTimeTells = !kSanitized;
#endif

struct Setting {
  std::string id;
  Text params;
  std::string name() const {
    std::string name = id;
    for (const auto& [param, text] : params) name += " --" + param + " " + text;
    return name;
  }
};

/// Each experiment with fewer and smaller things, and with others, than the defaults ask for.
const Setting kSettings[] = {
    {"article_snippet", {{"d", "16384"}, {"n_keys", "64"}}},
    {"article_snippet", {{"d", "4096"}, {"n_keys", "16"}, {"rng", "torch"}}},
    {"attention_steps", {{"d_model", "128"}, {"d_k", "128"}}},
    {"attention_steps", {{"mode", "search"}}},
    {"score_variance", {{"d", "1"}, {"n_keys", "256"}, {"trials", "1000"}}},
    {"score_variance", {{"d", "1024"}, {"distribution", "student_t"}, {"trials", "200"}}},
    {"score_variance", {{"d", "512"}, {"n_keys", "1"}, {"trials", "100"}, {"walks", "1000"}}},
    {"softmax_saturation", {{"d", "4"}, {"n_keys", "1024"}, {"scale", "none,0.5,1/d,1"}, {"trials", "200"}}},
    {"softmax_saturation", {{"d", "4096"}, {"n_keys", "1"}, {"trials", "300"}}},
    {"softmax_jacobian", {{"d", "4"}, {"n_keys", "256"}, {"trials", "200"}}},
    {"softmax_jacobian", {{"d", "2048"}, {"n_keys", "2"}, {"trials", "200"}}},
    {"gradient_flow", {{"steps", "0"}, {"d", "8"}, {"n_keys", "256"}, {"loss", "cross_entropy"}}},
    {"gradient_flow", {{"steps", "60"}, {"d", "8"}, {"d_k", "32"}, {"trials", "100"}}},
    {"scale_factors", {{"steps", "0"}, {"d", "8,1024"}, {"n_keys", "64"}, {"trials", "100"}}},
    {"scale_factors", {{"steps", "60"}, {"d", "8"}, {"d_k", "8"}, {"trials", "100"}}},
    {"number_of_keys", {{"d", "4,2048"}, {"n_keys", "2,8"}}},
    {"number_of_keys", {{"d", "2"}, {"n_keys", "16384"}, {"scale", "none,1/d,0.5"}, {"trials", "1000"}}},
    {"cosine_and_temperature", {{"d", "4"}, {"n_keys", "16"}}},
    {"cosine_and_temperature", {{"d", "2048"}, {"n_keys", "8"}, {"trials", "100"}}},
    {"scale_in_the_weights", {{"steps", "20"}, {"d_k", "16"}}},
    {"scale_in_the_weights", {{"steps", "5"}, {"d_k", "128"}, {"optimizer", "adafactor"}}},
    {"softmax_overflow", {{"d", "2"}, {"n_keys", "64"}, {"trials", "300"}}},
    {"softmax_overflow", {{"d", "4096"}, {"n_keys", "4"}, {"trials", "100"}}},
    {"mixed_precision", {{"d", "16"}, {"n_keys", "16"}}},
    {"mixed_precision", {{"d", "512"}, {"products", "rounded"}, {"format", "bf16"}, {"trials", "10"}}},
    {"scaling_values", {{"d", "4"}, {"n_keys", "64"}}},
    {"scaling_values", {{"d", "1024"}, {"trials", "100"}}},
    {"similarity_measures", {{"d", "2"}, {"n_keys", "64"}}},
    {"similarity_measures", {{"d", "2048"}, {"trials", "100"}}},
    {"additive_vs_dot", {{"n", "8"}, {"d", "8,16"}, {"rounds", "3"}}},
    {"additive_vs_dot", {{"n", "64"}, {"d", "64"}, {"rounds", "5"}}},
    {"attention_cost", {{"n", "8,16"}, {"d", "8"}, {"rounds", "3"}}},
    {"attention_cost", {{"n", "1024"}, {"rounds", "5"}}},
    {"multi_head", {{"d_model", "512"}, {"n_heads", "16"}}},
    {"multi_head", {{"d_model", "16"}, {"n_heads", "1"}}},
    {"role_emergence", {{"steps", "20"}, {"d_model", "64"}}},
    {"role_emergence", {{"steps", "5"}, {"n_layers", "2"}, {"n_heads", "4"}, {"d_model", "16"}}},
    {"per_head_scale", {{"d_model", "64"}, {"n_heads", "1,64"}, {"trials", "300"}}},
    {"per_head_scale", {{"d_model", "4096"}, {"n_heads", "1"}, {"trials", "100"}}},
    {"bug_museum", {{"steps", "0"}, {"n_heads", "16"}, {"n_keys", "64"}, {"trials", "100"}}},
    {"bug_museum", {{"steps", "50"}, {"d_model", "128"}, {"trials", "100"}}},
    {"qk_exchange", {{"n", "64"}, {"d_model", "2048"}, {"d_k", "512"}}},
    {"qk_exchange", {{"n", "1"}}},
    {"qk_symmetry_breaking", {{"steps", "20"}, {"d_k", "64"}}},
    {"qk_symmetry_breaking", {{"steps", "61"}, {"length", "16"}, {"d_k", "8"}}},
    {"kv_tying", {{"steps", "20"}, {"runs", "1"}, {"d_model", "64"}}},
    {"kv_tying", {{"steps", "5"}, {"runs", "1"}, {"task", "coreference"}, {"n_layers", "2"}}},
    {"encoder_layer", {{"d_model", "64"}, {"d_ff", "64"}, {"n", "32"}}},
    {"encoder_layer", {{"d_model", "1024"}, {"n", "4"}, {"padding", "0"}, {"n_layers", "1"}, {"batch", "1"}}},
    {"decoder_layer", {{"d_model", "64"}, {"d_ff", "64"}, {"n_target", "32"}}},
    {"decoder_layer", {{"d_model", "1024"}, {"d_ff", "512"}, {"n_source", "4"}}},
    {"cross_modal", {{"d", "16"}, {"trials", "100"}}},
    {"cross_modal", {{"d", "2048"}, {"trials", "20"}}},
    {"positional_encoding", {{"n_positions", "256"}, {"d_model", "64"}}},
    {"positional_encoding", {{"n_positions", "10"}, {"d_model", "1024"}, {"n", "64"}}},
    {"training_race", {{"steps", "15"}, {"seeds", "0"}, {"record_every", "4"}}},
    {"training_race", {{"steps", "5"}, {"seeds", "0,1"}, {"topology", "encoder_decoder"}, {"scale", "none"}}},
    {"trained_without", {{"steps", "40"}, {"d_k", "16"}}},
    {"trained_without", {{"steps", "20"}, {"d_k", "64"}, {"n_layers", "2"}, {"length", "12"}}},
    {"trained_without", {{"steps", "20"}, {"d_k", "16"}, {"task", "characters"}, {"length", "24"}}},
    {"kernel_errors", {{"n", "128"}, {"d", "16"}}},
    {"kernel_errors", {{"n", "8"}, {"d", "128"}}},
};

/// The time of this process alone, however busy the machine is.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A run, and when it told which share: in seconds since its start.
struct Told {
  explicit Told(Setting of) : setting(std::move(of)) {
    const Experiment& experiment = find_experiment(setting.id);
    timed = experiment.timed;
    const double start = seconds();
    ProgressMeter meter(setting.id, [&](double share) {
      shares.emplace_back(seconds() - start, share);
      return true;
    });
    result = experiment.run(Params::parse(setting.id, experiment.params, setting.params), meter);
    whole = meter.total();
    added = meter.done();
    meter.end();
    took = seconds() - start;
  }

  /// When so much was done, as if it grew evenly between what was told.
  double when(double share) const {
    const auto after =
        std::find_if(shares.begin(), shares.end(), [&](const auto& at) { return at.second >= share; });
    const auto& [t1, s1] = *after;
    const auto& [t0, s0] = *(after - 1);
    return t0 + (t1 - t0) * (share - s0) / (s1 - s0);
  }

  Setting setting;
  Result result;
  bool timed;
  double whole, added;  // draws
  double took;          // seconds
  std::vector<std::pair<double, double>> shares;
};

/// The defaults of all, and the others.
const std::vector<Told>& all_told() {
  static const std::vector<Told> all = [] {
    std::vector<Told> told;
    for (const Experiment* experiment : all_experiments()) told.emplace_back(Setting{experiment->id, {}});
    for (const Setting& setting : kSettings) told.emplace_back(setting);
    return told;
  }();
  return all;
}

TEST_CASE("progress: each experiment tells its whole work before it begins, and adds exactly that") {
  for (const Told& run : all_told()) {
    CAPTURE(run.setting.name());
    CHECK(run.whole > 0);
    CHECK(estimated_work(run.setting.id, run.setting.params) == run.whole);
    if (run.added == 0) {
      CHECK(run.whole < 2e6);  // a single piece, which a page computes at once
    } else {
      CHECK(run.added == doctest::Approx(run.whole).epsilon(1e-9));
    }
  }
}

TEST_CASE("progress: shares begin with 0, never fall and end with 1") {
  for (const Told& run : all_told()) {
    CAPTURE(run.setting.name());
    REQUIRE(run.shares.size() >= 2);
    CHECK(run.shares.front().second == 0);
    CHECK(run.shares.back().second == 1);
    CHECK(std::is_sorted(run.shares.begin(), run.shares.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
}

TEST_CASE("every experiment: defaults hold, tell their progress and can be cancelled") {
  for (const Told& run : all_told()) {
    if (!run.setting.params.empty()) continue;
    const std::string& id = run.setting.id;
    CAPTURE(id);
    CHECK(run.result.holds == Holds::kYes);
    CHECK(run.shares.size() >= static_cast<size_t>(run.whole / 2.5e6));  // draws, which take 8 ms
    if (run.whole < 1e6) continue;
    int calls = 0;
    CHECK_THROWS_AS(run_experiment(id, {}, [&](double) { return ++calls < 3; }), Cancelled);
    CHECK(calls == 3);
  }
}

// The golden hashes are those of other processes; this one has run all the others in between.
TEST_CASE("every experiment: defaults that take a moment repeat bit for bit after all others") {
  int repeated = 0;
  for (const Told& run : all_told()) {
    if (!run.setting.params.empty() || run.timed || run.whole > 2e7) continue;
    CAPTURE(run.setting.name());
    CHECK(result_hash(run_experiment(run.setting.id, {}).result) == result_hash(run.result));
    ++repeated;
  }
  CHECK(repeated > 10);
}

TEST_CASE("progress: about half of the time passes between a quarter and three quarters" *
          doctest::skip(!kTimeTells)) {
  for (const Told& run : all_told()) {
    if (run.took < 0.02) continue;
    const double between = (run.when(0.75) - run.when(0.25)) / run.took;
    CAPTURE(run.setting.name());
    CAPTURE(between);
    CHECK(between > 0.2);
    CHECK(between < 0.8);
  }
}

TEST_CASE("work: an estimate is within 10 times of what a run takes, of whatever takes a millisecond" *
          doctest::skip(!kTimeTells)) {
  const Told plain({"score_variance", {{"d", "64,512"}, {"trials", "4000"}}});
  const double per_second = plain.whole / plain.took, least = 1e-3 * per_second;
  for (const Told& run : all_told()) {
    if (run.timed) continue;  // it takes as long as the clock asks for
    const double estimated = std::max(run.whole, least), took = std::max(run.took * per_second, least);
    CAPTURE(run.setting.name());
    CAPTURE(estimated);
    CAPTURE(took);
    CHECK(estimated < 10 * took);
    CHECK(took < 10 * estimated);
  }
}

}  // namespace
}  // namespace sqrtdk::test
