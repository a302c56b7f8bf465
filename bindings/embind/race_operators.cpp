#include "base/decimal.h"
#include "experiments/training_race/race_result.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

constexpr const char* kId = "training_race";

/// Numbers one after another; throws ShapeError where they end before what they announce.
class Numbers {
 public:
  explicit Numbers(std::span<const uint8_t> bytes)
      : left_(reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)) {}

  std::vector<double> take(size_t n) {
    if (n > left_.size()) {
      throw ShapeError(ErrorCode::kWrongShape, kId, "rows", to_text(n) + " numbers", to_text(left_.size()));
    }
    const std::vector<double> taken(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(n));
    left_ = left_.subspan(n);
    return taken;
  }
  size_t count() { return static_cast<size_t>(take(1)[0]); }

  /// What `each` reads, as often as the next number says.
  template <class Each>
  auto list(Each each) {
    std::vector<decltype(each())> all;
    for (size_t left = count(); left > 0; --left) all.push_back(each());
    return all;
  }

 private:
  std::span<const double> left_;
};

std::string result(std::string_view request, std::span<const uint8_t> numbers) {
  const Request read(request);
  Numbers left(numbers);
  const Experiment& experiment = find_experiment(kId);
  Params params = Params::parse(kId, experiment.params, read.params);
  const RaceRows rows = left.list(
      [&] { return left.list([&] { return left.list([&] { return left.take(left.count()); }); }); });
  Result result = race_result(params, rows);
  return run_json({&experiment, std::move(params), std::move(result)});
}

}  // namespace

std::span<const Operator> race_operators() {
  static constexpr Operator kOperators[] = {op<result>("race_result", "request rows")};
  return kOperators;
}

}  // namespace sqrtdk::border
