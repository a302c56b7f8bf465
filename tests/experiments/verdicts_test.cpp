// Claims that are true are never said to fail, whatever the settings and the seed. As many runs of each
// experiment with settings drawn at random as SQRTDK_VERDICT_RUNS says, a few without it:
//   SQRTDK_VERDICT_RUNS=200 build/native/bin/sqrtdk_tests -tc='verdicts:*'
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "experiments/run.h"
#include "simd/math.h"
#include "tensor/random.h"

namespace sqrtdk::test {
namespace {

int64_t n_runs() {
  const char* const given = std::getenv("SQRTDK_VERDICT_RUNS");
  return given ? std::atoll(given) : 3;
}

/// Settings drawn at random.
class Draw {
 public:
  explicit Draw(const std::string& experiment, int64_t run)
      : stream_(stream_of_text(experiment)), seed_(static_cast<uint64_t>(run)) {}
  /// Whole, and as often between 1 and 10 as between 10 and 100.
  int64_t number(int64_t low, int64_t high) {
    const double from = static_cast<double>(low), ratio = static_cast<double>(high) / from;
    return std::clamp<int64_t>(std::llround(from * simd::exp(uniform() * simd::log(ratio))), low, high);
  }
  std::string text(int64_t low, int64_t high) { return std::to_string(number(low, high)); }
  /// Up to `most` numbers.
  std::string list(int most, int64_t low, int64_t high) {
    std::vector<std::string> numbers;
    for (int64_t n = number(1, most); n > 0; --n) numbers.push_back(text(low, high));
    return joined(numbers);
  }
  std::string one_of(std::initializer_list<const char*> texts) {
    return *(texts.begin() + static_cast<std::ptrdiff_t>(uniform() * static_cast<double>(texts.size())));
  }
  std::string power_of_2(int64_t most) {
    int64_t power = 1;
    while (power < most && uniform() < 0.75) power *= 2;
    return std::to_string(power);
  }

 private:
  static uint64_t stream_of_text(const std::string& text) {
    uint64_t stream = 0;
    for (const char c : text) stream = stream * 31 + static_cast<unsigned char>(c);
    return stream;
  }
  double uniform() {
    float drawn;
    philox_uniform(seed_, stream_, n_drawn_++, &drawn, 1);
    return static_cast<double>(drawn);
  }
  uint64_t stream_, seed_, n_drawn_ = 0;
};

/// What an experiment may be asked, so that it takes milliseconds.
struct Settings {
  const char* experiment;
  Text (*draw)(Draw&);
};

const auto kDistributions = {"normal", "uniform", "rademacher", "student_t"};
const auto kScales = {"none", "1/sqrt(d)", "0", "0.001", "1000", "1e38"};
const auto kTexts = {"a", "a a a", "the cat sat on the mat"};

constexpr Settings kAll[] = {
    {"article_snippet",
     [](Draw& draw) {
       return Text{{"d", draw.list(4, 1, 512)},
                   {"n_keys", draw.text(1, 64)},
                   {"draws", draw.one_of({"paired", "independent"})}};
     }},
    {"score_variance",
     [](Draw& draw) {
       return Text{{"d", draw.list(3, 1, 100)},
                   {"n_keys", draw.text(1, 16)},
                   {"distribution", draw.one_of(kDistributions)},
                   {"nu", draw.text(3, 100)},
                   {"mean", draw.one_of({"0", "0", "0.5", "-3", "100"})},
                   {"correlation", draw.one_of({"0", "0", "0.5", "-1", "1"})},
                   {"sigma_q", draw.one_of({"1", "1", "0", "0.1", "30"})},
                   {"sigma_k", draw.one_of({"1", "1", "0", "2"})},
                   {"trials", draw.text(100, 1000)}};
     }},
    {"softmax_saturation",
     [](Draw& draw) {
       return Text{{"d", draw.list(4, 1, 256)},
                   {"n_keys", draw.text(1, 64)},
                   {"distribution", draw.one_of(kDistributions)},
                   {"nu", draw.text(3, 100)},
                   {"trials", "100"}};
     }},
    {"softmax_jacobian",
     [](Draw& draw) {
       return Text{{"d", draw.list(4, 1, 512)}, {"n_keys", draw.list(3, 1, 64)}, {"trials", "100"}};
     }},
    {"softmax_overflow",
     [](Draw& draw) {
       return Text{{"d", draw.list(3, 1, 200)},
                   {"n_keys", draw.text(1, 32)},
                   {"scale", draw.one_of(kScales)},
                   {"trials", "100"}};
     }},
    {"gradient_flow",
     [](Draw& draw) {
       return Text{{"d", draw.list(3, 1, 256)},
                   {"n_keys", draw.text(1, 32)},
                   {"loss", draw.one_of({"u_p", "u_pv", "cross_entropy", "log_p"})},
                   {"steps", "0"},
                   {"trials", draw.text(100, 300)}};
     }},
    {"scale_factors",
     [](Draw& draw) {
       return Text{
           {"d", draw.list(3, 4, 256)}, {"n_keys", draw.text(1, 32)}, {"steps", "0"}, {"trials", "100"}};
     }},
    {"number_of_keys",
     [](Draw& draw) {
       return Text{{"d", draw.list(3, 1, 256)}, {"n_keys", draw.list(2, 2, 512)}, {"trials", "100"}};
     }},
    {"cosine_and_temperature",
     [](Draw& draw) {
       return Text{{"d", draw.list(4, 1, 256)},
                   {"n_keys", draw.text(1, 64)},
                   {"tau", draw.one_of({"1", "10", "1,100", "3"})},
                   {"trials", draw.text(100, 300)}};
     }},
    {"mixed_precision",
     [](Draw& draw) {
       return Text{{"d", draw.list(2, 1, 128)},
                   {"std", draw.one_of({"1", "32", "100", "1000", "1,64", "300,500"})},
                   {"format", draw.one_of({"fp16", "bf16"})},
                   {"products", draw.one_of({"exact", "rounded"})},
                   {"n_keys", draw.text(1, 16)},
                   {"trials", draw.text(10, 50)}};
     }},
    {"scaling_values",
     [](Draw& draw) {
       return Text{{"d", draw.list(2, 1, 128)}, {"n_keys", draw.text(1, 16)}, {"trials", "100"}};
     }},
    {"per_head_scale",
     [](Draw& draw) {
       const std::string most = draw.power_of_2(128);
       return Text{{"d_model", "128"},
                   {"n_heads", "1," + most},
                   {"n_keys", draw.text(2, 32)},
                   {"trials", draw.text(100, 200)}};
     }},
    {"bug_museum",
     [](Draw& draw) {
       return Text{{"bug", draw.one_of({"absent", "d_model", "after_softmax", "on_v", "twice", "q_first"})},
                   {"d_model", "64"},
                   {"n_heads", draw.power_of_2(64)},
                   {"n_keys", draw.text(1, 16)},
                   {"steps", "0"},
                   {"trials", "100"}};
     }},
    {"cross_modal",
     [](Draw& draw) {
       return Text{{"d", draw.text(1, 128)},
                   {"n_text", draw.text(1, 8)},
                   {"n_image", draw.text(8, 32)},
                   {"batch", draw.text(1, 3)},
                   {"mean_text", draw.one_of({"0", "1", "-10"})},
                   {"std_text", draw.one_of({"0", "1", "3"})},
                   {"mean_image", draw.one_of({"0", "5"})},
                   {"std_image", draw.one_of({"0.01", "1", "3"})},
                   {"correlation", draw.one_of({"0", "0.1", "1", "-1"})},
                   {"trials", draw.text(20, 50)}};
     }},
    {"similarity_measures",
     [](Draw& draw) {
       return Text{{"d", draw.list(3, 1, 256)}, {"n_keys", draw.text(1, 32)}, {"trials", "100"}};
     }},
    {"attention_steps",
     [](Draw& draw) {
       return Text{{"d_model", draw.text(1, 64)},        {"d_k", draw.text(1, 64)},
                   {"scale", draw.one_of(kScales)},      {"causal", draw.one_of({"no", "yes"})},
                   {"w_k", draw.one_of({"own", "w_q"})}, {"text", draw.one_of(kTexts)}};
     }},
    {"qk_exchange",
     [](Draw& draw) {
       return Text{{"n", draw.text(1, 64)},
                   {"d_model", draw.text(1, 128)},
                   {"d_k", draw.text(1, 128)},
                   {"scale", draw.one_of(kScales)},
                   {"w_k", draw.one_of({"own", "w_q"})}};
     }},
    {"multi_head",
     [](Draw& draw) {
       return Text{{"d_model", "64"},
                   {"n_heads", draw.power_of_2(16)},
                   {"init", draw.one_of({"xavier", "torch"})},
                   {"causal", draw.one_of({"no", "yes"})},
                   {"text", draw.one_of(kTexts)}};
     }},
    {"positional_encoding",
     [](Draw& draw) {
       return Text{{"n_positions", draw.text(1, 64)},
                   {"d_model", std::to_string(2 * draw.number(1, 32))},
                   {"base", draw.one_of({"1", "1.5", "100", "10000", "1000000"})},
                   {"n", draw.text(1, 32)}};
     }},
    {"encoder_layer",
     [](Draw& draw) {
       return Text{{"batch", draw.text(1, 4)},
                   {"n", draw.text(1, 12)},
                   {"d_model", std::to_string(8 * draw.number(1, 4))},
                   {"n_heads", draw.power_of_2(8)},
                   {"d_ff", draw.text(8, 64)},
                   {"norm", draw.one_of({"pre", "post"})},
                   {"dropout", draw.one_of({"0", "0.1", "0.5", "0.9"})},
                   {"padding", "0"},
                   {"n_layers", draw.text(1, 6)},
                   {"input", draw.one_of({"uniform", "normal"})}};
     }},
    {"decoder_layer",
     [](Draw& draw) {
       return Text{{"batch", draw.text(1, 4)},
                   {"n_target", draw.text(4, 12)},
                   {"n_source", draw.text(1, 12)},
                   {"d_model", std::to_string(8 * draw.number(1, 4))},
                   {"n_heads", draw.power_of_2(8)},
                   {"d_ff", draw.text(8, 64)},
                   {"norm", draw.one_of({"pre", "post"})},
                   {"changed", draw.one_of({"0", "1", "3"})},
                   {"input", draw.one_of({"uniform", "normal"})}};
     }},
    {"kernel_errors",
     [](Draw& draw) {
       return Text{{"n", draw.text(8, 32)}, {"d", draw.text(16, 64)}};
     }},
};

TEST_CASE("verdicts: no claim is said to fail, with settings drawn at random") {
  for (const Settings& settings : kAll) {
    for (int64_t i = 0; i < n_runs(); ++i) {
      Draw draw(settings.experiment, i);
      Text text = settings.draw(draw);
      text["seed"] = std::to_string(i);
      std::string words = settings.experiment;
      for (const auto& [name, value] : text) words.append(" --").append(name).append(" ").append(value);
      CAPTURE(words);
      const Result result = run(settings.experiment, text);
      CAPTURE(result.verdict);
      CHECK(result.holds != Holds::kNo);
    }
  }
}

TEST_CASE("verdicts: nor with settings at which chance or the limits of a claim once decided") {
  const std::pair<const char*, Text> settings[] = {
      {"score_variance", {{"distribution", "rademacher"}, {"d", "1,2,4"}, {"trials", "300"}}},
      {"score_variance", {{"trials", "100"}, {"n_keys", "1"}, {"d", "1,4"}}},
      {"softmax_jacobian", {{"n_keys", "1,8"}, {"d", "8,32"}, {"trials", "100"}}},
      {"softmax_overflow", {{"scale", "1000"}, {"trials", "100"}}},
      {"gradient_flow", {{"steps", "0"}, {"d", "1,2"}, {"trials", "100"}}},
      {"gradient_flow", {{"steps", "0"}, {"d", "4096"}, {"n_keys", "2"}, {"trials", "100"}}}};
  for (const auto& each : settings) {
    for (int64_t i = 0; i < n_runs(); ++i) {
      Text with = each.second;
      with["seed"] = std::to_string(i);
      CAPTURE(each.first);
      CAPTURE(i);
      CHECK(run(each.first, with).holds != Holds::kNo);
    }
  }
}

}  // namespace
}  // namespace sqrtdk::test
