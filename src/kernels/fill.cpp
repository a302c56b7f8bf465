#include "kernels/fill.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace sqrtdk {

void fill(View out, float value) { std::fill_n(out.data, out.shape.size(), value); }

int64_t arange_size(double start, double stop, double step) {
  constexpr const char* kOp = "arange";
  const std::pair<const char*, double> given[] = {{"start", start}, {"stop", stop}, {"step", step}};
  for (const auto& [name, value] : given) {
    if (!std::isfinite(value)) throw_out_of_range(kOp, name, "a finite number", value);
  }
  if (step == 0) throw_out_of_range(kOp, "step", "a number that is not 0", step);
  const double count = std::ceil((stop - start) / step);
  if (!(count <= 0x1p40)) throw_out_of_range(kOp, "stop", "less than 2^40 steps from start", stop);
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

void arange(double start, double step, View out) {
  const int64_t n = out.shape.size();
  for (int64_t i = 0; i < n; ++i) out.data[i] = static_cast<float>(start + static_cast<double>(i) * step);
}

}  // namespace sqrtdk
