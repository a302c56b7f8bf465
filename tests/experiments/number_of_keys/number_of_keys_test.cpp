#include <algorithm>
#include <cmath>

#include "experiments/grids.h"
#include "tensor/random.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "number_of_keys";

Labels at_ratio(const char* n, const char* ratio) { return {{"n_keys", n}, {"beta_ratio", ratio}}; }

// NumPy in float64, 60,000 rows of normals at n = 64, 12,000 at 512, 200,000 at 8; shares from as many.
struct Measured {
  const char *n, *ratio, *name;
  double mean, se;
};
constexpr Measured kMeasured[] = {
    {"8", "0.25", "entropy_share", 0.94803, 6.5e-05},
    {"8", "0.5", "entropy_share", 0.82257, 2.2e-04},
    {"8", "1", "entropy_share", 0.56498, 4.3e-04},
    {"8", "1", "softmax_max", 0.57247, 4.2e-04},
    {"8", "1.5", "effective_keys_exp_entropy", 2.5286, 2.4e-03},
    {"8", "1.5", "frac_max_gt_0.99", 0.034035, 4.1e-04},
    {"64", "0.25", "softmax_max", 0.068328, 8.8e-05},
    {"64", "0.75", "entropy_share", 0.59703, 5.2e-04},
    {"64", "1", "entropy_share", 0.45429, 6.1e-04},
    {"64", "1.1", "effective_keys_exp_entropy", 6.5921, 0.015},
    {"64", "2", "frac_max_gt_0.99", 0.08455, 1.1e-03},
    {"512", "0.5", "entropy_share", 0.76158, 4.5e-04},
    {"512", "1", "softmax_max", 0.40335, 1.9e-03},
    {"512", "1.25", "entropy_share", 0.28898, 1.1e-03},
    {"512", "2", "softmax_max", 0.69502, 2.1e-03},
};

TEST_CASE("number_of_keys: an independent simulation's figures over beta") {
  const Result result = run(kId, {{"n_keys", "8,64,512"}, {"d", "8"}, {"scale", "none"}, {"trials", "3000"}});
  for (const Measured& each : kMeasured) {
    check_within(scalar(result, each.name, at_ratio(each.n, each.ratio)), each.mean, each.se);
  }
}

// PyTorch in float64 from whole vectors q and k: here keys are not drawn, only the length of q.
struct AtDimension {
  const char *n, *d, *name;
  double mean, se;
};
constexpr AtDimension kDotProducts[] = {
    {"8", "4", "entropy_share", 0.62205, 1.6e-03},
    {"8", "12", "softmax_max", 0.71026, 1.5e-03},
    {"8", "32", "frac_max_gt_0.99", 0.2166, 2.9e-03},
    {"64", "2", "effective_keys_exp_entropy", 34.84, 0.15},
    {"64", "8", "entropy_share", 0.49712, 1.7e-03},
    {"64", "128", "frac_max_gt_0.99", 0.33433, 4.3e-03},
    {"64", "512", "softmax_max", 0.92581, 1.3e-03},
    {"512", "24", "entropy_share", 0.2604, 2.7e-03},
    {"512", "64", "softmax_max", 0.72083, 4.7e-03},
    {"512", "128", "effective_keys_exp_entropy", 1.9375, 0.024},
};

TEST_CASE("number_of_keys: scores of whole vectors, as another program has them") {
  const Result result = run(
      kId,
      {{"n_keys", "8,64,512"}, {"d", "2,4,8,12,24,32,64,128,512"}, {"scale", "none"}, {"trials", "3000"}});
  for (const AtDimension& each : kDotProducts) {
    const Labels at = {{"n_keys", each.n}, {"d", each.d}, {"scale", "none"}};
    check_within(scalar(result, each.name, at), each.mean, each.se);
  }
}

TEST_CASE("number_of_keys: one row in double") {
  constexpr int64_t kKeys = 24, kD = 6;
  float normals[kKeys], q[kD];
  double max = 0, entropy = 0, lead = 0;
  constexpr int64_t kRows = 100;
  for (uint64_t t = 0; t < kRows; ++t) {
    philox_normal(5, uint64_t{kKeys} << 32 | t, 0, normals, kKeys);
    philox_normal(5, uint64_t{kD} << 32 | uint64_t{1} << 31 | t, 0, q, kD);
    double squares = 0, sum = 0, others = 0, row_entropy = 0, largest = 0;
    for (const float x : q) squares += static_cast<double>(x) * static_cast<double>(x);
    const auto weight = [&](float x) { return std::exp(std::sqrt(squares) * static_cast<double>(x)); };
    for (const float x : normals) sum += weight(x);
    for (const float x : normals) {
      const double p = weight(x) / sum;
      row_entropy -= p * std::log(p);
      largest = std::max(largest, p);
    }
    for (int64_t j = 0; j + 1 < kKeys; ++j) others += std::exp(static_cast<double>(normals[j]));
    max += largest / kRows, entropy += row_entropy / kRows, lead += std::log(others) / kRows;
  }
  const Result result =
      run(kId, {{"n_keys", "24"}, {"d", "6"}, {"scale", "none"}, {"trials", "100"}, {"seed", "5"}});
  const Labels at = {{"n_keys", "24"}, {"d", "6"}, {"scale", "none"}};
  CHECK(scalar(result, "softmax_max", at).value == doctest::Approx(max).epsilon(1e-6));
  CHECK(scalar(result, "entropy_share", at).value == doctest::Approx(entropy / std::log(24)).epsilon(1e-6));
  CHECK(scalar(result, "lead_for_half", {{"n_keys", "24"}}).value == doctest::Approx(lead).epsilon(1e-6));
}

TEST_CASE("number_of_keys: scaled, attention keeps 61 % of its keys, and a needle needs ln(n - 1) + 1/2") {
  const Result result = run(kId, {{"n_keys", "8,4096"}, {"trials", "3000"}, {"d", "64"}});
  const Labels few = {{"n_keys", "8"}}, many = {{"n_keys", "4096"}};
  check_within(scalar(result, "entropy_deficit", few), 0.3582, 4.4e-4);
  check_within(scalar(result, "entropy_deficit", many), 0.49933, 4.1e-4);
  check_within(scalar(result, "keys_kept", many), 0.60706, 2.5e-4);
  CHECK(std::fabs(scalar(result, "keys_kept", many).value - std::exp(-0.5)) < 0.003);
  check_within(scalar(result, "lead_for_half", few), 2.34268, 9.9e-4);
  check_within(scalar(result, "lead_for_half", many), 8.8178, 6.6e-4);
  CHECK(std::fabs(scalar(result, "lead_for_half", many).value - (std::log(4095.0) + 0.5)) < 0.005);
  CHECK(scalar(result, "critical_beta", many).value == doctest::Approx(std::sqrt(2 * std::log(4096.0))));
  CHECK(scalar(result, "critical_d", many).value == doctest::Approx(2 * std::log(4096.0)));
}

TEST_CASE("number_of_keys: the entropy has only begun to fall where the law says that it is gone") {
  for (const char* seed : {"0", "1"}) {
    const Result result = run(kId, {{"seed", seed}, {"trials", "2000"}});
    CHECK(result.verdict == "collapse_is_soft");
    CHECK(result.holds == Holds::kYes);
    for (const char* n : {"8", "64", "512", "4096"}) {
      const Scalar& critical = scalar(result, "entropy_share", at_ratio(n, "1"));
      CHECK(critical.value - 4 * critical.se > 0.3);
      const Scalar& saturated = scalar(result, "frac_max_gt_0.99", at_ratio(n, "1"));
      CHECK(saturated.value - 4 * saturated.se < 0.003);
      const Scalar& far = scalar(result, "frac_max_gt_0.99", at_ratio(n, "6.63"));
      CHECK(std::fabs(far.value - 0.53) < 0.06 + 4 * far.se);
    }
  }
}

TEST_CASE("number_of_keys: the largest n has fewer rows, and what a reader asks holds too") {
  const Result result = run(kId, {{"n_keys", "2,65536"}, {"d", "2,16"}, {"trials", "100"}});
  CHECK(result.holds == Holds::kYes);
  const Scalar& critical = scalar(result, "entropy_share", at_ratio("65536", "1"));
  check_within(critical, 0.31163, 4.5e-3);
  const auto rows = [](const Scalar& mean) { return std::round(std::pow(mean.std / mean.se, 2)); };
  CHECK(rows(critical) == 32);
  CHECK(rows(scalar(result, "entropy_share", at_ratio("2", "1"))) == 100);
  check_within(scalar(result, "entropy_deficit", {{"n_keys", "2"}}), 0.153462, 3.4e-4);
}

TEST_CASE("number_of_keys: a plane per scale, many keys above few, and d = 2 ln n running through it") {
  const Result result =
      run(kId, {{"n_keys", "512,8,64"}, {"d", "16,1,4"}, {"trials", "100"}, {"measure", "softmax_max"}});
  const Labels none = {{"scale", "none"}}, scaled = {{"scale", "1/sqrt(d)"}};
  const Grid& plane = grid(result, "plane_of_keys", none);
  CHECK(plane.rows == std::vector<std::string>{"512", "64", "8"});
  CHECK(plane.cols == std::vector<std::string>{"1", "4", "16"});
  CHECK(figure(result, "plane_of_keys", none).heat_map()->z == "softmax_max");
  const char *ns[] = {"512", "64", "8"}, *ds[] = {"1", "4", "16"};
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t col = 0; col < 3; ++col) {
      const Labels at = {{"n_keys", ns[row]}, {"d", ds[col]}, {"scale", "none"}};
      CHECK(cell(plane, row, col) == scalar(result, "softmax_max", at).value);
    }
  }
  const Series& critical = figure(result, "plane_of_keys", none).series.at(0);
  CHECK(critical.name == "critical");
  REQUIRE(critical.y == std::vector<double>{0, 1, 2});
  const double part = std::log(2 * std::log(512.0) / 4) / std::log(4.0);  // between the columns 4 and 16
  CHECK(critical.x[0] == doctest::Approx(1 + part));
  CHECK(figure(result, "plane_of_keys", scaled).series.empty());
}

TEST_CASE("number_of_keys: lines over n and over beta") {
  const Result result = run(kId, {{"n_keys", "8,64"}, {"d", "1,16"}, {"trials", "100"}});
  const Figure& over = figure(result, "over_keys", {{"scale", "1/sqrt(d)"}});
  REQUIRE(over.series.size() == 2);
  CHECK(over.series[1].name == "d=16");
  CHECK(over.series[1].x == std::vector<double>{8, 64});
  CHECK(over.series[1].y[1] ==
        scalar(result, "entropy_share", {{"n_keys", "64"}, {"d", "16"}, {"scale", "1/sqrt(d)"}}).value);
  const Figure& entropy = figure(result, "entropy_over_beta");
  REQUIRE(entropy.series.size() == 3);
  CHECK(entropy.series[1].name == "n=64");
  CHECK(entropy.series[1].y[4] == scalar(result, "entropy_share", at_ratio("64", "1")).value);
  CHECK(entropy.series[2].role == Role::kReference);
  CHECK(entropy.series[2].y[1] == 0.75);
  CHECK(entropy.series[2].y[4] == 0);
  const Figure& saturated = figure(result, "saturated_over_beta");
  CHECK(saturated.series[2].y[4] == doctest::Approx(1.0 / 99));
  CHECK(saturated.series[2].y[11] == doctest::Approx(0.5).epsilon(1e-3));
}

}  // namespace
}  // namespace sqrtdk::test
