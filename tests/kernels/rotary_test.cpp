#include "kernels/rotary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/gradient.h"
#include "simd/bits_hash.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct RotaryCase {
  int64_t batch = 2, heads = 3, n, d, d_rot, n_positions = 40;
  RotaryPairs pairs;
  std::vector<int32_t> positions;  // empty, [n] or [batch, n]
  std::vector<float> x, cos, sin;

  RotaryCase(int64_t n, int64_t d, int64_t d_rot, RotaryPairs pairs)
      : n(n), d(d), d_rot(d_rot), pairs(pairs) {
    x = Draws(1).normals(batch * heads * n * d);
    cos.assign(static_cast<size_t>(n_positions * d_rot / 2), 7.0f);
    sin = cos;
    rotary_table(10000, {cos.data(), table()}, {sin.data(), table()});
  }

  Shape shape() const { return {batch, heads, n, d}; }
  Shape table() const { return {n_positions, d_rot / 2}; }
  IndexView position_view() const {
    if (positions.empty()) return {};
    return {positions.data(), static_cast<int64_t>(positions.size()) == n ? Shape{n} : Shape{batch, n}};
  }
  ConstView cos_view() const { return {cos.data(), table()}; }
  ConstView sin_view() const { return {sin.data(), table()}; }

  std::vector<float> forward() const {
    std::vector<float> out(x.size(), 7.0f);
    rotary_forward({x.data(), shape()}, cos_view(), sin_view(), position_view(), pairs,
                   {out.data(), shape()});
    return out;
  }
  std::vector<float> backward(const std::vector<float>& dout) const {
    std::vector<float> dx(x.size(), 7.0f);
    rotary_backward({dout.data(), shape()}, cos_view(), sin_view(), position_view(), pairs,
                    {dx.data(), shape()});
    return dx;
  }

  std::vector<double> exact(std::vector<double> x) const {
    for (int64_t row = 0; row < batch * heads * n; ++row) {
      const int64_t i = row % n, b = row / (heads * n);
      const int64_t position =
          positions.empty()
              ? i
              : positions[static_cast<size_t>(static_cast<int64_t>(positions.size()) == n ? i : b * n + i)];
      for (int64_t j = 0; j < d_rot / 2; ++j) {
        const bool halves = pairs == RotaryPairs::kHalves;
        double& first = x[static_cast<size_t>(row * d + (halves ? j : 2 * j))];
        double& second = x[static_cast<size_t>(row * d + (halves ? j + d_rot / 2 : 2 * j + 1))];
        const double c = cos[static_cast<size_t>(position * d_rot / 2 + j)];
        const double s = sin[static_cast<size_t>(position * d_rot / 2 + j)], before = first;
        first = before * c - second * s;
        second = second * c + before * s;
      }
    }
    return x;
  }
};

template <class Check>
void each_pairing(Check check) {
  for (const RotaryPairs pairs : {RotaryPairs::kHalves, RotaryPairs::kInterleaved}) check(pairs);
}

}  // namespace

TEST_CASE("rotary: every width, whole and partial, with every kind of positions") {
  each_pairing([](RotaryPairs pairs) {
    for (int64_t d = 1; d <= 40; ++d) {
      for (const int64_t d_rot : {d / 2 * 2, d / 4 * 2, int64_t{0}}) {
        CAPTURE(d);
        CAPTURE(d_rot);
        RotaryCase c(5, d, d_rot, pairs);
        for (const std::vector<int32_t>& positions :
             {std::vector<int32_t>{}, {7, 0, 39, 7, 2}, {1, 2, 3, 4, 5, 30, 20, 10, 0, 11}}) {
          c.positions = positions;
          CHECK(compare(c.forward(), c.exact(widen(c.x))).absolute <= 3 * 0x1p-24 * 4);
        }
      }
    }
  });
}

TEST_CASE("rotary by hand") {
  const std::vector<float> x = {1, 2, 3, 4, 5}, cos = {0, 1}, sin = {1, 0};
  std::vector<float> out(5);
  const auto run = [&](RotaryPairs pairs) {
    rotary_forward({x.data(), {1, 5}}, {cos.data(), {1, 2}}, {sin.data(), {1, 2}}, {}, pairs,
                   {out.data(), {1, 5}});
    return out;
  };
  CHECK(run(RotaryPairs::kHalves) == std::vector<float>{-3, 2, 1, 4, 5});
  CHECK(run(RotaryPairs::kInterleaved) == std::vector<float>{-2, 1, 3, 4, 5});
}

TEST_CASE("rotary_table: within 2^-25 and 3e-16 times the position") {
  for (const double base : {1.0, 10000.0, 500000.0, 1e6}) {
    for (const int64_t half : {1, 5, 64}) {
      constexpr int64_t kPositions = 3000;
      std::vector<float> cos(static_cast<size_t>(kPositions * half)), sin = cos;
      rotary_table(base, {cos.data(), {kPositions, half}}, {sin.data(), {kPositions, half}});
      double worst = 0;
      for (int64_t position = 0; position < kPositions; position += 7) {
        for (int64_t i = 0; i < half; ++i) {
          const long double angle =
              position * std::pow(static_cast<long double>(base), -static_cast<long double>(i) / half);
          const auto at = static_cast<size_t>(position * half + i);
          const auto error =
              std::max(std::fabs(cos[at] - std::cos(angle)), std::fabs(sin[at] - std::sin(angle)));
          worst = std::max(worst, static_cast<double>(error) - 3e-16 * static_cast<double>(position));
        }
      }
      CHECK(worst <= 0x1p-25);
    }
  }
}

TEST_CASE("rotary_table at positions up to a hundred thousand and a million") {
  constexpr int64_t kHalf = 4;
  for (const int64_t n : {int64_t{100001}, kMaxRotaryPositions}) {
    std::vector<float> cos(static_cast<size_t>(n * kHalf)), sin = cos;
    rotary_table(10000, {cos.data(), {n, kHalf}}, {sin.data(), {n, kHalf}});
    double worst = 0;
    for (int64_t position = n - 1; position > 0; position -= n / 500) {
      for (int64_t i = 0; i < kHalf; ++i) {
        const long double angle = position * std::pow(10000.0L, -static_cast<long double>(i) / kHalf);
        const auto at = static_cast<size_t>(position * kHalf + i);
        const auto error =
            std::max(std::fabs(cos[at] - std::cos(angle)), std::fabs(sin[at] - std::sin(angle)));
        worst = std::max(worst, static_cast<double>(error) - 3e-16 * static_cast<double>(position));
      }
    }
    CHECK(worst <= 0x1p-25);
    CHECK(cos[0] == 1);
    CHECK(sin[0] == 0);
  }
}

TEST_CASE("rotary: q·k depends on the difference of positions alone") {
  each_pairing([](RotaryPairs pairs) {
    RotaryCase c(1, 64, 64, pairs);
    c.batch = c.heads = 1;
    c.x.resize(64);
    const std::vector<float> q = c.x, k = Draws(5).normals(64);
    const auto turned = [&](const std::vector<float>& x, int32_t position) {
      c.x = x;
      c.positions = {position};
      return widen(c.forward());
    };
    for (const int32_t shift : {1, 10, 25}) {
      CHECK(dot(turned(q, 4 + shift), turned(k, 9 + shift)) ==
            doctest::Approx(dot(turned(q, 4), turned(k, 9))).epsilon(1e-6).scale(8));
      CHECK(dot(turned(q, 4), turned(k, 9 + shift)) != doctest::Approx(dot(turned(q, 4), turned(k, 9))));
    }
  });
}

TEST_CASE("rotary: the same bits in place, at any address, and for a row alone") {
  each_pairing([](RotaryPairs pairs) {
    for (int64_t d = 1; d <= 35; ++d) {
      RotaryCase c(3, d, d / 2 * 2 - (d > 6 ? 4 : 0), pairs);
      c.batch = c.heads = 1;
      c.x.resize(static_cast<size_t>(3 * d));
      const std::vector<float> expected = c.forward(), back = c.backward(c.x);
      for (const int64_t shift : {0, 1, 2, 3}) {
        GuardedBuffer x(c.x, shift), out(3 * d, 3 - shift), cos(c.cos, shift), sin(c.sin, 1);
        const ConstView cosines(cos.data(), c.table()), sines(sin.data(), c.table());
        rotary_forward({x.data(), {3, d}}, cosines, sines, {}, pairs, {out.data(), {3, d}});
        CHECK(same_bits(out.values(), expected));
        rotary_backward({x.data(), {3, d}}, cosines, sines, {}, pairs, {out.data(), {3, d}});
        CHECK(same_bits(out.values(), back));
        rotary_forward({x.data(), {3, d}}, cosines, sines, {}, pairs, {x.data(), {3, d}});
        CHECK(same_bits(x.values(), expected));
        CHECK((x.intact() && out.intact()));
      }
      const int32_t last = 2;
      std::vector<float> row(static_cast<size_t>(d));
      rotary_forward({c.x.data() + 2 * d, {1, d}}, c.cos_view(), c.sin_view(), {&last, {1}}, pairs,
                     {row.data(), {1, d}});
      CHECK(same_bits(row, {expected.begin() + 2 * d, expected.end()}));
    }
  });
}

TEST_CASE("rotary_backward: central differences, the transpose, and the way back") {
  each_pairing([](RotaryPairs pairs) {
    RotaryCase c(2, 11, 8, pairs);
    c.positions = {3, 17};
    Draws draws(4);
    const auto size = static_cast<int64_t>(c.x.size());
    const std::vector<float> u = draws.normals(size), v = draws.normals(size), dx = c.backward(u);
    const auto f = [&c](const std::vector<double>& x) { return c.exact(x); };
    CHECK(compare(dx, central_differences(f, widen(c.x), widen(u))).absolute <= 2e-6);
    CHECK(dot(widen(u), f(widen(v))) == doctest::Approx(dot(widen(dx), widen(v))).epsilon(1e-6).scale(10));
    CHECK(compare(c.backward(c.forward()), widen(c.x)).absolute <= 2e-6);
  });
}

TEST_CASE("rotary: NaN and infinity reach their pair alone; position 0 changes no value") {
  each_pairing([](RotaryPairs pairs) {
    for (const float bad : {NAN, INFINITY}) {
      RotaryCase c(2, 10, 8, pairs), clean = c;
      c.x[1] = clean.x[1] = 0;
      c.positions = clean.positions = {5, 6};
      c.x[0] = bad;
      const std::vector<float> out = c.forward(), expected = clean.forward();
      const size_t partner = pairs == RotaryPairs::kHalves ? 4 : 1;
      for (size_t i = 0; i < out.size(); ++i) {
        if (i == 0 || i == partner) CHECK(!std::isfinite(out[i]));
        if (i != 0 && i != partner) CHECK(same_bits({out[i]}, {expected[i]}));
      }
    }
    RotaryCase c(1, 9, 8, pairs);
    const std::vector<float> values = {1, 1e30f, -1e30f, 1e-45f, 3e38f, 5, 6, 7, NAN};
    for (size_t i = 0; i < c.x.size(); ++i) c.x[i] = values[i % 9];
    const std::vector<float> out = c.forward();
    CHECK(same_bits(out, c.x));
  });
}

TEST_CASE("rotary of nothing") {
  each_pairing([](RotaryPairs pairs) {
    for (const Shape& shape : {Shape{0, 4}, Shape{0, 3, 4}, Shape{2, 0, 4}, Shape{3, 0}}) {
      const Shape table{5, shape[-1] / 2};
      std::vector<float> t(10, 1.0f);
      rotary_forward({nullptr, shape}, {t.data(), table}, {t.data(), table}, {}, pairs, {nullptr, shape});
    }
  });
}

TEST_CASE("rotary: positions, bases and shapes that do not fit are refused, and nothing is written") {
  std::vector<float> x(24, 1.0f), out(24, 7.0f), table(20, 1.0f);
  const auto refuse_positions = [&](std::vector<int32_t> positions, Shape shape) {
    CHECK_THROWS_AS(rotary_forward({x.data(), {2, 3, 4}}, {table.data(), {5, 2}}, {table.data(), {5, 2}},
                                   {positions.data(), shape}, RotaryPairs::kHalves, {out.data(), {2, 3, 4}}),
                    sqrtdk::Error);
    CHECK_THROWS_AS(rotary_backward({x.data(), {2, 3, 4}}, {table.data(), {5, 2}}, {table.data(), {5, 2}},
                                    {positions.data(), shape}, RotaryPairs::kHalves, {out.data(), {2, 3, 4}}),
                    sqrtdk::Error);
  };
  refuse_positions({0, 1, 5}, {3});
  refuse_positions({0, -1, 2}, {3});
  refuse_positions({0, 1, 2, 3, 4, 5}, {2, 3});
  refuse_positions({0, 1, 2, 3}, {4});
  refuse_positions({0, 1, 2}, {1, 3});
  refuse_positions({0, 1, 2, 0, 1, 2}, {1, 2, 3});
  refuse_positions({0}, Shape{});
  const auto refuse = [&](Shape x_shape, Shape cos, Shape sin, Shape out_shape) {
    CHECK_THROWS_AS(rotary_forward({x.data(), x_shape}, {table.data(), cos}, {table.data(), sin}, {},
                                   RotaryPairs::kInterleaved, {out.data(), out_shape}),
                    ShapeError);
  };
  refuse({24}, {5, 2}, {5, 2}, {24});
  refuse({6, 4}, {5, 3}, {5, 3}, {6, 4});
  refuse({6, 4}, {10}, {10}, {6, 4});
  refuse({6, 4}, {10, 2}, {9, 2}, {6, 4});
  refuse({6, 4}, {10, 2}, {10, 2}, {4, 6});
  CHECK_THROWS_AS(rotary_forward({x.data(), {6, 4}}, {table.data(), {5, 2}}, {table.data(), {5, 2}}, {},
                                 RotaryPairs::kHalves, {out.data(), {6, 4}}),
                  ValueError);
  CHECK(out == std::vector<float>(24, 7.0f));
  const View cos(out.data(), {3, 4});
  for (const double base : {0.5, 0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    CHECK_THROWS_AS(rotary_table(base, cos, cos), ValueError);
  }
  CHECK_THROWS_AS(rotary_table(10000, cos, {out.data(), {4, 3}}), ShapeError);
  CHECK_THROWS_AS(rotary_table(10000, {out.data(), {12}}, {out.data(), {12}}), ShapeError);
  const Shape too_long{kMaxRotaryPositions + 1, 0};
  CHECK_THROWS_AS(rotary_table(10000, {out.data(), too_long}, {out.data(), too_long}), ShapeError);
  CHECK(out == std::vector<float>(24, 7.0f));
}

TEST_CASE("rotary: the same bits on every target") {
  BitsHash hash;
  each_pairing([&hash](RotaryPairs pairs) {
    const RotaryCase c(39, 70, 66, pairs);
    for (const float value : c.cos) hash.add(value);
    for (const float value : c.forward()) hash.add(value);
    for (const float value : c.backward(c.x)) hash.add(value);
  });
  CHECK(hash.value() == 0x372fc5f0dcfb773du);
}
