#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "kernels/product/matmul.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/matmul.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr Transpose kNo = Transpose::kNo, kYes = Transpose::kYes;

void check_packed(int64_t m, int64_t k, int64_t n, int64_t shift) {
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  Draws draws(static_cast<uint64_t>(m * 1000000 + k * 1000 + n));
  const std::vector<float> a = draws.normals(m * k), b = draws.normals(k * n), bias = draws.normals(n),
                           start = draws.normals(m * n);
  GuardedBuffer a_buffer(a, shift), bias_buffer(bias, shift);
  for (const Transpose tb : {kNo, kYes}) {
    GuardedBuffer packed(packed_size(k, n), shift);
    GuardedBuffer b_buffer(tb == kYes ? transposed(b, k, n) : b, shift);
    const PackedMatrix weights =
        pack_matrix({b_buffer.data(), tb == kYes ? Shape{n, k} : Shape{k, n}}, tb, packed.data());
    CHECK(packed.intact());
    CHECK(weights.k == k);
    CHECK(weights.n == n);
    for (const bool accumulate : {false, true}) {
      for (const bool with_bias : {false, true}) {
        GuardedBuffer out(start, shift);
        matmul_packed({a_buffer.data(), {m, k}}, weights, {out.data(), {m, n}},
                      accumulate ? Write::kAccumulate : Write::kOverwrite,
                      with_bias ? ConstView{bias_buffer.data(), {n}} : ConstView{});
        CHECK(out.intact());
        CHECK(same_bits(out.values(), matmul_bits(a, b, m, k, n, accumulate ? &start : nullptr,
                                                  with_bias ? &bias : nullptr)));
      }
    }
  }
}

}  // namespace

TEST_CASE("matmul_packed: the same bits as matmul, with every tail") {
  for (int64_t length = 1; length <= 33; ++length) {
    check_packed(5, 7, length, 0);
    check_packed(1, 3, length, 1);
    check_packed(length, 6, 9, 2);
    check_packed(2, length, 10, 3);
  }
  for (const int64_t k : {255, 256, 257, 513, 1000}) {
    check_packed(1, k, 35, 0);
    check_packed(20, k, 35, 1);
  }
  for (const int64_t m : {1, 2, 3, 20}) check_packed(m, 40, 150, 0);
  // Rows in panels and beside them, more of them than are packed at a time, and k in one long piece or
  // several.
  for (const int64_t m : {3, 4, 9, 33, 63, 64, 65, 127, 128, 131, 261}) check_packed(m, 530, 52, m % 4);
  check_packed(7, 2400, 49, 1);
}

TEST_CASE("matmul_packed: nothing is read ahead beyond the last panel") {
  // The sanitizers see it: behind these weights there is no memory.
  const int64_t m = 64, k = 300, n = 48;
  const std::vector<float> a = Draws(1).normals(m * k), b = Draws(2).normals(k * n);
  std::vector<float> packed(static_cast<size_t>(packed_size(k, n))), out(static_cast<size_t>(m * n));
  const PackedMatrix weights = pack_matrix({b.data(), {k, n}}, kNo, packed.data());
  matmul_packed({a.data(), {m, k}}, weights, {out.data(), {m, n}});
  CHECK(same_bits(out, matmul_bits(a, b, m, k, n)));
}

TEST_CASE("matmul_packed: leading dimensions of a are rows") {
  const int64_t k = 12, n = 9;
  Draws draws(2);
  const std::vector<float> a = draws.normals(30 * k), b = draws.normals(k * n);
  std::vector<float> storage(static_cast<size_t>(packed_size(k, n))), out(static_cast<size_t>(30 * n));
  const PackedMatrix weights = pack_matrix({b.data(), {k, n}}, kNo, storage.data());
  matmul_packed({a.data(), {2, 3, 5, k}}, weights, {out.data(), {2, 3, 5, n}});
  CHECK(same_bits(out, matmul_bits(a, b, 30, k, n)));
}

TEST_CASE("matmul_packed: NaN and infinity go where they belong") {
  const int64_t k = 9, n = 13;
  for (const float value : {NAN, INFINITY}) {
    for (const int64_t m : {1, 2, 3, 5}) {
      Draws draws(3);
      std::vector<float> a = draws.normals(m * k), b = draws.normals(k * n);
      a[4] = b[7 * n + 2] = value;
      std::vector<float> storage(static_cast<size_t>(packed_size(k, n))), out(static_cast<size_t>(m * n));
      matmul_packed({a.data(), {m, k}}, pack_matrix({b.data(), {k, n}}, kNo, storage.data()),
                    {out.data(), {m, n}});
      CHECK(same_bits(out, matmul_bits(a, b, m, k, n)));
      for (int64_t i = 0; i < m * n; ++i) CHECK(std::isfinite(out[i]) == (i >= n && i % n != 2));
    }
  }
}

TEST_CASE("matmul_packed: sizes of zero") {
  float out[6];
  const float bias[] = {1, -2, 0.5f};
  const auto run = [&](int64_t m, int64_t k, int64_t n, Write write, ConstView given) {
    std::fill(out, out + 6, 3.0f);
    CHECK(packed_size(k, n) == 0);
    matmul_packed({nullptr, {m, k}}, pack_matrix({nullptr, {k, n}}, kNo, nullptr), {out, {m, n}}, write,
                  given);
    return std::vector<float>(out, out + 6);
  };
  const std::vector<float> untouched(6, 3.0f);
  CHECK(run(2, 0, 3, Write::kOverwrite, {}) == std::vector<float>(6, 0.0f));
  CHECK(run(2, 0, 3, Write::kAccumulate, {}) == untouched);
  CHECK(run(2, 0, 3, Write::kOverwrite, {bias, {3}}) == std::vector<float>{1, -2, 0.5f, 1, -2, 0.5f});
  CHECK(run(0, 0, 3, Write::kOverwrite, {bias, {3}}) == untouched);
  CHECK(run(2, 4, 0, Write::kOverwrite, {}) == untouched);
}

TEST_CASE("matmul_packed: shapes that do not fit are typed errors, and nothing is written") {
  const float a[64] = {};
  float out[64];
  std::fill(out, out + 64, 3.0f);
  const auto refused = [&](auto run, const char* op, const char* argument, const char* expected) {
    const ShapeError error = thrown_by<ShapeError>([&] { run(); });
    CHECK(error.code == ErrorCode::kWrongShape);
    CHECK(error.op == op);
    CHECK(error.argument == argument);
    CHECK(error.expected == expected);
    for (const float value : out) CHECK(value == 3.0f);
  };
  const PackedMatrix b{a, 3, 2};
  const auto packed = [&](Shape a_shape, Shape out_shape, ConstView bias, const char* argument,
                          const char* expected) {
    refused(
        [&] {
          matmul_packed({a, a_shape}, b, {out, out_shape}, Write::kOverwrite, bias);
        },
        "matmul_packed", argument, expected);
  };
  packed({3}, {2}, {}, "a", "(.., m, k)");
  packed({4, 2}, {4, 2}, {}, "a", "(4, 3)");
  packed({4, 3}, {4, 3}, {}, "out", "(4, 2)");
  packed({2, 2, 3}, {4, 2}, {}, "out", "(2, 2, 2)");
  packed({4, 3}, {4, 2}, {a, {3}}, "bias", "(2,)");
  refused([&] { pack_matrix({a, {3}}, kNo, out); }, "pack_matrix", "b", "(k, n)");
  refused([&] { pack_matrix({a, {2, 3, 2}}, kNo, out); }, "pack_matrix", "b", "(3, 2)");
}
