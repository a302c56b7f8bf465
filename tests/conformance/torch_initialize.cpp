// Xavier's initial values: their bound and standard deviation as PyTorch's formulas give them. The draws are
// our own, so what PyTorch drew is nothing to compare with.
#include <cmath>

#include "conformance/operators.h"
#include "layers/initialize.h"
#include "tensor/random.h"

namespace sqrtdk::conformance {
namespace {

constexpr InitialDraws kDraws{2, 7};

// Whatever the draws are multiplied with: the quotient at the largest.
double factor_of(const Floats& values, const Floats& draws) {
  int64_t largest = 0;
  for (int64_t i = 1; i < draws.size(); ++i) {
    if (std::fabs(draws[i]) > std::fabs(draws[largest])) largest = i;
  }
  return static_cast<double>(values[largest]) / draws[largest];
}

// How far the values' mean square is from std², in standard errors; kurtosis: E x⁴ / std⁴.
double deviation_of(const Floats& values, double std, double kurtosis) {
  double mean_square = 0;
  for (const double x : values.values()) mean_square += x * x / static_cast<double>(values.size());
  return (mean_square / (std * std) - 1) / std::sqrt((kurtosis - 1) / static_cast<double>(values.size()));
}

}  // namespace

void torch_xavier(Case& reference, Results& results) {
  const nlohmann::json rows = reference.attributes.at("rows");
  const auto n = static_cast<int64_t>(rows.size());
  const auto expect = [&](const char* name, const char* column) {
    Tensor expected{name, "float32", 0, {n}, {}, 0.0};
    for (const auto& row : rows) expected.values.push_back(column ? row.at(column).get<double>() : 0);
    if (!column) expected.torch_error = 0.5;  // 8 of these: 4 standard errors
    reference.outputs.push_back(expected);
  };
  expect("uniform_bound", "uniform_bound"), expect("normal_std", "normal_std");
  expect("uniform_deviation", nullptr), expect("normal_deviation", nullptr);

  Floats bound({n}), std({n}), uniform_deviation({n}), normal_deviation({n});
  for (int64_t i = 0; i < n; ++i) {
    const nlohmann::json& row = rows.at(static_cast<size_t>(i));
    const Shape shape{row.at("shape").at(0).get<int64_t>(), row.at("shape").at(1).get<int64_t>()};
    const auto gain = row.at("gain").get<float>();
    Floats values(shape), draws(shape);
    xavier_uniform(values.view(), gain, kDraws);
    philox_uniform(kDraws.seed, kDraws.stream, 0, draws.view().data, draws.size());
    for (int64_t j = 0; j < draws.size(); ++j) draws[j] = 2 * draws[j] - 1;
    bound[i] = static_cast<float>(factor_of(values, draws));
    uniform_deviation[i] =
        static_cast<float>(deviation_of(values, row.at("uniform_bound").get<double>() / std::sqrt(3.0), 1.8));

    xavier_normal(values.view(), gain, kDraws);
    philox_normal(kDraws.seed, kDraws.stream, 0, draws.view().data, draws.size());
    std[i] = static_cast<float>(factor_of(values, draws));
    normal_deviation[i] = static_cast<float>(deviation_of(values, row.at("normal_std").get<double>(), 3));
  }
  results.add("uniform_bound", bound), results.add("normal_std", std);
  results.add("uniform_deviation", uniform_deviation), results.add("normal_deviation", normal_deviation);
}

}  // namespace sqrtdk::conformance
