#include "kernels/embedding.h"

#include <algorithm>

#include "base/errors.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

void check(const char* op, const char* table_name, const Shape& table, IndexView ids, const char* rows_name,
           const Shape& rows) {
  if (table.rank() != 2) {
    throw_wrong_shape(op, table_name, "(vocab, d)", table);
  }
  if (ids.shape.rank() == Shape::kMaxRank) {
    throw_wrong_shape(op, "ids", "at most 5 dimensions", ids.shape);
  }
  check_shape(op, rows_name, rows, ids.shape.first(ids.shape.rank(), table[1]));
  const int64_t vocab = table[0], count = ids.shape.size();
  for (int64_t i = 0; i < count; ++i) {
    if (ids.data[i] >= 0 && ids.data[i] < vocab) continue;
    throw_out_of_range(op, "ids", 0, vocab - 1, ids.data[i]);
  }
}

}  // namespace

void embedding_forward(ConstView table, IndexView ids, View out) {
  check("embedding", "table", table.shape, ids, "out", out.shape);
  const int64_t d = table.shape[1], count = ids.shape.size();
  for (int64_t i = 0; i < count; ++i) std::copy_n(table.data + ids.data[i] * d, d, out.data + i * d);
}

void embedding_backward(IndexView ids, ConstView dout, View dtable) {
  check("embedding_backward", "dtable", dtable.shape, ids, "dout", dout.shape);
  const int64_t d = dtable.shape[1], count = ids.shape.size();
  for (int64_t i = 0; i < count; ++i) {
    const float* const from = dout.data + i * d;
    float* const to = dtable.data + ids.data[i] * d;
    int64_t j = 0;
    for (; j + 4 <= d; j += 4) simd::store(to + j, simd::load(to + j) + simd::load(from + j));
    for (; j < d; ++j) to[j] += from[j];
  }
}

}  // namespace sqrtdk
