#include "kernels/attention/heads.h"

#include <doctest/doctest.h>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("split_heads: head h is columns h*d .. of each row; merge_heads is the way back") {
  for (const int64_t d : {1, 3, 4, 17}) {
    const int64_t batch = 2, n = 5, n_heads = 3;
    const std::vector<float> x = Draws(1).normals(batch * n * n_heads * d);
    GuardedBuffer rows(x, 1), split(batch * n * n_heads * d, 3), merged(batch * n * n_heads * d, 2);
    const Shape rows_shape{batch, n, n_heads * d}, split_shape{batch, n_heads, n, d};
    split_heads({rows.data(), rows_shape}, {split.data(), split_shape});
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t h = 0; h < n_heads; ++h) {
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t c = 0; c < d; ++c) {
            const float expected = x[static_cast<size_t>((b * n + i) * n_heads * d + h * d + c)];
            REQUIRE(split.data()[((b * n_heads + h) * n + i) * d + c] == expected);
          }
        }
      }
    }
    merge_heads({split.data(), split_shape}, {merged.data(), rows_shape});
    CHECK(same_bits(merged.values(), x));
    CHECK((split.intact() && merged.intact()));
  }
}

TEST_CASE("split_heads: no leading dimensions, several, and nothing at all") {
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> out(8);
  split_heads({x.data(), {2, 4}}, {out.data(), {2, 2, 2}});
  CHECK(out == std::vector<float>{1, 2, 5, 6, 3, 4, 7, 8});
  split_heads({x.data(), {1, 2, 1, 4}}, {out.data(), {1, 2, 4, 1, 1}});
  CHECK(out == x);
  split_heads({x.data(), {0, 4}}, {out.data(), {2, 0, 2}});
  merge_heads({x.data(), {3, 2, 0, 2}}, {out.data(), {3, 0, 4}});
  CHECK(out == x);
}

TEST_CASE("split_heads, merge_heads: shapes that do not fit are refused and nothing is written") {
  const std::vector<float> x(12, 1.0f);
  std::vector<float> out(12, 7.0f);
  CHECK_THROWS_AS(split_heads({x.data(), {3, 4}}, {out.data(), {2, 2, 3}}), ShapeError);
  CHECK_THROWS_WITH_AS(split_heads({x.data(), {3, 4}}, {out.data(), {3, 4}}),
                       "split_heads: out: expected shape (.., n_heads, n, d), got (3, 4)", ShapeError);
  CHECK_THROWS_AS(split_heads({x.data(), {1, 3, 4}}, {out.data(), {2, 3, 2}}), ShapeError);
  CHECK_THROWS_AS(merge_heads({x.data(), {2, 3, 2}}, {out.data(), {4, 3}}), ShapeError);
  CHECK(out == std::vector<float>(12, 7.0f));
}
