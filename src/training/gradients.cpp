#include "training/gradients.h"

#include <cmath>

#include "base/decimal.h"
#include "base/errors.h"
#include "kernels/elementwise.h"
#include "simd/f32x4.h"

namespace sqrtdk {

using namespace simd;

// x - x is 0 for what is finite and NaN for the rest.
bool all_finite(std::span<const float> x) {
  size_t j = 0;
  mask4 wrong = none();
  for (; j + 4 <= x.size(); j += 4) {
    const f32x4 four = load(x.data() + j);
    wrong = wrong | (four - four != zero());
  }
  bool finite = !any(wrong);
  for (; j < x.size(); ++j) finite = finite && x[j] - x[j] == 0;
  return finite;
}

void check_gradients(const char* op, const Parameters& parameters) {
  const std::span<const float> gradients = parameters.gradients();
  if (all_finite(gradients)) return;
  for (const Parameter& parameter : parameters.list()) {
    for (int64_t i = 0; i < parameter.shape.size(); ++i) {
      const float g = gradients[static_cast<size_t>(parameter.offset + i)];
      if (g - g == 0) continue;
      const char* what = g != g ? "NaN" : g > 0 ? "Infinity" : "-Infinity";
      throw ValueError(ErrorCode::kNotFinite, op, "gradient", "finite numbers",
                       what + (" in " + parameter.name) + ", element " + to_text(i));
    }
  }
}

// Element j goes to lane j mod 8.
double norm_of(std::span<const float> x) {
  f64x2 sums[4] = {splat_f64(0), splat_f64(0), splat_f64(0), splat_f64(0)};
  float last[8] = {};
  for (size_t j = 0; j < x.size(); j += 8) {
    const float* p = x.data() + j;
    if (j + 8 > x.size()) {
      for (size_t i = 0; j + i < x.size(); ++i) last[i] = p[i];
      p = last;
    }
    for (int lane = 0; lane < 4; ++lane) {
      const f64x2 two = load_2_as_f64(p + 2 * lane);
      sums[lane] = sums[lane] + two * two;
    }
  }
  return std::sqrt(sum(sums[0] + sums[1] + (sums[2] + sums[3])));
}

double clip_gradients(Parameters& parameters, double max_norm) {
  if (!(max_norm > 0)) throw_out_of_range("clip_gradients", "max_norm", "more than 0", max_norm);
  const double norm = norm_of(parameters.gradients());
  const double factor = max_norm / (norm + 1e-6);
  if (std::isfinite(norm) && factor < 1) {
    scale_elements({parameters.gradients().data(), {parameters.size()}}, static_cast<float>(factor));
  }
  return norm;
}

}  // namespace sqrtdk
