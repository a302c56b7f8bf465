#include "kernels/product/matmul.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/matmul.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr Transpose kNo = Transpose::kNo, kYes = Transpose::kYes;
constexpr Transpose kBoth[] = {kNo, kYes};

struct Case {
  int64_t m, k, n;
  std::vector<float> a, b, bias;
  Case(int64_t m, int64_t k, int64_t n, uint64_t seed = 1) : m(m), k(k), n(n) {
    Draws draws(seed);
    a = draws.normals(m * k);
    b = draws.normals(k * n);
    bias = draws.normals(n);
  }

  // The operands lie `shift` floats off any alignment, all buffers between guards.
  std::vector<float> run(Transpose ta, Transpose tb, const std::vector<float>* start = nullptr,
                         bool with_bias = false, int64_t shift = 0) const {
    GuardedBuffer a_buffer(ta == kYes ? transposed(a, m, k) : a, shift);
    GuardedBuffer b_buffer(tb == kYes ? transposed(b, k, n) : b, shift);
    GuardedBuffer bias_buffer(bias, shift);
    GuardedBuffer out(start ? *start : std::vector<float>(static_cast<size_t>(m * n), NAN), shift);
    matmul({a_buffer.data(), ta == kYes ? Shape{k, m} : Shape{m, k}}, ta,
           {b_buffer.data(), tb == kYes ? Shape{n, k} : Shape{k, n}}, tb, {out.data(), {m, n}},
           start ? Write::kAccumulate : Write::kOverwrite,
           with_bias ? ConstView{bias_buffer.data(), {n}} : ConstView{});
    CHECK(out.intact());
    return out.values();
  }
};

void check_all_forms(const Case& c) {
  CAPTURE(c.m);
  CAPTURE(c.k);
  CAPTURE(c.n);
  const std::vector<float> start = Draws(9).normals(c.m * c.n);
  const std::vector<float> expected = matmul_bits(c.a, c.b, c.m, c.k, c.n);
  const std::vector<float> biased = matmul_bits(c.a, c.b, c.m, c.k, c.n, nullptr, &c.bias);
  const std::vector<float> accumulated = matmul_bits(c.a, c.b, c.m, c.k, c.n, &start);
  const std::vector<float> both = matmul_bits(c.a, c.b, c.m, c.k, c.n, &start, &c.bias);
  for (const Transpose ta : kBoth) {
    for (const Transpose tb : kBoth) {
      CHECK(same_bits(c.run(ta, tb), expected));
      CHECK(same_bits(c.run(ta, tb, nullptr, true, 1), biased));
      CHECK(same_bits(c.run(ta, tb, &start), accumulated));
      CHECK(same_bits(c.run(ta, tb, &start, true, 3), both));
    }
  }
}

}  // namespace

TEST_CASE("matmul: every element is the promised sum, bit by bit, in all forms and with every tail") {
  for (int64_t length = 1; length <= 33; ++length) {
    check_all_forms(Case(3, 5, length));
    check_all_forms(Case(6, 7, length));
    check_all_forms(Case(length, 6, 9));
    check_all_forms(Case(1, length, 8));
    check_all_forms(Case(7, length, 11));
    check_all_forms(Case(length, 33 - length + 1, length));
  }
  Draws draws(4);
  for (int i = 0; i < 60; ++i) {
    const auto length = [&draws] { return 1 + static_cast<int64_t>(draws.bits() % 33); };
    check_all_forms(Case(length(), length(), length(), draws.bits()));
  }
}

TEST_CASE("matmul: so it is across the edges of blocks, pieces of k, and panels") {
  for (const int64_t k : {63, 64, 65, 255, 256, 257, 511, 512, 513, 1000}) {
    check_all_forms(Case(1, k, 8));
    check_all_forms(Case(6, k, 13));
    check_all_forms(Case(18, k, 9));
  }
  check_all_forms(Case(37, 300, 270));
  check_all_forms(Case(1, 40, 1100));
  check_all_forms(Case(20, 1, 5000));
  for (const int64_t m : {4, 7, 63, 64, 127, 128, 129, 261}) {
    check_all_forms(Case(m, 40, 47));
    check_all_forms(Case(m, 257, 48));
    check_all_forms(Case(m, 33, 61));
  }
}

TEST_CASE("matmul: the error is that of a float sum in blocks") {
  for (const int64_t k : {1, 8, 64, 512, 2048}) {
    const Case c(9, k, 17, 3);
    const Product product = reference::matmul(c.a, c.b, c.m, c.k, c.n);
    const std::vector<float> out = c.run(kNo, kNo);
    const int64_t blocks = k / 32;
    const double steps = static_cast<double>(std::min<int64_t>(k, 32) + blocks);
    for (size_t i = 0; i < out.size(); ++i) {
      CHECK(error_of(out[i], product.exact[i]).absolute <= steps * 0x1p-24 * product.magnitude[i]);
    }
  }
}

TEST_CASE("matmul: an empty sum is 0, or what was there, and takes the bias") {
  float out[6];
  const auto run = [&out](Write write, ConstView bias) {
    std::fill(out, out + 6, 3.0f);
    matmul({nullptr, {2, 0}}, kNo, {nullptr, {0, 3}}, kNo, {out, {2, 3}}, write, bias);
    return std::vector<float>(out, out + 6);
  };
  const float bias[] = {1, -2, 0.5f};
  CHECK(run(Write::kOverwrite, {}) == std::vector<float>(6, 0.0f));
  CHECK(run(Write::kAccumulate, {}) == std::vector<float>(6, 3.0f));
  CHECK(run(Write::kOverwrite, {bias, {3}}) == std::vector<float>{1, -2, 0.5f, 1, -2, 0.5f});
  CHECK(run(Write::kAccumulate, {bias, {3}}) == std::vector<float>{4, 1, 3.5f, 4, 1, 3.5f});
}

TEST_CASE("matmul: no rows, no columns, and no batches leave everything alone") {
  float out[6];
  std::fill(out, out + 6, 3.0f);
  const float a[6] = {};
  matmul({nullptr, {0, 3}}, kNo, {a, {3, 2}}, kNo, {out, {0, 2}}, Write::kOverwrite, {a, {2}});
  matmul({a, {2, 3}}, kNo, {nullptr, {3, 0}}, kNo, {out, {2, 0}}, Write::kOverwrite, {nullptr, {0}});
  matmul({nullptr, {0, 2, 3}}, kNo, {nullptr, {0, 3, 2}}, kNo, {out, {0, 2, 2}});
  matmul({nullptr, {0, 2, 3}}, kNo, {a, {3, 2}}, kNo, {out, {0, 2, 2}});
  matmul({nullptr, {0, 2, 0}}, kNo, {nullptr, {0, 0, 2}}, kNo, {out, {0, 2, 2}});
  for (const float value : out) CHECK(value == 3);
}

TEST_CASE("matmul: a row alone, in a batch, and beside other rows has the same bits") {
  for (const Transpose tb : kBoth) {
    for (const int64_t m : {2, 7, 16, 17, 40}) {
      const int64_t batch = 3, k = 300, n = 19;
      Draws draws(5);
      const std::vector<float> a = draws.normals(batch * m * k), b = draws.normals(batch * n * k);
      std::vector<float> out(static_cast<size_t>(batch * m * n)), row(static_cast<size_t>(n));
      matmul({a.data(), {batch, m, k}}, kNo, {b.data(), tb == kYes ? Shape{batch, n, k} : Shape{batch, k, n}},
             tb, {out.data(), {batch, m, n}});
      for (int64_t i = 0; i < batch * m; ++i) {
        matmul({a.data() + i * k, {1, k}}, kNo,
               {b.data() + i / m * n * k, tb == kYes ? Shape{n, k} : Shape{k, n}}, tb, {row.data(), {1, n}});
        CHECK(same_bits(row, {out.begin() + i * n, out.begin() + (i + 1) * n}));
      }
    }
  }
}

TEST_CASE("matmul: b without batches serves all") {
  const int64_t batch = 6, m = 5, k = 35, n = 21;
  Draws draws(6);
  const std::vector<float> a = draws.normals(batch * m * k), b = draws.normals(k * n),
                           bias = draws.normals(n), start = draws.normals(batch * m * n);
  for (const Transpose ta : kBoth) {
    const Shape part = ta == kYes ? Shape{k, m} : Shape{m, k};
    std::vector<float> expected = start, out = start;
    for (int64_t i = 0; i < batch; ++i) {
      matmul({a.data() + i * m * k, part}, ta, {b.data(), {n, k}}, kYes,
             {expected.data() + i * m * n, {m, n}}, Write::kAccumulate, {bias.data(), {n}});
    }
    matmul({a.data(), {2, 3, part[0], part[1]}}, ta, {b.data(), {n, k}}, kYes, {out.data(), {2, 3, m, n}},
           Write::kAccumulate, {bias.data(), {n}});
    CHECK(same_bits(out, expected));
  }
}

TEST_CASE("matmul: NaN, infinity, signed zeros, subnormal and large numbers go where they belong") {
  for (const float value : {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f, -3e-39f, 1e30f, -1e30f}) {
    for (const int64_t m : {1, 2, 3, 5, 20}) {
      Case c(m, 9, 37);
      c.a[4] = value;
      c.b[7 * 37 + 2] = value;
      const std::vector<float> expected = matmul_bits(c.a, c.b, c.m, c.k, c.n);
      for (const Transpose ta : kBoth) {
        for (const Transpose tb : kBoth) CHECK(same_bits(c.run(ta, tb), expected));
      }
      if (!std::isfinite(value)) {  // row 0 and column 2 are touched, and nothing else
        for (int64_t i = 0; i < m * 37; ++i) CHECK(std::isfinite(expected[i]) == (i >= 37 && i % 37 != 2));
      }
    }
  }
}

TEST_CASE("matmul: a sum of -0 is 0, and is -0 only where it is accumulated on -0") {
  for (const int64_t m : {1, 2, 4, 20}) {
    Case c(m, 40, 19);
    std::fill(c.a.begin(), c.a.end(), -0.0f);
    std::fill(c.b.begin(), c.b.end(), 1.0f);
    const std::vector<float> zeros(static_cast<size_t>(m * 19), 0.0f), negative(zeros.size(), -0.0f);
    for (const Transpose ta : kBoth) {
      for (const Transpose tb : kBoth) {
        CHECK(same_bits(c.run(ta, tb), zeros));
        CHECK(same_bits(c.run(ta, tb, &zeros), zeros));
        CHECK(same_bits(c.run(ta, tb, &negative), negative));
      }
    }
  }
}

TEST_CASE("matmul: shapes that do not fit are typed errors, and nothing is written") {
  const float a[64] = {};
  float out[64];
  std::fill(out, out + 64, 3.0f);
  const auto refused = [&](Shape a_shape, Transpose ta, Shape b_shape, Transpose tb, Shape out_shape,
                           const char* argument, const char* expected, ConstView bias = {}) {
    const ShapeError error = thrown_by<ShapeError>([&] {
      matmul({a, a_shape}, ta, {a, b_shape}, tb, {out, out_shape}, Write::kOverwrite, bias);
    });
    CHECK(error.code == ErrorCode::kWrongShape);
    CHECK(error.op == "matmul");
    CHECK(error.argument == argument);
    CHECK(error.expected == expected);
    for (const float value : out) CHECK(value == 3.0f);
  };
  refused({2, 3}, kNo, {4, 2}, kNo, {2, 2}, "b", "(3, 2)");
  refused({2, 3}, kNo, {2, 4}, kYes, {2, 2}, "b", "(2, 3)");
  refused({3, 2}, kYes, {2, 3}, kNo, {2, 3}, "b", "(3, 3)");
  refused({2, 3}, kNo, {3, 2}, kNo, {2, 3}, "out", "(2, 2)");
  refused({2, 2, 3}, kNo, {3, 3, 2}, kNo, {2, 2, 2}, "b", "(2, 3, 2)");
  refused({2, 3}, kNo, {2, 3, 2}, kNo, {2, 2}, "b", "(3, 2)");
  refused({2, 2, 3}, kNo, {4, 2}, kNo, {2, 2, 2}, "b", "(3, 2)");
  refused({2, 2, 3}, kNo, {2, 3, 2}, kNo, {4, 2}, "out", "(2, 2, 2)");
  refused({3}, kNo, {3, 2}, kNo, {2}, "a", "(.., m, k)");
  refused({2, 3}, kNo, {3}, kNo, {2}, "b", "(.., k, n)");
  refused({2, 3}, kNo, {3, 2}, kNo, {2, 2}, "bias", "(2,)", {a, {3}});
  refused({2, 3}, kNo, {3, 2}, kNo, {2, 2}, "bias", "(2,)", {a, {1, 2}});
  refused({2, 0}, kNo, {0, 2}, kNo, {2, 2}, "bias", "(2,)", {nullptr, {0}});
}
