#include "kernels/attention/masking.h"

#include <cmath>

#include "base/errors.h"
#include "kernels/attention/scale.h"

namespace sqrtdk {
namespace {

// NumPy's rule: dimensions are compared from the last one, and each is equal or 1.
void check_broadcast(const char* op, const char* argument, const Shape& shape, const Shape& target) {
  bool fits = shape.rank() <= target.rank();
  for (int i = 1; fits && i <= shape.rank(); ++i) fits = shape[-i] == target[-i] || shape[-i] == 1;
  if (!fits) {
    throw_wrong_shape(op, argument, "broadcastable to " + target.text(), shape);
  }
}

struct Steps {
  int64_t begin, row, key;
};

// Where the pairs of the head with this index begin in a broadcast mask, and its steps.
Steps steps_of(const Shape& shape, const Shape& scores, int64_t index) {
  const auto step = [&](int i, int64_t below) { return i <= shape.rank() && shape[-i] > 1 ? below : 0; };
  Steps steps{0, step(2, shape.rank() > 0 ? shape[-1] : 1), step(1, 1)};
  int64_t below = shape.rank() > 1 ? shape[-1] * shape[-2] : 0;
  for (int i = 3; i <= shape.rank(); ++i) {
    steps.begin += index % scores[-i] * step(i, below);
    index /= scores[-i];
    below *= shape[-i];
  }
  return steps;
}

// k or v: as q but for the number of heads, which divides that of q.
void check_keys(const char* op, const char* argument, const Shape& shape, const Shape& q, int64_t rows,
                int64_t columns) {
  const Shape expected = q.with_last(rows, columns);
  if (shape.rank() < 3 || shape.rank() != q.rank()) return check_shape(op, argument, shape, expected);
  for (int i = 0; i < shape.rank(); ++i) {
    const bool heads = i == shape.rank() - 3;
    const bool fits =
        heads ? shape[i] == q[i] || (shape[i] > 0 && q[i] % shape[i] == 0) : shape[i] == expected[i];
    if (!fits) check_shape(op, argument, shape, expected);
  }
}

}  // namespace

void check_head_scales(const char* op, std::span<const float> scales, int64_t n_heads) {
  if (!scales.empty()) check_shape(op, "scale", {std::ssize(scales)}, {n_heads});
}

AttentionCall::AttentionCall(const char* op, const ConstView& q, const ConstView& k, const ConstView& v,
                             const AttentionOptions& options)
    : options_(options) {
  check_rank(op, "q", q.shape, 2, "(.., n_q, d_k)");
  check_rank(op, "k", k.shape, 2, "(.., n_k, d_k)");
  check_rank(op, "v", v.shape, 2, "(.., n_k, d_v)");
  n_q = q.shape[-2], n_k = k.shape[-2], d_k = q.shape[-1], d_v = v.shape[-1];
  check_keys(op, "k", k.shape, q.shape, n_k, d_k);
  check_shape(op, "v", v.shape, k.shape.with_last(n_k, d_v));
  scores = q.shape.with_last(n_q, n_k), out = q.shape.with_last(n_q, d_v);
  heads = q.shape.leading(2);
  kv_heads_ = k.shape.leading(2);
  group = kv_heads_ > 0 ? heads / kv_heads_ : 1;

  n_heads_ = q.shape.rank() > 2 ? q.shape[-3] : 1;
  scale_ = options.scale ? *options.scale : default_scale(d_k);
  check_head_scales(op, options.head_scales, n_heads_);
  softcap = options.softcap;
  if (!(softcap >= 0) || std::isinf(softcap)) {
    throw_out_of_range(op, "softcap", "0 or a positive number", softcap);
  }
  if (options.n_past < 0) {
    throw_out_of_range(op, "n_past", "0 or more", static_cast<double>(options.n_past));
  }
  if (options.mask) check_broadcast(op, "mask", options.mask.shape, scores);
  if (options.bias) check_broadcast(op, "bias", options.bias.shape, scores);
  if (!options.lengths) return;
  const Shape& lengths = options.lengths.shape;
  check_shape(op, "lengths", lengths, q.shape.first(std::min(lengths.rank(), q.shape.rank() - 2)));
  const int64_t count = lengths.size();
  for (int64_t i = 0; i < count; ++i) {
    const int32_t length = options.lengths.data[i];
    if (length >= 0 && length <= n_k) continue;
    throw_out_of_range(op, "lengths", 0, n_k, length);
  }
}

float AttentionCall::scale_of(int64_t head) const {
  return options_.head_scales.empty() ? scale_ : options_.head_scales[static_cast<size_t>(head % n_heads_)];
}

bool AttentionCall::equal_scales(int64_t kv_head) const {
  const int64_t first = kv_head * group;
  for (int64_t i = 1; !options_.head_scales.empty() && i < group; ++i) {
    if (scale_of(first + i) != scale_of(first)) return false;
  }
  return true;
}

HeadMask AttentionCall::mask_of(int64_t head) const {
  HeadMask result;
  result.n_q = n_q, result.n_k = n_k;
  if (options_.mask) {
    const Steps steps = steps_of(options_.mask.shape, scores, head);
    result.mask = options_.mask.data + steps.begin;
    result.mask_row = steps.row, result.mask_key = steps.key;
  }
  if (options_.bias) {
    const Steps steps = steps_of(options_.bias.shape, scores, head);
    result.bias = options_.bias.data + steps.begin;
    result.bias_row = steps.row, result.bias_key = steps.key;
  }
  result.length =
      options_.lengths ? options_.lengths.data[head * options_.lengths.shape.size() / heads] : n_k;
  result.diagonal = options_.causal == Causal::kNo        ? n_k
                    : options_.causal == Causal::kTopLeft ? std::min(options_.n_past, n_k)
                                                          : result.length - n_q;
  return result;
}

}  // namespace sqrtdk
