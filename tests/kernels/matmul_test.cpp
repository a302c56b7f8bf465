#include "kernels/matmul.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/matmul.h"
#include "tensor/errors.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr Transpose kBoth[] = {Transpose::kNo, Transpose::kYes};

struct Case {
  int64_t m, k, n;
  std::vector<float> a, b;
  Case(int64_t m, int64_t k, int64_t n, uint64_t seed = 1) : m(m), k(k), n(n) {
    Draws draws(seed);
    a = draws.normals(m * k);
    b = draws.normals(k * n);
  }

  // The operands lie `shift` floats off any alignment, the output between guards.
  std::vector<float> run(Transpose ta, Transpose tb, const std::vector<float>* start = nullptr,
                         int64_t shift = 0) const {
    GuardedBuffer a_buffer(ta == Transpose::kYes ? transposed(a, m, k) : a, shift);
    GuardedBuffer b_buffer(tb == Transpose::kYes ? transposed(b, k, n) : b, shift);
    GuardedBuffer out(start ? *start : std::vector<float>(static_cast<size_t>(m * n), NAN), shift);
    matmul({a_buffer.data(), ta == Transpose::kYes ? Shape{k, m} : Shape{m, k}}, ta,
           {b_buffer.data(), tb == Transpose::kYes ? Shape{n, k} : Shape{k, n}}, tb, {out.data(), {m, n}},
           start ? Write::kAccumulate : Write::kOverwrite);
    CHECK(out.intact());
    return out.values();
  }
};

void check_all_forms(const Case& c) {
  CAPTURE(c.m);
  CAPTURE(c.k);
  CAPTURE(c.n);
  const std::vector<float> expected = matmul_bits(c.a, c.b, c.m, c.k, c.n);
  const std::vector<float> start = Draws(9).normals(c.m * c.n);
  const std::vector<float> accumulated = matmul_bits(c.a, c.b, c.m, c.k, c.n, &start);
  for (const Transpose ta : kBoth) {
    for (const Transpose tb : kBoth) {
      CHECK(same_bits(c.run(ta, tb), expected));
      CHECK(same_bits(c.run(ta, tb, nullptr, 1), expected));
      CHECK(same_bits(c.run(ta, tb, &start), accumulated));
    }
  }
}

}  // namespace

TEST_CASE("matmul: every element is the promised sum, bit by bit, in all four transpositions") {
  for (int64_t length = 1; length <= 33; ++length) {
    check_all_forms(Case(3, 5, length));
    check_all_forms(Case(5, 7, length));
    check_all_forms(Case(length, 6, 9));
    check_all_forms(Case(1, length, 8));
    check_all_forms(Case(6, length, 11));
  }
  for (const int64_t k : {63, 64, 65, 255, 256, 257, 511, 512, 513, 1000}) {
    check_all_forms(Case(1, k, 8));
    check_all_forms(Case(5, k, 13));
  }
  check_all_forms(Case(37, 300, 70));
}

TEST_CASE("matmul: the error is that of a float sum in blocks") {
  for (const int64_t k : {1, 8, 64, 512, 2048}) {
    const Case c(9, k, 17, 3);
    const Product product = reference::matmul(c.a, c.b, c.m, c.k, c.n);
    const std::vector<float> out = c.run(Transpose::kNo, Transpose::kNo);
    const int64_t blocks = k / 32;
    const double steps = static_cast<double>(std::min<int64_t>(k, 32) + blocks);
    for (size_t i = 0; i < out.size(); ++i) {
      CHECK(error_of(out[i], product.exact[i]).absolute <= steps * 0x1p-24 * product.magnitude[i]);
    }
  }
}

TEST_CASE("matmul: sizes of zero") {
  const float sentinel = 3;
  float out[6];
  std::fill(out, out + 6, sentinel);
  matmul({nullptr, {2, 0}}, Transpose::kNo, {nullptr, {0, 3}}, Transpose::kNo, {out, {2, 3}},
         Write::kAccumulate);
  for (const float value : out) CHECK(value == sentinel);
  matmul({nullptr, {2, 0}}, Transpose::kNo, {nullptr, {0, 3}}, Transpose::kNo, {out, {2, 3}});
  for (const float value : out) CHECK(value == 0);
  const float a[6] = {};
  matmul({nullptr, {0, 3}}, Transpose::kNo, {a, {3, 2}}, Transpose::kNo, {nullptr, {0, 2}});
  matmul({a, {2, 3}}, Transpose::kNo, {nullptr, {3, 0}}, Transpose::kNo, {nullptr, {2, 0}});
  matmul({nullptr, {0, 2, 3}}, Transpose::kNo, {nullptr, {0, 3, 2}}, Transpose::kNo, {nullptr, {0, 2, 2}});
}

TEST_CASE("matmul: a row alone, in a batch, and beside other rows has the same bits") {
  const int64_t batch = 3, m = 7, k = 300, n = 19;
  Draws draws(5);
  const std::vector<float> a = draws.normals(batch * m * k), b = draws.normals(batch * n * k);
  std::vector<float> out(static_cast<size_t>(batch * m * n));
  matmul({a.data(), {batch, m, k}}, Transpose::kNo, {b.data(), {batch, n, k}}, Transpose::kYes,
         {out.data(), {batch, m, n}});
  std::vector<float> row(static_cast<size_t>(n));
  for (int64_t i = 0; i < batch * m; ++i) {
    matmul({a.data() + i * k, {1, k}}, Transpose::kNo, {b.data() + i / m * n * k, {n, k}}, Transpose::kYes,
           {row.data(), {1, n}});
    CHECK(same_bits(row, {out.begin() + i * n, out.begin() + (i + 1) * n}));
  }
}

TEST_CASE("matmul: NaN, infinity, signed zeros, subnormal and large numbers go where they belong") {
  for (const float value : {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f, -3e-39f, 1e30f, -1e30f}) {
    for (const int64_t m : {1, 5}) {
      Case c(m, 9, 13);
      c.a[4] = value;
      c.b[7 * 13 + 2] = value;
      const std::vector<float> expected = matmul_bits(c.a, c.b, c.m, c.k, c.n);
      for (const Transpose ta : kBoth) {
        for (const Transpose tb : kBoth) CHECK(same_bits(c.run(ta, tb), expected));
      }
      if (!std::isfinite(value)) {  // column 3 of row 0 of the last row's product is touched by neither
        if (m > 1) CHECK(std::isfinite(expected[4 * 13 + 3]));
        CHECK_FALSE(std::isfinite(expected[2]));
      }
    }
  }
}

TEST_CASE("matmul: shapes that do not fit are typed errors, and nothing is written") {
  const float a[64] = {};
  float out[64];
  std::fill(out, out + 64, 3.0f);
  const auto refused = [&](Shape a_shape, Transpose ta, Shape b_shape, Transpose tb, Shape out_shape,
                           const char* argument, const char* expected) {
    try {
      matmul({a, a_shape}, ta, {a, b_shape}, tb, {out, out_shape});
      FAIL("no error");
    } catch (const ShapeError& error) {
      CHECK(error.code == ErrorCode::kWrongShape);
      CHECK(error.op == "matmul");
      CHECK(error.argument == argument);
      CHECK(error.expected == expected);
    }
    for (const float value : out) CHECK(value == 3.0f);
  };
  const Transpose no = Transpose::kNo, yes = Transpose::kYes;
  refused({2, 3}, no, {4, 2}, no, {2, 2}, "b", "(3, 2)");
  refused({2, 3}, no, {2, 4}, yes, {2, 2}, "b", "(2, 3)");
  refused({3, 2}, yes, {2, 3}, no, {2, 3}, "b", "(3, 3)");
  refused({2, 3}, no, {3, 2}, no, {2, 3}, "out", "(2, 2)");
  refused({2, 2, 3}, no, {3, 3, 2}, no, {2, 2, 2}, "b", "(2, 3, 2)");
  refused({2, 2, 3}, no, {2, 3, 2}, no, {4, 2}, "out", "(2, 2, 2)");
  refused({3}, no, {3, 2}, no, {2}, "a", "(.., m, k)");
  refused({2, 3}, no, {3}, no, {2}, "b", "(.., k, n)");
}
