#include "training/attention_gradients.h"

#include <algorithm>

#include "kernels/product/matmul.h"
#include "training/gradients.h"

namespace sqrtdk {
namespace {

std::vector<double> row_norms(ConstView x) {
  const int64_t n = x.shape.leading(1), d = x.shape[-1];
  std::vector<double> norms;
  norms.reserve(static_cast<size_t>(n));
  for (int64_t row = 0; row < n; ++row) {
    norms.push_back(norm_of({x.data + row * d, static_cast<size_t>(d)}));
  }
  return norms;
}

// Forward: rows = x wᵀ + b, so dw = drowsᵀ x.
std::vector<float> weight_gradient(const Cache& cache, const HeadProjection& projection) {
  const ConstView drows = projection.drows(cache), x = projection.x(cache);
  const int64_t n = x.shape.leading(1), n_out = drows.shape[-1], n_in = x.shape[-1];
  std::vector<float> dw(static_cast<size_t>(n_out * n_in));
  matmul({drows.data, {n, n_out}}, Transpose::kYes, {x.data, {n, n_in}}, Transpose::kNo,
         {dw.data(), {n_out, n_in}});
  return dw;
}

double median_of(std::vector<double> x) {
  for (const double value : x) {
    if (value != value) return value;  // NaN has no place in an order
  }
  const auto middle = x.begin() + static_cast<ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return x.size() % 2 == 1 ? *middle : (*std::max_element(x.begin(), middle) + *middle) / 2;
}

}  // namespace

std::vector<RowGradients> row_gradients(const Cache& cache,
                                        std::span<const MultiHeadAttention* const> attentions) {
  std::vector<RowGradients> rows;
  for (const MultiHeadAttention* attention : attentions) {
    rows.push_back(
        {attention->name(), row_norms(attention->dscores(cache)), row_norms(attention->q().dheads(cache))});
  }
  return rows;
}

std::vector<ProjectionGradients> projection_gradients(const Cache& cache,
                                                      std::span<const MultiHeadAttention* const> attentions) {
  std::vector<ProjectionGradients> gradients;
  for (const MultiHeadAttention* attention : attentions) {
    gradients.push_back({attention->name(), weight_gradient(cache, attention->q()),
                         weight_gradient(cache, attention->k()), weight_gradient(cache, attention->v())});
  }
  return gradients;
}

std::vector<ScoreGradients> score_gradients(std::span<const RowGradients> rows) {
  std::vector<ScoreGradients> gradients;
  for (const auto& [attention, scores, q] : rows) {
    double sum = 0;
    for (const double norm : scores) sum += norm;
    gradients.push_back({attention, sum / static_cast<double>(scores.size()), median_of(scores)});
  }
  return gradients;
}

}  // namespace sqrtdk
