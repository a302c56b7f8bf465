#include "kernels/layer_norm.h"

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "base/parallel.h"
#include "kernels/product/row_sums.h"

namespace sqrtdk {
namespace {

using namespace simd;
using std::ptrdiff_t;

// Sums of squares are exact enough in float as long as the squares neither overflow nor vanish. Other rows,
// and those with NaN, are normalized in double.
bool in_range(double mean_square) { return mean_square >= 0x1p-100 && mean_square <= 0x1p120; }

// Deviations from a center near the mean; their own mean says how near it is. This is the shifted-data
// algorithm: Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983.
struct Deviations {
  double mean, mean_square;
  // Whether the squares come mostly from the distance between center and mean.
  bool far() const { return mean_square < 2 * mean * mean; }
};

Deviations deviations_from(float center, const float* x, ptrdiff_t n, double inverse_n) {
  double totals[2];
  row_sums<2, 4>(
      n,
      [x, center = splat(center)](auto load, f32x4* terms) {
        terms[0] = load(x) - center;
        terms[1] = terms[0] * terms[0];
      },
      totals);
  return {totals[0] * inverse_n, totals[1] * inverse_n};
}

// The mean of sixteen elements.
float sample_mean(const float* x, ptrdiff_t n) {
  if (n < 16) return n > 0 ? x[0] : 0;
  const f32x4 a = load(x), b = load(x + n / 4), c = load(x + n / 2), d = load(x + n / 4 * 3);
  return sum(a + b + (c + d)) * 0x1p-4f;
}

struct Moments {
  double mean, variance;
  bool in_double;
};

Moments moments_in_double(const float* x, ptrdiff_t n) {
  double sum = 0, squares = 0;
  for (ptrdiff_t j = 0; j < n; ++j) sum += x[j];
  const double mean = sum / static_cast<double>(n);
  for (ptrdiff_t j = 0; j < n; ++j) squares += (x[j] - mean) * (x[j] - mean);
  return {mean, squares / static_cast<double>(n), true};
}

Moments moments_of(const float* x, ptrdiff_t n, double inverse_n, float epsilon, float center) {
  Deviations d{};
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt > 0) center = static_cast<float>(center + d.mean);
    d = deviations_from(center, x, n, inverse_n);
    if (!d.far()) break;
  }
  if (!in_range(d.mean_square + epsilon)) return moments_in_double(x, n);
  return {center + d.mean, d.mean_square - d.mean * d.mean, false};
}

void normalize_in_double(const float* x, const float* gain, const float* bias, ptrdiff_t n, double mean,
                         double rstd, float* out) {
  for (ptrdiff_t j = 0; j < n; ++j) {
    double y = (x[j] - mean) * rstd;
    if (gain) y *= gain[j];
    if (bias) y += bias[j];
    out[j] = static_cast<float>(y);
  }
}

// out = (x - head - rest) · scale · gain + bias: where the mean is large, one float is not near enough.
template <bool has_gain, bool has_bias>
void normalise(const float* x, const float* gain, const float* bias, ptrdiff_t n, double mean, float rstd,
               float* out) {
  const auto head = static_cast<float>(mean), rest = static_cast<float>(mean - head);
  each_four(n, out, [=, head = splat(head), rest = splat(rest), scale = splat(rstd)](auto load) {
    f32x4 y = (load(x) - head - rest) * scale;
    if constexpr (has_gain) y = y * load(gain);
    if constexpr (has_bias) y = y + load(bias);
    return y;
  });
}

template <bool has_gain>
void scale_row(const float* x, const float* gain, ptrdiff_t n, float rrms, float* out) {
  each_four(n, out, [=, scale = splat(rrms)](auto load) {
    const f32x4 y = load(x) * scale;
    if constexpr (has_gain) return y * load(gain);
    return y;
  });
}

}  // namespace

void check_epsilon(const char* op, float epsilon) {
  if (!(epsilon >= 0 && epsilon <= std::numeric_limits<float>::max())) {
    throw_out_of_range(op, "epsilon", "finite and at least 0", epsilon);
  }
}

void layer_norm_forward(ConstView x, ConstView gain, ConstView bias, float epsilon, View out,
                        View row_stats) {
  const char* op = "layer_norm";
  check_rank(op, "x", x.shape, 1, "(.., n)");
  const int leading = x.shape.rank() - 1;
  const ptrdiff_t n = static_cast<ptrdiff_t>(x.shape[-1]), rows = static_cast<ptrdiff_t>(x.shape.leading(1));
  if (gain) check_shape(op, "gain", gain.shape, {n});
  if (bias) check_shape(op, "bias", bias.shape, {n});
  check_shape(op, "out", out.shape, x.shape);
  if (row_stats) check_shape(op, "row_stats", row_stats.shape, x.shape.first(leading, 2));
  check_epsilon(op, epsilon);

  const double inverse_n = 1 / static_cast<double>(n);
  parallel_for(rows, 8 * n, n_threads(), [&](ptrdiff_t i, ptrdiff_t end, int) noexcept {
    float center = i < end ? sample_mean(x.data + i * n, n) : 0;  // of the next row, ahead of its turn
    for (; i < end; ++i) {
      const float* const row = x.data + i * n;
      float* const out_row = out.data + i * n;
      const Moments m = moments_of(row, n, inverse_n, epsilon, center);
      if (i + 1 < end) center = sample_mean(row + n, n);
      const double exact_rstd = 1 / std::sqrt(m.variance + epsilon);
      const auto rstd = static_cast<float>(exact_rstd);
      if (row_stats) {
        row_stats.data[2 * i] = static_cast<float>(m.mean);
        row_stats.data[2 * i + 1] = rstd;
      }
      if (m.in_double) {
        normalize_in_double(row, gain.data, bias.data, n, m.mean, exact_rstd, out_row);
      } else if (gain && bias) {
        normalise<true, true>(row, gain.data, bias.data, n, m.mean, rstd, out_row);
      } else if (gain) {
        normalise<true, false>(row, gain.data, bias.data, n, m.mean, rstd, out_row);
      } else if (bias) {
        normalise<false, true>(row, gain.data, bias.data, n, m.mean, rstd, out_row);
      } else {
        normalise<false, false>(row, gain.data, bias.data, n, m.mean, rstd, out_row);
      }
    }
  });
}

void rms_norm_forward(ConstView x, ConstView gain, float epsilon, View out, View row_rrms) {
  const char* op = "rms_norm";
  check_rank(op, "x", x.shape, 1, "(.., n)");
  const ptrdiff_t n = static_cast<ptrdiff_t>(x.shape[-1]), rows = static_cast<ptrdiff_t>(x.shape.leading(1));
  if (gain) check_shape(op, "gain", gain.shape, {n});
  check_shape(op, "out", out.shape, x.shape);
  if (row_rrms) check_shape(op, "row_rrms", row_rrms.shape, x.shape.first(x.shape.rank() - 1));
  check_epsilon(op, epsilon);

  const auto kernel = gain ? scale_row<true> : scale_row<false>;
  const double inverse_n = 1 / static_cast<double>(n);
  parallel_for(rows, 4 * n, n_threads(), [&](ptrdiff_t i, ptrdiff_t end, int) noexcept {
    for (; i < end; ++i) {
      const float* const row = x.data + i * n;
      float* const out_row = out.data + i * n;
      double squares[1];
      row_sums<1, 4>(
          n, [row](auto load, f32x4* terms) { terms[0] = load(row) * load(row); }, squares);
      double mean_square = squares[0] * inverse_n;
      const bool in_double = !in_range(mean_square + epsilon);
      if (in_double) {
        mean_square = 0;
        for (ptrdiff_t j = 0; j < n; ++j) mean_square += static_cast<double>(row[j]) * row[j];
        mean_square /= static_cast<double>(n);
      }
      const double rrms = 1 / std::sqrt(mean_square + epsilon);
      if (in_double) {
        normalize_in_double(row, gain.data, nullptr, n, 0, rrms, out_row);
      } else {
        kernel(row, gain.data, n, static_cast<float>(rrms), out_row);
      }
      if (row_rrms) row_rrms.data[i] = static_cast<float>(rrms);
    }
  });
}

}  // namespace sqrtdk
