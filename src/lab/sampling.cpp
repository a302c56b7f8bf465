#include "lab/sampling.h"

#include <algorithm>
#include <cmath>

#include "kernels/product/matmul.h"
#include "lab/common_params.h"
#include "lab/work.h"
#include "simd/math.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

constexpr int64_t kChunk = 1 << 15;  // elements drawn at once
constexpr double kTwoPi = 6.283185307179586;

// Bailey, "Polar generation of random variates with the t-distribution", Math. Comp. 62 (1994):
// sqrt(nu (u^(-2/nu) - 1)) cos(2 pi v) is Student's t; its variance is nu / (nu - 2). u has 48 bits, as 24
// would cut half a percent of the variance off the tails of nu = 3.
float student_t(const float* uniform, double nu) {
  const double u = static_cast<double>(uniform[0]) + (static_cast<double>(uniform[1]) + 0x1p-25) * 0x1p-24;
  const double radius = std::sqrt((nu - 2) * (simd::exp(-2 / nu * simd::log(u)) - 1));
  return static_cast<float>(radius * simd::sincos(kTwoPi * static_cast<double>(uniform[2])).cos);
}

uint64_t stream_of_trial(int64_t d, int64_t trial) {
  return static_cast<uint64_t>(d) << 32 | static_cast<uint64_t>(trial);
}

void query_of(const Population& population, const float* x, int64_t d, float* q) {
  const float mean = static_cast<float>(population.mean);
  const float sigma_q = static_cast<float>(population.sigma_q);
  for (int64_t j = 0; j < d; ++j) q[j] = mean + sigma_q * x[j];
}

/// The key in place of y.
void key_of(const Population& population, const float* x, int64_t d, float* y) {
  const float mean = static_cast<float>(population.mean);
  const float sigma_k = static_cast<float>(population.sigma_k);
  const float shared = static_cast<float>(population.correlation);
  const float own = static_cast<float>(std::sqrt(1 - population.correlation * population.correlation));
  for (int64_t j = 0; j < d; ++j) y[j] = mean + sigma_k * (shared * x[j] + own * y[j]);
}

}  // namespace

Distribution distribution_of(const Params& params) {
  const std::string& name = params.choice("distribution");
  if (name == "uniform") return Distribution::kUniform;
  if (name == "rademacher") return Distribution::kRademacher;
  if (name == "student_t") return Distribution::kStudentT;
  return Distribution::kNormal;
}

std::vector<int64_t> ascending_d(const Params& params) { return ascending(params.integers("d")); }

double moment(const Population& population, int order) {
  if (order % 2 != 0) return 0;
  const double nu = static_cast<double>(population.nu);
  double product = 1;
  switch (population.distribution) {
    case Distribution::kNormal:  // (order - 1)!!
      for (int i = 1; i < order; i += 2) product *= i;
      return product;
    case Distribution::kUniform:  // on [-sqrt 3, sqrt 3]
      for (int i = 0; i < order; i += 2) product *= 3;
      return product / (order + 1);
    case Distribution::kRademacher:
      return 1;
    case Distribution::kStudentT:  // (nu - 2)^(order/2) · prod (2i - 1) / (nu - 2i)
      if (nu <= order) return order == 0 ? 1 : std::numeric_limits<double>::infinity();
      for (int i = 1; i < order; i += 2) product *= (nu - 2) * i / (nu - 1 - i);
      return product;
  }
  return kNone;
}

void sample_standard(const Population& population, uint64_t seed, uint64_t stream, uint64_t first, float* out,
                     int64_t n) {
  switch (population.distribution) {
    case Distribution::kNormal:
      philox_normal(seed, stream, first, out, n);
      break;
    case Distribution::kUniform:  // the centre of each of 2^24 cells
      philox_uniform(seed, stream, first, out, n);
      for (int64_t i = 0; i < n; ++i) out[i] = ((out[i] - 0.5f) + 0x1p-25f) * 3.46410161514f;  // sqrt 12
      break;
    case Distribution::kRademacher:
      philox_uniform(seed, stream, first, out, n);
      for (int64_t i = 0; i < n; ++i) out[i] = out[i] < 0.5f ? -1.0f : 1.0f;
      break;
    case Distribution::kStudentT: {
      const double nu = static_cast<double>(population.nu);
      constexpr int64_t kBlock = 256;
      float uniform[3 * kBlock];
      for (int64_t done = 0; done < n; done += kBlock) {
        const int64_t count = std::min(kBlock, n - done);
        philox_uniform(seed, stream, 3 * (first + static_cast<uint64_t>(done)), uniform, 3 * count);
        for (int64_t i = 0; i < count; ++i) out[done + i] = student_t(uniform + 3 * i, nu);
      }
      break;
    }
  }
}

double sampling_work(const Population& population, int64_t d, int64_t n_keys) {
  const int64_t draws = (n_keys + 1) * d;
  const bool one_by_one = population.distribution == Distribution::kStudentT;
  return trial_work(one_by_one ? single_draw_work(draws) : draw_work(draws), n_keys);
}

double sampling_work(const Population& population, const std::vector<int64_t>& d, int64_t n_keys,
                     int64_t trials, double more) {
  return trials_work(trials, d, [&](int64_t each) { return sampling_work(population, each, n_keys) + more; });
}

void sample_scores(const Population& population, uint64_t seed, int64_t d, int64_t n_keys, int64_t trials,
                   ProgressMeter& meter, const std::function<void(const float*)>& use) {
  const auto& [distribution, nu, mean, sigma_q, sigma_k, correlation] = population;
  const bool standard = mean == 0 && sigma_q == 1 && sigma_k == 1 && correlation == 0;

  // A trial is one block of 1 + n_keys rows, drawn a few rows at a time: x, then q in its place.
  const int64_t rows_at_once = std::min(n_keys + 1, std::max<int64_t>(2, kChunk / d));
  std::vector<float> rows(static_cast<size_t>(rows_at_once * d)), x(static_cast<size_t>(d)),
      q(static_cast<size_t>(d)), scores(static_cast<size_t>(n_keys));
  const double work_per_row = sampling_work(population, d, n_keys) / static_cast<double>(n_keys + 1);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const uint64_t stream = stream_of_trial(d, trial);
    for (int64_t row = 0; row < n_keys + 1;) {
      const int64_t count = std::min(rows_at_once, n_keys + 1 - row);
      sample_standard(population, seed, stream, static_cast<uint64_t>(row * d), rows.data(), count * d);
      const float* k = rows.data();
      int64_t keys = count;
      if (row == 0) {
        std::copy_n(rows.data(), d, x.data());
        query_of(population, x.data(), d, q.data());
        k += d;
        --keys;
      }
      if (!standard) {
        float* y = rows.data() + (k - rows.data());
        for (int64_t i = 0; i < keys; ++i, y += d) key_of(population, x.data(), d, y);
      }
      const int64_t first_key = row == 0 ? 0 : row - 1;
      matmul({q.data(), {1, d}}, Transpose::kNo, {k, {keys, d}}, Transpose::kYes,
             {scores.data() + first_key, {1, keys}});
      row += count;
      meter.add(static_cast<double>(count) * work_per_row);
    }
    use(scores.data());
  }
}

void sample_pair(const Population& population, uint64_t seed, int64_t d, int64_t n_keys, int64_t score,
                 float* q, float* k) {
  const uint64_t stream = stream_of_trial(d, score / n_keys);
  std::vector<float> x(static_cast<size_t>(d));
  sample_standard(population, seed, stream, 0, x.data(), d);
  sample_standard(population, seed, stream, static_cast<uint64_t>((1 + score % n_keys) * d), k, d);
  query_of(population, x.data(), d, q);
  key_of(population, x.data(), d, k);
}

}  // namespace sqrtdk
