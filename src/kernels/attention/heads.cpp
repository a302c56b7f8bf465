#include "kernels/attention/heads.h"

#include "base/parallel.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using std::ptrdiff_t;

struct Heads {
  Heads(const char* op, const char* argument, const Shape& rows, const Shape& split) {
    check_rank(op, argument, split, 3, "(.., n_heads, n, d)");
    n_heads = split[-3], n = split[-2], d = split[-1], batch = split.leading(3);
    check_shape(op, "rows", rows, split.first(split.rank() - 1).with_last(n, n_heads * d));
  }
  ptrdiff_t batch, n_heads, n, d;
};

// Rows of d floats, a step apart. (A call of memcpy for each would take as long as the products of a short
// head.)
void copy_rows(const float* from, ptrdiff_t from_step, float* to, ptrdiff_t to_step, ptrdiff_t n,
               ptrdiff_t d) {
  for (; n > 0; --n, from += from_step, to += to_step) {
    ptrdiff_t j = 0;
    for (; j + 4 <= d; j += 4) simd::store(to + j, simd::load(from + j));
    for (; j < d; ++j) to[j] = from[j];
  }
}

// run(in the rows of all heads, in the head)
template <class Run>
void each_head(const Heads& heads, Run run) {
  const ptrdiff_t size = heads.n * heads.d;
  parallel_for(heads.batch * heads.n_heads, size, n_threads(), [&](ptrdiff_t i, ptrdiff_t end, int) noexcept {
    for (; i < end; ++i) {
      const ptrdiff_t h = i % heads.n_heads;
      run((i - h) * size + h * heads.d, i * size);
    }
  });
}

}  // namespace

void split_heads(const ConstView& x, const View& out) {
  const Heads heads("split_heads", "out", x.shape, out.shape);
  each_head(heads, [&](ptrdiff_t rows, ptrdiff_t head) {
    copy_rows(x.data + rows, heads.n_heads * heads.d, out.data + head, heads.d, heads.n, heads.d);
  });
}

void merge_heads(const ConstView& x, const View& out) {
  const Heads heads("merge_heads", "x", out.shape, x.shape);
  each_head(heads, [&](ptrdiff_t rows, ptrdiff_t head) {
    copy_rows(x.data + head, heads.d, out.data + rows, heads.n_heads * heads.d, heads.n, heads.d);
  });
}

}  // namespace sqrtdk
