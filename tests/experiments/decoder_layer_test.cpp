#include "base/errors.h"
#include "experiments/run.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "decoder_layer";
const Text kSmall = {{"d_model", "32"}, {"n_heads", "4"},  {"d_ff", "64"},
                     {"n_target", "6"}, {"n_source", "9"}, {"changed", "2"}};

Text with(Text params, const Text& more) {
  for (const auto& [name, value] : more) params[name] = value;
  return params;
}

TEST_CASE("decoder_layer: the article's shapes, and a future that nobody sees") {
  const Result result = run(kId);
  CHECK(result.holds == Holds::kYes);
  CHECK(result.verdict == "decoder_sees_no_future");
  CHECK(result.lines.back() == "output shape: (2, 10, 512)");
  CHECK(result.lines.size() == 23);
  CHECK(scalar(result, "masked_weight_largest", {}).value == 0);
  CHECK(scalar(result, "share_changed_by_later_tokens", {{"mask", "causal"}}).value == 0);
  CHECK(scalar(result, "share_changed_by_later_tokens", {{"mask", "no_mask"}}).value > 0.9);
  CHECK(scalar(result, "permuted_change", {{"permuted", "source"}}).value < 1e-5);
}

TEST_CASE("decoder_layer: maps of both attentions") {
  const Result result = run(kId, with(kSmall, {{"head", "1"}, {"input", "normal"}}));
  const Figure &self = result.figures.at(0), &cross = result.figures.at(1);
  CHECK(self.name == "self_weights");
  CHECK(cross.name == "cross_weights");
  REQUIRE(self.grid().n_rows == 6);
  REQUIRE(self.grid().n_cols == 6);
  REQUIRE(cross.grid().n_rows == 6);
  REQUIRE(cross.grid().n_cols == 9);
  for (size_t i = 0; i < 6; ++i) {
    double sum = 0, cross_sum = 0;
    for (size_t j = 0; j < 6; ++j) {
      CHECK((self.grid().values[i * 6 + j] == 0) == (j > i));
      sum += self.grid().values[i * 6 + j];
    }
    for (size_t j = 0; j < 9; ++j) {
      CHECK(cross.grid().values[i * 9 + j] > 0);
      cross_sum += cross.grid().values[i * 9 + j];
    }
    CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    CHECK(cross_sum == doctest::Approx(1).epsilon(1e-6));
  }
  CHECK(self.grid().values[0] == 1);  // the first token has nothing else to look at
}

TEST_CASE("decoder_layer: later tokens change later outputs alone, without the mask all") {
  for (const char* changed : {"0", "2", "5"}) {
    const Result result = run(kId, with(kSmall, {{"changed", changed}}));
    CHECK(result.holds == Holds::kYes);
    const Figure& figure = result.figures.at(2);
    CHECK(figure.name == "change_by_later_tokens");
    const std::vector<double>&causal = figure.series.at(0).y, &unmasked = figure.series.at(1).y;
    REQUIRE(causal.size() == 6);
    for (size_t i = 0; i < 6; ++i) {
      CHECK((causal[i] == 0) == (i < static_cast<size_t>(std::stoi(changed))));
      CHECK(unmasked[i] > 0);
    }
  }
}

TEST_CASE("decoder_layer: pre-LN, seed after seed, and the ends of the ranges") {
  for (int seed = 0; seed < 10; ++seed) {
    for (const char* norm : {"post", "pre"})
      CHECK(run(kId, with(kSmall, {{"seed", std::to_string(seed)}, {"norm", norm}})).holds == Holds::kYes);
  }
  CHECK(run(kId, with(kSmall, {{"n_target", "1"}, {"n_source", "1"}, {"batch", "1"}, {"changed", "0"}}))
            .holds == Holds::kYes);
  CHECK(run(kId, with(kSmall, {{"n_target", "32"}, {"n_source", "32"}, {"changed", "31"}})).holds ==
        Holds::kYes);
  const auto std_of = [](const Result& result, const char* tensor) {
    return scalar(result, "activation_std", {{"tensor", tensor}}).value;
  };
  CHECK(std_of(run(kId, kSmall), "norm3") == doctest::Approx(1).epsilon(1e-3));
  CHECK(std_of(run(kId, with(kSmall, {{"norm", "pre"}})), "residual3") < 0.9);
}

TEST_CASE("decoder_layer: parameters that do not fit each other are refused") {
  const auto refused = [](const Text& more, const char* argument, const char* expected) {
    const ValueError error = thrown_by<ValueError>([&] { run(kId, with(kSmall, more)); });
    CHECK(error.argument == argument);
    CHECK(error.expected == expected);
  };
  refused({{"n_heads", "3"}}, "n_heads", "a divisor of d_model = 32");
  refused({{"changed", "6"}}, "changed", "0 .. 5");
  refused({{"head", "5"}}, "head", "1 .. 4");
}

}  // namespace
}  // namespace sqrtdk::test
