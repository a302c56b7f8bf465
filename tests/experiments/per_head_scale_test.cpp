#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"
#include "layers/multi_head_attention.h"
#include "reference/thrown_by.h"
#include "tensor/random.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "per_head_scale";
constexpr const char *kHead = "1/sqrt(d_k)", *kModel = "1/sqrt(d_model)";

Labels at(const std::string& h, const char* scale) { return {{"n_heads", h}, {"scale", scale}}; }

TEST_CASE("per_head_scale: by the head dimension the deviation is 1, by the model's 1/sqrt(h)") {
  for (const char* seed : {"0", "1", "2"}) {
    const Result result = run(kId, {{"seed", seed}, {"n_heads", "64,1,2,8,32"}, {"trials", "2000"}});
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "head_deviation_as_expected");
    for (const std::string h : {"1", "2", "8", "32", "64"}) {
      const double root = std::sqrt(std::stod(h));
      const Scalar &head = scalar(result, "score_sd", at(h, kHead)),
                   &model = scalar(result, "score_sd", at(h, kModel));
      check_within(head, 1);
      check_within(model, 1 / root);
      CHECK(model.expected == doctest::Approx(1 / root));
      CHECK(head.value == doctest::Approx(root * model.value).epsilon(1e-12));  // the same scores
    }
  }
}

// PyTorch 1.13 in float64, 20,000 trials of one query and 8 keys of d components, scale 1/sqrt(d).
TEST_CASE(
    "per_head_scale: a head divided by the square root of its own dimension is like attention of that "
    "dimension") {
  const Result result = run(kId, {{"n_heads", "1,4,16,64"}, {"trials", "4000"}});
  check_within(scalar(result, "softmax_max", at("1", kHead)), 0.360413, 0.000825);
  check_within(scalar(result, "softmax_max", at("16", kHead)), 0.359824, 0.000858);
  check_within(scalar(result, "softmax_max", at("64", kHead)), 0.35321, 0.000917);
  check_within(scalar(result, "effective_keys_exp_entropy", at("64", kHead)), 5.80606, 0.00845);
  // 1/sqrt(512) on heads of 128 is 1/(2 sqrt(128)), whose figures hardly depend on the width.
  CHECK(scalar(result, "softmax_max", at("4", kModel)).value == doctest::Approx(0.2332).epsilon(0.01));
  CHECK(scalar(result, "effective_keys_exp_entropy", at("4", kModel)).value ==
        doctest::Approx(7.2227).epsilon(0.005));
}

TEST_CASE("per_head_scale: head i is columns i d_k .. (i + 1) d_k - 1 of q and k") {
  constexpr int64_t kModel = 24, kHeads = 3, kWidth = 8, kKeys = 5, kTrials = 100;
  double sum = 0;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    float rows[(kKeys + 1) * kModel];
    philox_normal(9, trial, 0, rows, (kKeys + 1) * kModel);
    for (int64_t head = 0; head < kHeads; ++head) {
      double weights[kKeys], total = 0;
      for (int64_t key = 0; key < kKeys; ++key) {
        double score = 0;
        for (int64_t j = head * kWidth; j < (head + 1) * kWidth; ++j) {
          score += static_cast<double>(rows[j]) * static_cast<double>(rows[(key + 1) * kModel + j]);
        }
        weights[key] = std::exp(score / std::sqrt(8.0));
        total += weights[key];
      }
      sum += *std::max_element(weights, weights + kKeys) / total;
    }
  }
  const Result result =
      run(kId, {{"d_model", "24"}, {"n_heads", "3"}, {"n_keys", "5"}, {"trials", "100"}, {"seed", "9"}});
  CHECK(scalar(result, "softmax_max", at("3", kHead)).value ==
        doctest::Approx(sum / (kHeads * kTrials)).epsilon(1e-6));
}

TEST_CASE("per_head_scale: the layer divides by the square root of the head dimension") {
  Parameters parameters;
  const MultiHeadAttention layer(parameters, "mha", {.d_model = 32, .n_heads = 8});
  parameters.allocate();
  philox_normal(3, 0, 0, parameters.values().data(), parameters.size());
  std::vector<float> x(5 * 32);
  philox_normal(4, 0, 0, x.data(), 5 * 32);
  const ConstView view(x.data(), {1, 5, 32});
  Cache cache;
  layer.forward(view, view, view, {}, true, cache, {});
  const View q = cache.at("mha.q"), k = cache.at("mha.k"), scores = cache.at("mha.scores");
  for (int64_t i = 0; i < scores.shape.size(); ++i) {
    const int64_t head = i / 25, row = i / 5 % 5, column = i % 5;
    double sum = 0;
    for (int64_t j = 0; j < 4; ++j) {
      sum += static_cast<double>(q.data[(head * 5 + row) * 4 + j]) *
             static_cast<double>(k.data[(head * 5 + column) * 4 + j]);
    }
    CHECK(static_cast<double>(scores.data[i]) == doctest::Approx(sum / 2).epsilon(1e-4));
  }
}

TEST_CASE("per_head_scale: figures over the number of heads") {
  const Result result = run(kId, {{"n_heads", "4,1"}, {"trials", "200"}});
  const std::pair<const char*, const char*> names[] = {
      {"sd_over_heads", "score_sd"},
      {"effective_keys_over_heads", "effective_keys_exp_entropy"},
      {"max_over_heads", "softmax_max"}};
  for (const auto& [name, quantity] : names) {
    const Figure& figure = test::figure(result, name);
    CHECK(figure.y == quantity);
    CHECK(figure.series[0].role == Role::kScaled);
    for (size_t i = 0; i < 2; ++i) {
      CHECK(figure.series[i].x == std::vector<double>{1, 4});
      CHECK(figure.series[i].y[1] == scalar(result, quantity, at("4", i == 0 ? kHead : kModel)).value);
      CHECK(figure.series[i].y_se[1] == scalar(result, quantity, at("4", i == 0 ? kHead : kModel)).se);
    }
  }
  CHECK(test::figure(result, "sd_over_heads").series.at(2).y == std::vector<double>{1, 0.5});
}

TEST_CASE("per_head_scale: heads must divide the width; one head leaves nothing to compare") {
  const ValueError error = thrown_by<ValueError>([&] { run(kId, {{"n_heads", "1,3"}}); });
  CHECK(error.argument == "n_heads");
  CHECK(error.expected == "a divisor of d_model = 512");
  CHECK(error.got == "3");
  CHECK(run(kId, {{"n_heads", "1"}, {"trials", "100"}}).verdict == "one_head_nothing_compared");
  CHECK(run(kId, {{"d_model", "6"}, {"n_heads", "6"}, {"trials", "4000"}}).holds == Holds::kYes);
  int calls = 0;
  const auto long_run = [&] {
    run_experiment(kId, {{"trials", "1000000"}}, [&](double) { return ++calls < 5; });
  };
  CHECK_THROWS_AS(long_run(), Cancelled);
  CHECK(calls == 5);
}

}  // namespace
}  // namespace sqrtdk::test
