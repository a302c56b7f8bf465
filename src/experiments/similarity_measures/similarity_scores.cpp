#include "experiments/similarity_measures/similarity_scores.h"

#include <algorithm>
#include <cmath>

#include "kernels/product/matmul.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;

void add_squares(ConstView x, float* squares) {
  const int64_t d = x.shape[-1];
  for (int64_t i = 0; i < x.shape[-2]; ++i) {
    const float* row = x.data + i * d;
    f32x4 sums = zero();
    int64_t j = 0;
    for (; j + 4 <= d; j += 4) sums = sums + load(row + j) * load(row + j);
    if (j < d) {
      const f32x4 last = load_first(row + j, d - j, zero());
      sums = sums + last * last;
    }
    squares[i] = sum(sums);
  }
}

/// scores_ij = combine(scores_ij, of_q_i, of_k_j)
template <class Combine>
void for_pairs(View scores, const float* of_q, const float* of_k, Combine combine) {
  const int64_t n = scores.shape[-1];
  for (int64_t i = 0; i < scores.shape[-2]; ++i) {
    float* row = scores.data + i * n;
    const f32x4 own = splat(of_q[i]);
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) store(row + j, combine(load(row + j), own, load(of_k + j)));
    if (j == n) continue;
    const f32x4 last = combine(load_first(row + j, n - j, zero()), own, load_first(of_k + j, n - j, zero()));
    store_first(row + j, n - j, last);
  }
}

void direct(ConstView q, ConstView k, View scores) {
  const int64_t n_q = q.shape[-2], n_k = k.shape[-2], d = q.shape[-1];
  for (int64_t i = 0; i < n_q; ++i) {
    for (int64_t j = 0; j < n_k; ++j) {
      float sum = 0;
      for (int64_t c = 0; c < d; ++c) {
        const float difference = q.data[i * d + c] - k.data[j * d + c];
        sum += difference * difference;
      }
      scores.data[i * n_k + j] = sum;
    }
  }
}

}  // namespace

void similarity_scores(SimilarityWay way, ConstView q, ConstView k, View scores, View squares) {
  const int64_t n_q = q.shape[-2], n_k = k.shape[-2];
  check_shape("similarity_scores", "scores", scores.shape, {n_q, n_k});
  check_shape("similarity_scores", "squares", squares.shape, {n_q + n_k});
  if (way == SimilarityWay::kEuclideanDirect) return direct(q, k, scores);
  matmul(q, Transpose::kNo, k, Transpose::kYes, scores);
  if (way == SimilarityWay::kDot) return;
  float *of_q = squares.data, *of_k = squares.data + n_q;
  add_squares(q, of_q);
  add_squares(k, of_k);
  if (way == SimilarityWay::kEuclidean) {
    return for_pairs(scores, of_q, of_k,
                     [](f32x4 product, f32x4 a, f32x4 b) { return a + b - (product + product); });
  }
  for (int64_t i = 0; i < n_q + n_k; ++i) squares.data[i] = 1 / std::sqrt(squares.data[i]);
  for_pairs(scores, of_q, of_k, [](f32x4 product, f32x4 a, f32x4 b) { return product * (a * b); });
}

}  // namespace sqrtdk
