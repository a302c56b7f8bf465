#include <cmath>
#include <set>

#include "base/errors.h"
#include "experiments/grids.h"
#include "experiments/kernel_errors/kernel_checks.h"
#include "lab/double_reference.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "kernel_errors";

Labels at(const std::string& name, const char* pass = "forward") {
  return {{"operator", name}, {"pass", pass}};
}

TEST_CASE("kernel_errors: every kernel stays within its bound") {
  for (const Text& params :
       {Text{}, Text{{"seed", "1"}}, Text{{"n", "8"}, {"d", "16"}, {"seed", "2"}},
        Text{{"n", "128"}, {"d", "17"}}, Text{{"n", "33"}, {"d", "128"}, {"seed", "3"}}}) {
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "kernels_within_bounds");
    for (const double share : figure(result, "kernel_errors").grid().values) CHECK_FALSE(share > 1);
  }
}

TEST_CASE("kernel_errors: floats err, but by a few units of their last place") {
  const Result result = run(kId);
  std::set<std::string> names;
  for (const Scalar& each : result.scalars) names.insert(each.at[0].value);
  for (const char* name : {"matmul", "softmax", "log_softmax", "cross_entropy", "attention",
                           "tiled_attention", "additive_attention", "cosine_attention", "layer_norm",
                           "rms_norm", "rotary", "gelu", "gelu_tanh", "silu", "relu"}) {
    CAPTURE(name);
    const double error = scalar(result, "relative_error", at(name)).value;
    CHECK(error < 2e-6);
    CHECK((error > 1e-9) == (name != std::string("relu")));
    CHECK(names.erase(name) == 1);
    if (name == std::string("matmul")) continue;  // its gradients are products again
    CHECK(scalar(result, "relative_error", at(name, "backward")).value < 4e-6);
  }
  for (const char* name : {"exp", "log", "tanh", "erf"}) {
    CHECK(scalar(result, "last_places", at(name)).value > 0.4);
    CHECK(scalar(result, "last_places", at(name)).value <=
          scalar(result, "bound_last_places", at(name)).value);
    CHECK(names.erase(name) == 1);
  }
  CHECK(names.empty());
}

TEST_CASE("kernel_errors: errors are relative to the largest value, last places to each") {
  Tensor got({4});
  got.values = {1.0f, -8.0f, 0.5f, 0.0f};
  KernelErrors errors;
  errors.add(got, {1.0 + 0x1p-22, -8.0, 0.5, 0.0});
  CHECK(errors.absolute() == 0x1p-22);
  CHECK(errors.relative() == 0x1p-25);
  CHECK(errors.last_places() == 2);
  errors.add(got, {1.0, -8.0 + 0x1p-19, 0.5, 0.0});
  CHECK(errors.absolute() == 0x1p-19);
  CHECK(errors.last_places() == 4);  // below 8 floats lie closer
  errors.add(got, {1.0, -8.0, 0.5});
  CHECK(std::isnan(errors.relative()));
  KernelErrors none;
  got.values[2] = NAN;
  none.add(got, {1.0, -8.0, 0.5, 0.0});
  CHECK(std::isnan(none.absolute()));
  CHECK(std::isnan(none.last_places()));
  CHECK_FALSE(none.relative() <= 1);
}

TEST_CASE("kernel_errors: the formulas in double are libm's and central differences'") {
  for (int i = -18; i <= 18; ++i) {
    const double x = 0.25 * i;
    CHECK(exact::erf(x) == doctest::Approx(std::erf(x)).epsilon(1e-8));
    CHECK(exact::tanh(x) == doctest::Approx(std::tanh(x)).epsilon(1e-12));
  }
  const exact::Doubles x = {0.5, -1, 2, 0.25, 3, -0.5}, u = {1, -2, 0.5, 0.75, -1, 1.5};
  const auto loss = [&](const exact::Doubles& at) {
    double sum = 0;
    const exact::Doubles p = exact::softmax(at, 3);
    for (size_t i = 0; i < p.size(); ++i) sum += p[i] * u[i];
    return sum;
  };
  const exact::Doubles dx = exact::softmax_backward(exact::softmax(x, 3), u, 3);
  const exact::Doubles logs = exact::log_softmax(x, 3), p = exact::softmax(x, 3);
  for (size_t i = 0; i < x.size(); ++i) {
    exact::Doubles up = x, down = x;
    up[i] += 1e-5, down[i] -= 1e-5;
    CHECK(dx[i] == doctest::Approx((loss(up) - loss(down)) / 2e-5).epsilon(1e-6));
    CHECK(logs[i] == doctest::Approx(std::log(p[i])).epsilon(1e-12));
  }
  CHECK(exact::product({1, 2, 3, 4, 5, 6}, {1, 0, 2, 1, 0, 3}, 2, 3, 2) == exact::Doubles{5, 11, 14, 23});
  CHECK(exact::transposed({1, 2, 3, 4, 5, 6}, 2, 3) == exact::Doubles{1, 4, 2, 5, 3, 6});
}

TEST_CASE("kernel_errors: the map shows what the table says") {
  const Result result = run(kId, {{"seed", "5"}});
  const Grid& grid = test::grid(result, "kernel_errors");
  CHECK(grid.cols == std::vector<std::string>{"forward", "backward"});
  for (int64_t row = 0; row < grid.n_rows; ++row) {
    const std::string& name = grid.rows.at(static_cast<size_t>(row));
    if (name == "relu") continue;
    const bool by_element = name == "softmax" || name == "log_softmax" || name == "cross_entropy" ||
                            name == "exp" || name == "log" || name == "tanh" || name == "erf";
    const double error = scalar(result, by_element ? "last_places" : "relative_error", at(name)).value;
    const double bound = scalar(result, by_element ? "bound_last_places" : "bound_relative", at(name)).value;
    CHECK(test::cell(grid, row, 0) == doctest::Approx(error / bound));
    const bool alone = name == "matmul" || name.size() <= 4 ? name != "gelu" && name != "silu" : false;
    CHECK(std::isnan(test::cell(grid, row, 1)) == alone);
  }
  int calls = 0;
  const auto cancelled = [&] { run_experiment(kId, {{"n", "128"}}, [&](double) { return ++calls < 3; }); };
  CHECK_THROWS_AS(cancelled(), Cancelled);
  CHECK(calls == 3);
}

}  // namespace
}  // namespace sqrtdk::test
