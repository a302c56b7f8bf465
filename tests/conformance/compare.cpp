#include "conformance/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tensor/half.h"

namespace sqrtdk::conformance {
namespace {

double rounded(double value, const std::string& dtype) {
  if (dtype == "float16") return f16_value(f16_bits(static_cast<float>(value)));
  if (dtype == "bfloat16") return bf16_value(bf16_bits(static_cast<float>(value)));
  return value;
}

double error_of(double got, double expected) {
  if (std::isnan(expected)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(expected)) return got == expected ? 0 : INFINITY;
  return std::isfinite(got) ? std::fabs(got - expected) : INFINITY;
}

double largest_finite(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

std::string index_text(size_t index, const std::vector<int64_t>& dims) {
  std::string text;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(dims[i]);
    text = std::to_string(index % dim) + (text.empty() ? "" : ", ") + text;
    index /= dim;
  }
  return "[" + text + "]";
}

std::string dims_text(const std::vector<int64_t>& dims) { return nlohmann::json(dims).dump(); }

}  // namespace

Comparison compare(const std::vector<int64_t>& dims, const std::vector<double>& got, const Tensor& expected,
                   const std::optional<Tolerance>& tolerance) {
  Comparison result;
  const auto fail = [&](const std::string& text) {
    result.passed = false, result.error = INFINITY, result.text = text;
    return result;
  };
  if (dims != expected.dims || got.size() != expected.values.size()) {
    return fail("the shape is " + dims_text(dims) + ", expected " + dims_text(expected.dims));
  }
  if (!tolerance && !expected.torch_error) return fail("the case gives no tolerance");

  const double torch_error = expected.torch_error.value_or(0);
  const double torch_bound =
      8 * (std::isfinite(torch_error) ? torch_error : 0) + 2e-6 * largest_finite(expected.values);
  double worst = -1, largest_error = 0;
  size_t where = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double exact = expected.values[i], error = error_of(rounded(got[i], expected.dtype), exact);
    const double bound = !tolerance             ? torch_bound
                         : std::isfinite(exact) ? tolerance->absolute + tolerance->relative * std::fabs(exact)
                                                : tolerance->absolute;
    const double relative = error == 0 ? 0 : bound > 0 ? error / bound : INFINITY;
    if (!(error <= bound)) result.passed = false;
    largest_error = std::max(largest_error, error);
    if (relative > worst) worst = relative, where = i, result.error = error, result.bound = bound;
  }
  if (torch_error > 0) result.torch_ratio = largest_error / torch_error;
  if (got.empty()) return result.text = "empty, as expected", result;

  char text[256];
  std::snprintf(text, sizeof text, "error %.3g at %s: got %.9g, expected %.9g, bound %.3g", result.error,
                index_text(where, dims).c_str(), rounded(got[where], expected.dtype), expected.values[where],
                result.bound);
  result.text = text;
  if (result.torch_ratio > 0) {
    std::snprintf(text, sizeof text, ", %.2f of PyTorch's float32 error", result.torch_ratio);
    result.text += text;
  }
  return result;
}

}  // namespace sqrtdk::conformance
