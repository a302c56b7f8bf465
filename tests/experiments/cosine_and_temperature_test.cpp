#include <cmath>

#include "experiments/grids.h"
#include "kernels/attention/cosine_attention.h"
#include "tensor/random.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "cosine_and_temperature";

Labels at(const std::string& d, const std::string& form) { return {{"d", d}, {"form", form}}; }

TEST_CASE("cosine_and_temperature: cosines have the deviation 1/sqrt(d), so that a fixed tau flattens") {
  const Result result = run(kId, {{"d", "4,16,64,256"}, {"trials", "1000"}});
  CHECK(result.verdict == "cosine_bounded_and_flattens");
  for (const char* d : {"4", "16", "64", "256"}) {
    check_within(scalar(result, "cosine_sd", {{"d", d}}), 1 / std::sqrt(std::stod(d)));
  }
  const auto weight = [&](const char* d, const char* form) -> const Scalar& {
    return scalar(result, "softmax_max", at(d, form));
  };
  check_within(weight("16", "τ=10"), 0.34, 0.005);  // simulated with PyTorch
  check_within(weight("256", "τ=10"), 0.057, 0.0005);
  CHECK(weight("64", "τ=10").value < weight("16", "τ=10").value);
  CHECK(weight("256", "τ=1").value < 1.25 / 64);
  CHECK(weight("256", "none").value > 0.8);
}

TEST_CASE("cosine_and_temperature: tau = sqrt(d) is the scaled dot product, the more so the larger d") {
  for (const char* seed : {"0", "1", "2"}) {
    const Result result = run(kId, {{"seed", seed}, {"d", "16,64,1024"}, {"trials", "400"}});
    CAPTURE(seed);
    CHECK(result.holds == Holds::kYes);
    double before = 1;
    for (const char* d : {"16", "64", "1024"}) {
      const Scalar &root = scalar(result, "effective_keys_exp_entropy", at(d, "τ=√d")),
                   &scaled = scalar(result, "effective_keys_exp_entropy", at(d, "1/sqrt(d)"));
      CHECK(std::fabs(root.value / scaled.value - 1) < 0.02);
      const double apart = std::fabs(scalar(result, "softmax_max", at(d, "τ=√d")).value /
                                         scalar(result, "softmax_max", at(d, "1/sqrt(d)")).value -
                                     1);
      CHECK(apart < before);
      before = apart;
    }
    CHECK(before < 0.01);
  }
}

TEST_CASE("cosine_and_temperature: no score beyond tau and no weight beyond its bound, whatever d") {
  const Result result = run(kId, {{"d", "1,2,8,512"}, {"tau", "1,3,50"}, {"n_keys", "4"}, {"trials", "300"}});
  CHECK(result.holds == Holds::kYes);
  CHECK(scalar(result, "weights_beyond_bound", {}).value == 0);
  for (const char* d : {"1", "2", "8", "512"}) {
    for (const auto& [form, tau] : {std::pair{"τ=1", 1.0}, {"τ=3", 3.0}, {"τ=50", 50.0}}) {
      const double largest = scalar(result, "largest_score", at(d, form)).value;
      CHECK(largest <= tau * (1 + 1e-6));
      CHECK(scalar(result, "largest_score", at(d, form)).expected == tau);
      if (std::string(d) == "1") CHECK(std::fabs(largest - tau) < 1e-5 * tau);
    }
  }
  const double bound = scalar(result, "weight_bound", {{"tau", "3"}}).value;
  CHECK(std::fabs(bound - std::exp(6) / (std::exp(6) + 3)) < 1e-12);
  // Reached where the cosines are ±1: one key like the query, three opposite.
  const Result line = run(kId, {{"d", "1"}, {"tau", "3"}, {"n_keys", "4"}, {"trials", "500"}});
  CHECK(std::fabs(scalar(line, "softmax_max", at("1", "τ=3")).p90 - bound) < 1e-6);
}

TEST_CASE("cosine_and_temperature: the library's cosine attention at this tau") {
  constexpr int64_t kD = 16, kKeys = 5;
  float rows[(kKeys + 1) * kD], scores[kKeys], weights[kKeys], v[kKeys] = {}, out[1];
  double sum = 0, largest_score = 0;
  for (uint64_t trial = 0; trial < 100; ++trial) {
    philox_normal(3, uint64_t{kD} << 32 | trial, 0, rows, (kKeys + 1) * kD);
    const ConstView q(rows, {1, kD}), k(rows + kD, {kKeys, kD});
    Arena scratch(cosine_attention_scratch(q, k));
    cosine_attention_forward(q, k, {v, {kKeys, 1}}, 7, {}, {scores, {1, kKeys}}, {weights, {1, kKeys}},
                             {out, {1, 1}}, scratch);
    float largest = 0;
    for (const float p : weights) largest = std::max(largest, p);
    sum += static_cast<double>(largest);
    for (const float x : scores) largest_score = std::max(largest_score, std::fabs(static_cast<double>(x)));
  }
  const Result result =
      run(kId, {{"d", "16"}, {"tau", "7"}, {"n_keys", "5"}, {"trials", "100"}, {"seed", "3"}});
  CHECK(std::fabs(scalar(result, "softmax_max", at("16", "τ=7")).value - sum / 100) < 1e-6);
  CHECK(std::fabs(scalar(result, "largest_score", at("16", "τ=7")).value - largest_score) < 1e-5);
  CHECK(result.verdict == "cosine_nothing_compared");
}

TEST_CASE("cosine_and_temperature: figures, and nothing to compare") {
  const Result result = run(kId, {{"d", "64,8"}, {"tau", "2"}, {"trials", "100"}});
  REQUIRE(result.figures.size() == 4);
  const char* const names[] = {"τ=2", "τ=√d", "1/sqrt(d)", "none"};
  for (const auto& [name, quantity] : {std::pair{"max_of_forms", "softmax_max"},
                                       {"keys_of_forms", "effective_keys_exp_entropy"},
                                       {"score_of_forms", "largest_score"}}) {
    const Figure& over = figure(result, name);
    CHECK(over.log_x);
    REQUIRE(over.series.size() == 4);
    for (size_t i = 0; i < 4; ++i) {
      CHECK(over.series[i].name == names[i]);
      CHECK(over.series[i].x == std::vector<double>{8, 64});
      CHECK(over.series[i].y[1] == scalar(result, quantity, at("64", names[i])).value);
    }
    CHECK(over.series[2].role == Role::kScaled);
    CHECK(over.series[3].role == Role::kUnscaled);
  }
  CHECK(figure(result, "max_of_forms").y_max == 1);
  const Figure& sd = figure(result, "cosine_sd");
  CHECK(sd.series[1].role == Role::kReference);
  CHECK(sd.series[1].y[1] == 0.125);
  for (const Text& params : {Text{{"d", "64"}}, Text{{"n_keys", "1"}}, Text{{"d", "32,64"}}}) {
    const Result nothing = run(kId, params);
    CHECK(nothing.verdict == "cosine_nothing_compared");
    CHECK(nothing.holds == Holds::kCannotBeJudged);
  }
}

}  // namespace
}  // namespace sqrtdk::test
