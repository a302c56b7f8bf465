#include "lab/attention_row.h"

#include <algorithm>
#include <cmath>

#include "kernels/product/matmul.h"
#include "lab/double_softmax.h"
#include "lab/work.h"
#include "layers/layer.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

size_t to_size(int64_t n) { return static_cast<size_t>(n); }

/// p - e_y; p_y - 1 as the sum of the others, exactly where p_y is nearly 1.
void subtract_target(std::vector<double>& p, size_t y) {
  double others = 0;
  p[y] = 0;
  for (const double each : p) others += each;
  p[y] = -others;
}

/// The norm of a · b, a: [n], b: [n, d]. What is multiplied in single precision has 1 as its largest.
double norm_of_product(const std::vector<double>& a, const float* b, int64_t d, std::vector<float>& unit,
                       std::vector<float>& product) {
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::fabs(x));
  if (largest == 0) return 0;
  for (size_t j = 0; j < a.size(); ++j) unit[j] = static_cast<float>(a[j] / largest);
  const auto n = static_cast<int64_t>(a.size());
  matmul({unit.data(), {1, n}}, Transpose::kNo, {b, {n, d}}, Transpose::kNo, {product.data(), {1, d}});
  double squares = 0;
  for (const float x : product) squares += static_cast<double>(x) * static_cast<double>(x);
  return largest * std::sqrt(squares);
}

}  // namespace

AttentionRow::AttentionRow(int64_t d, int64_t n_keys, RowLoss loss)
    : d_(d),
      n_keys_(n_keys),
      loss_(loss),
      q_and_k_(to_size((n_keys + 1) * d)),
      scores_(to_size(n_keys)),
      direction_(to_size(n_keys)),
      dq_(to_size(d)),
      weights_(to_size(n_keys)),
      dweights_(to_size(n_keys)),
      dscores_(to_size(n_keys)) {
  const bool values = loss == RowLoss::kValues || loss == RowLoss::kCrossEntropy;
  loss_draws_.resize(to_size(values ? (n_keys + 1) * kWidth : n_keys));
}

double AttentionRow::work(int64_t d, int64_t n_keys, int64_t n_scales) {
  return trial_work((n_keys + 1) * d + n_keys * kWidth, n_scales * n_keys);
}

void AttentionRow::draw(uint64_t seed, int64_t trial) {
  const uint64_t stream = static_cast<uint64_t>(d_) << 32 | static_cast<uint64_t>(trial);
  const float *const q = q_and_k_.data(), *const k = q + d_;
  philox_normal(seed, stream, 0, q_and_k_.data(), (n_keys_ + 1) * d_);
  matmul({q, {1, d_}}, Transpose::kNo, {k, {n_keys_, d_}}, Transpose::kYes, {scores_.data(), {1, n_keys_}});
  const uint64_t own = stream_of("loss") + stream;
  philox_normal(seed, own, 0, loss_draws_.data(), static_cast<int64_t>(loss_draws_.size()));
  float uniform = 0;
  philox_uniform(seed, stream_of("target") + stream, 0, &uniform, 1);
  const int64_t choices = loss_ == RowLoss::kCrossEntropy ? kWidth : n_keys_;
  target_ = static_cast<size_t>(uniform * static_cast<float>(choices));
}

void AttentionRow::find_weights(double scale) {
  for (size_t j = 0; j < scores_.size(); ++j) dscores_[j] = scale * static_cast<double>(scores_[j]);
  largest_ = double_softmax(dscores_, weights_);
}

// dweights = ∂L/∂p
void AttentionRow::loss_backward() {
  const size_t width = to_size(kWidth), n = to_size(n_keys_);
  if (loss_ == RowLoss::kWeights) {
    std::copy(loss_draws_.begin(), loss_draws_.end(), dweights_.begin());
    return;
  }
  const float* const values = loss_draws_.data() + width;
  std::vector<double> dout(width);
  if (loss_ == RowLoss::kValues) {
    for (size_t l = 0; l < width; ++l) {
      dout[l] = static_cast<double>(loss_draws_[l]) / std::sqrt(static_cast<double>(width));
    }
  } else {
    std::vector<double> out(width);
    for (size_t j = 0; j < n; ++j) {
      for (size_t l = 0; l < width; ++l) out[l] += weights_[j] * static_cast<double>(values[j * width + l]);
    }
    double_softmax(out, dout);
    subtract_target(dout, target_);
  }
  for (size_t j = 0; j < n; ++j) {
    dweights_[j] = 0;
    for (size_t l = 0; l < width; ++l) dweights_[j] += dout[l] * static_cast<double>(values[j * width + l]);
  }
}

// ds_j = p_j (dp_j - sum_i p_i dp_i), dp from that of the largest weight on: nothing is lost where it is
// nearly 1. dq = scale ds k.
AttentionRow::Norms AttentionRow::gradient(double scale) {
  find_weights(scale);
  if (loss_ == RowLoss::kLogWeight) {
    dscores_ = weights_;
    subtract_target(dscores_, target_);
  } else {
    loss_backward();
    const double origin = dweights_[largest_];
    double mean = 0;
    for (size_t j = 0; j < weights_.size(); ++j) mean += weights_[j] * (dweights_[j] - origin);
    for (size_t j = 0; j < weights_.size(); ++j) {
      dscores_[j] = weights_[j] * (dweights_[j] - origin - mean);
    }
  }
  double squares = 0, largest = 0;
  for (const double x : dscores_) largest = std::max(largest, std::fabs(x));
  for (const double x : dscores_) squares += largest == 0 ? 0 : (x / largest) * (x / largest);
  const double norm_q = norm_of_product(dscores_, q_and_k_.data() + d_, d_, direction_, dq_);
  return {largest * std::sqrt(squares), std::fabs(scale) * norm_q};
}

}  // namespace sqrtdk
