#include "kernels/heads.h"

#include <algorithm>

namespace sqrtdk {
namespace {

struct Heads {
  Heads(const char* op, const char* argument, const Shape& rows, const Shape& split) {
    check_rank(op, argument, split, 3, "(.., n_heads, n, d)");
    n_heads = split[-3], n = split[-2], d = split[-1], batch = split.leading(3);
    check_shape(op, "rows", rows, split.first(split.rank() - 1).with_last(n, n_heads * d));
  }
  int64_t batch, n_heads, n, d;
};

template <class Copy>  // copy(in a row of all heads, in a head)
void each_piece(const Heads& heads, Copy copy) {
  for (int64_t b = 0; b < heads.batch; ++b) {
    for (int64_t h = 0; h < heads.n_heads; ++h) {
      for (int64_t i = 0; i < heads.n; ++i) {
        copy(((b * heads.n + i) * heads.n_heads + h) * heads.d,
             ((b * heads.n_heads + h) * heads.n + i) * heads.d);
      }
    }
  }
}

}  // namespace

void split_heads(ConstView x, View out) {
  const Heads heads("split_heads", "out", x.shape, out.shape);
  each_piece(heads, [&](int64_t row, int64_t head) { std::copy_n(x.data + row, heads.d, out.data + head); });
}

void merge_heads(ConstView x, View out) {
  const Heads heads("merge_heads", "x", out.shape, x.shape);
  each_piece(heads, [&](int64_t row, int64_t head) { std::copy_n(x.data + head, heads.d, out.data + row); });
}

}  // namespace sqrtdk
