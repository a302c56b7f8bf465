#include <cmath>

#include "base/errors.h"
#include "experiments/run.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "encoder_layer";
const Text kSmall = {{"d_model", "32"}, {"n_heads", "4"}, {"d_ff", "64"}, {"n", "6"}, {"n_layers", "3"}};

Text with(Text params, const Text& more) {
  for (const auto& [name, value] : more) params[name] = value;
  return params;
}

double activation(const Result& result, const char* what, const char* tensor) {
  return scalar(result, std::string("activation_") + what, {{"tensor", tensor}}).value;
}

TEST_CASE("encoder_layer: the article's shapes, and what it says of the layer") {
  const Result result = run(kId);
  CHECK(result.holds == Holds::kYes);
  CHECK(result.verdict == "encoder_layer_as_described");
  CHECK(result.lines.back() == "output shape: (2, 10, 512)");
  const auto line = [&](const char* begin) {
    for (const std::string& line : result.lines) {
      if (line.starts_with(begin)) return line;
    }
    return std::string();
  };
  CHECK(line("q ").find("(2, 8, 10, 64)") != std::string::npos);
  CHECK(line("weights ").find("(2, 8, 10, 10)    mean=0.100") != std::string::npos);
  CHECK(line("hidden ").find("(2, 10, 2048)") != std::string::npos);
  CHECK(line("norm2 ").find("mean=0.000 std=1.000") != std::string::npos);
  CHECK(result.lines.size() == 14);

  // U(0, 1) has mean 1/2 and deviation 1/sqrt(12).
  CHECK(std::fabs(activation(result, "mean", "input") - 0.5) < 0.012);
  CHECK(std::fabs(activation(result, "std", "input") - 1 / std::sqrt(12.0)) < 0.008);
  // Xavier over (3 · 512, 512): variance 2/2048 of a weight, 512 E[x²] = 512/3 of them.
  CHECK(std::fabs(activation(result, "std", "q") - std::sqrt(512.0 / 3 * 2 / 2048)) < 0.03);
  CHECK(activation(result, "std", "norm2") == doctest::Approx(1).epsilon(1e-3));
  CHECK(scalar(result, "masked_weight_largest", {}).value == 0);
  CHECK(scalar(result, "permuted_change", {{"permuted", "both"}}).value < 1e-5);
}

TEST_CASE("encoder_layer: the last sequence's padding gets no weight in the map") {
  const Result result = run(kId, with(kSmall, {{"padding", "2"}, {"head", "3"}, {"input", "normal"}}));
  const Figure& map = result.figures.at(0);
  CHECK(map.name == "head_weights");
  CHECK(map.at == Labels{{"head", "3"}});
  REQUIRE(map.grid().n_rows == 6);
  REQUIRE(map.grid().n_cols == 6);
  for (size_t row = 0; row < 6; ++row) {
    double sum = 0;
    for (size_t key = 0; key < 6; ++key) {
      const double weight = map.grid().values[row * 6 + key];
      CHECK((weight == 0) == (key >= 4));
      sum += weight;
    }
    CHECK(sum == doctest::Approx(1).epsilon(1e-6));
  }
  const Result other = run(kId, with(kSmall, {{"padding", "2"}, {"head", "2"}, {"input", "normal"}}));
  CHECK(other.figures.at(0).grid().values != map.grid().values);
}

TEST_CASE("encoder_layer: only where the first axis is taken for the tokens' do sequences mix") {
  const Result result = run(kId, kSmall);
  CHECK(scalar(result, "share_changed_by_other_sequence", {{"first_axis", "batch"}}).value == 0);
  CHECK(scalar(result, "share_changed_by_other_sequence", {{"first_axis", "tokens"}}).value > 0.9);
  for (const Scalar& each : run(kId, with(kSmall, {{"batch", "1"}})).scalars)
    CHECK(each.name != "share_changed_by_other_sequence");
}

TEST_CASE("encoder_layer: dropout keeps the mean of what attention adds, and raises its power") {
  for (const char* probability : {"0.1", "0.5"}) {
    const Result result = run(kId, {{"dropout", probability}, {"n_layers", "1"}, {"d_ff", "8"}});
    const Scalar& mean = scalar(result, "dropout_mean", {{"dropout", probability}});
    const Scalar& power = scalar(result, "dropout_power", {{"dropout", probability}});
    CHECK(mean.se > 0);
    CHECK(mean.se < 0.05);
    CHECK(std::fabs(mean.value - 1) < 6 * mean.se);
    // At least 1 / (1 - p); dropped weights add to it.
    CHECK(power.value + 6 * power.se > 1 / (1 - std::stod(probability)));
  }
  const auto values = [](const Result& result) {  // of the trace, which is without dropout
    std::vector<double> all;
    for (const Scalar& each : result.scalars) {
      if (std::string_view(each.name).starts_with("activation")) all.push_back(each.value);
    }
    return all;
  };
  CHECK(values(run(kId, with(kSmall, {{"dropout", "0.5"}}))) ==
        values(run(kId, with(kSmall, {{"dropout", "0"}}))));
  const Result off = run(kId, with(kSmall, {{"dropout", "0"}}));
  CHECK(scalar(off, "dropout_mean", {{"dropout", "0"}}).value == doctest::Approx(1).epsilon(1e-6));
  CHECK(scalar(off, "dropout_power", {{"dropout", "0"}}).value == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("encoder_layer: behind each layer post-LN's stream has deviation 1, and pre-LN's grows") {
  const Result result = run(kId, kSmall);
  const Figure& figure = result.figures.at(1);
  CHECK(figure.name == "stream_over_depth");
  const std::vector<double>&post = figure.series.at(0).y, &pre = figure.series.at(1).y;
  REQUIRE(post.size() == 4);
  REQUIRE(pre.size() == 4);
  CHECK(post[0] == pre[0]);
  for (size_t i = 1; i < 4; ++i) {
    CHECK(post[i] == doctest::Approx(1).epsilon(3e-3));
    CHECK(pre[i] > pre[i - 1]);
  }
  CHECK(scalar(result, "stream_std", {{"norm", "pre"}, {"layer", "3"}}).value == pre[3]);
}

TEST_CASE("encoder_layer: pre-LN normalizes the rows of its norms, not its output") {
  const Result pre = run(kId, with(kSmall, {{"norm", "pre"}}));
  CHECK(pre.holds == Holds::kYes);
  CHECK(scalar(pre, "row_std_farthest_from_1", {{"tensor", "norm1"}}).value ==
        doctest::Approx(1).epsilon(1e-3));
  CHECK(activation(pre, "std", "residual2") < 0.9);
  CHECK(activation(run(kId, kSmall), "std", "norm2") == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("encoder_layer: seed after seed, and the ends of the ranges") {
  for (int seed = 0; seed < 10; ++seed) {
    for (const char* norm : {"post", "pre"}) {
      CHECK(run(kId, with(kSmall, {{"seed", std::to_string(seed)}, {"norm", norm}, {"input", "normal"}}))
                .holds == Holds::kYes);
    }
  }
  CHECK(run(kId, with(kSmall, {{"n", "1"}, {"batch", "1"}, {"padding", "0"}, {"n_layers", "1"}})).holds ==
        Holds::kYes);
  CHECK(run(kId, with(kSmall, {{"n", "32"}, {"batch", "4"}, {"padding", "31"}, {"dropout", "0.9"}})).holds ==
        Holds::kYes);
}

TEST_CASE("encoder_layer: of few numbers, chance is no evidence against it") {
  const Text few = {{"n", "1"}, {"batch", "1"}, {"padding", "0"}, {"n_layers", "1"}, {"input", "normal"}};
  for (int seed = 0; seed < 30; ++seed) {
    for (const char* dropout : {"0", "0.9"}) {
      Text params = with(kSmall, few);
      params["seed"] = std::to_string(seed), params["dropout"] = dropout;
      CHECK(run(kId, params).holds == Holds::kYes);
    }
  }
}

TEST_CASE("encoder_layer: parameters that do not fit each other are refused") {
  const auto refused = [](const Text& more, const char* argument, const char* expected, const char* got) {
    const ValueError error = thrown_by<ValueError>([&] { run(kId, with(kSmall, more)); });
    CHECK(error.argument == argument);
    CHECK(error.expected == expected);
    CHECK(error.got == got);
  };
  refused({{"n_heads", "5"}}, "n_heads", "a divisor of d_model = 32", "5");
  refused({{"padding", "6"}}, "padding", "0 .. 5", "6");
  refused({{"head", "5"}}, "head", "1 .. 4", "5");
}

}  // namespace
}  // namespace sqrtdk::test
