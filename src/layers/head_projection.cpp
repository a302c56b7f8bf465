#include "layers/head_projection.h"

#include <algorithm>

#include "kernels/attention/heads.h"

namespace sqrtdk {
namespace {

std::string named(const std::string& attention, const char* before, char letter, const char* after) {
  return inside(attention, before + std::string(1, letter) + after);
}

}  // namespace

HeadProjection::HeadProjection(Parameters& parameters, const std::string& attention, char letter, Rows weight,
                               Rows bias, int64_t n_heads, int64_t d_head)
    : linear_(parameters, named(attention, "", letter, "_proj"), weight, bias, n_heads * d_head),
      heads_(named(attention, "", letter, "")),
      split_(named(attention, "", letter, "_split")),
      dheads_(named(attention, "d", letter, "")),
      drows_(named(attention, "d", letter, "_rows")),
      n_heads_(n_heads),
      d_head_(d_head) {}

View HeadProjection::forward(ConstView x, const RotaryPositions* rotary, int64_t first, Cache& cache) const {
  const ConstView rows = linear_.forward(x, cache);
  const Shape shape{rows.shape[0], n_heads_, rows.shape[1], d_head_};
  const View heads = cache.make(heads_, shape);
  if (norm_) {
    const View split = cache.make(split_, shape);
    split_heads(rows, split);
    std::copy_n(norm_->forward(split, cache).data, shape.size(), heads.data);
  } else {
    split_heads(rows, heads);
  }
  if (rotary) rotary->forward(heads, first, cache);
  return heads;
}

View HeadProjection::backward(View dheads, const RotaryPositions* rotary, int64_t first, Cache& cache) const {
  if (rotary) rotary->backward(dheads, first, cache);
  if (norm_) dheads = norm_->backward(cache.at(split_), dheads, cache);
  const Shape& shape = dheads.shape;
  const View rows = cache.make(drows_, {shape[0], shape[2], shape[1] * shape[3]});
  merge_heads(dheads, rows);
  return linear_.backward(rows, cache);
}

}  // namespace sqrtdk
