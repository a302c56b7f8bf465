#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/compare.h"
#include "reference/layer_norm_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr float kInf = INFINITY;

NormCase with_rows(bool centered, const std::vector<std::vector<float>>& rows) {
  NormCase c(centered, static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size()));
  c.gain.clear();
  c.bias.clear();
  c.x.clear();
  for (const auto& row : rows) c.x.insert(c.x.end(), row.begin(), row.end());
  return c;
}

double spread_of(const NormCase& c) { return std::max(1.0, max_abs(c.exact())); }

}  // namespace

TEST_CASE("normalization of every length, with and without gain and bias") {
  for (const bool centered : {true, false}) {
    for (int64_t n = 1; n <= 33; ++n) {
      for (int parameters = 0; parameters < 4; ++parameters) {
        CAPTURE(n);
        NormCase c(centered, 3, n, static_cast<uint64_t>(n));
        if (!(parameters & 1)) c.gain.clear();
        if (!(parameters & 2) || !centered) c.bias.clear();
        c.forward();
        CHECK(compare(c.out, c.exact()).absolute <= 3 * 0x1p-24 * spread_of(c));
      }
    }
    for (const int64_t n : {64, 512, 1000, 1024, 1025, 5000, 100000}) {
      CAPTURE(n);
      NormCase c(centered, 2, n);
      c.forward();
      CHECK(compare(c.out, c.exact()).absolute <= 3 * 0x1p-24 * spread_of(c));
    }
  }
}

TEST_CASE("layer_norm: mean and rstd of each row") {
  NormCase c(true, 5, 37);
  for (float& x : c.x) x = 3 * x + 2;
  c.forward();
  for (size_t i = 0; i < 5; ++i) {
    const Moments m = row_moments(widen(c.x), i * 37, 37);
    CHECK(error_of(c.stats[2 * i], m.mean).ulp <= 2);
    CHECK(error_of(c.stats[2 * i + 1], 1 / std::sqrt(m.variance + c.epsilon)).ulp <= 1.5);
  }
}

TEST_CASE("layer_norm of a large mean, up to a million standard deviations") {
  for (const int64_t n : {3, 16, 33, 512, 5000}) {
    for (const float mean : {-1e2f, 1e4f, 1e6f, -1e6f}) {
      CAPTURE(n);
      CAPTURE(mean);
      NormCase c(true, 4, n);
      for (float& x : c.x) x += mean;
      c.forward();
      CHECK(compare(c.out, c.exact()).absolute <= 6 * 0x1p-24 * spread_of(c));
    }
  }
}

TEST_CASE("layer_norm of rows whose first elements are far from the others") {
  for (const int64_t n : {17, 100, 512, 3000}) {
    for (const float far : {30.0f, 1e4f, 1e10f}) {
      NormCase c(true, 3, n);
      for (int64_t j = 0; j < 16; ++j) c.x[static_cast<size_t>(j)] += far;
      for (int64_t j = 0; j < n; ++j) c.x[static_cast<size_t>(n + j)] += static_cast<float>(j) * far;
      c.x[static_cast<size_t>(2 * n + n / 2)] += far;
      c.forward();
      CHECK(compare(c.out, c.exact()).absolute <= 16 * 0x1p-24 * spread_of(c));
    }
  }
}

TEST_CASE("a constant row is its bias") {
  for (const float value : {0.0f, -0.0f, 0.1f, 1e-40f, -3.3f, 1e10f, 1e30f, 3e38f}) {
    for (const int64_t n : {1, 7, 16, 100, 512, 1500}) {
      CAPTURE(value);
      CAPTURE(n);
      NormCase c(true, 1, n);
      c.x.assign(static_cast<size_t>(n), value);
      c.forward();
      CHECK(same_bits(c.out, c.bias));
      CHECK(c.stats[0] == value);
      CHECK(error_of(c.stats[1], 1 / std::sqrt(static_cast<double>(c.epsilon))).ulp <= 0.5);
    }
  }
}

TEST_CASE("normalization of huge and of vanishing numbers") {
  for (const bool centered : {true, false}) {
    for (const float epsilon : {1e-5f, 0.0f}) {
      for (const float scale : {1e-40f, 1e-30f, 1e-20f, 1e15f, 1e18f, 1e30f, 6e37f}) {
        CAPTURE(scale);
        NormCase c(centered, 3, 50);
        for (float& x : c.x) x *= scale;
        c.epsilon = epsilon;
        c.forward();
        CHECK(compare(c.out, c.exact()).absolute <= 4 * 0x1p-24 * spread_of(c));
      }
    }
  }
}

TEST_CASE("epsilon is inside the square root") {
  NormCase c = with_rows(true, {{-1, 1}});
  c.epsilon = 3;
  c.forward();
  CHECK(c.out == std::vector<float>{-0.5f, 0.5f});
  NormCase r = with_rows(false, {{1, -1}});
  r.epsilon = 3;
  r.forward();
  CHECK(r.out == std::vector<float>{0.5f, -0.5f});
  CHECK(r.stats == std::vector<float>{0.5f});
}

TEST_CASE("NaN and infinity fill their row and no other") {
  for (const bool centered : {true, false}) {
    for (const float bad : {NAN, kInf, -kInf}) {
      for (const int64_t at : {0, 5, 18}) {
        NormCase c(centered, 3, 19), clean = c;
        c.x[static_cast<size_t>(19 + at)] = bad;
        c.forward();
        clean.forward();
        for (size_t i = 0; i < c.out.size(); ++i) {
          const bool in_row = i >= 19 && i < 38;
          if (!in_row) CHECK(same_bits({c.out[i]}, {clean.out[i]}));
          if (in_row && (centered || std::isnan(bad))) CHECK(std::isnan(c.out[i]));
          // x / inf in rms_norm: only the infinity itself is undefined.
          if (in_row && !centered && !std::isnan(bad)) {
            CHECK((i == static_cast<size_t>(19 + at) ? std::isnan(c.out[i]) : c.out[i] == 0));
          }
        }
      }
    }
  }
}

TEST_CASE("a row alone has the bits that it has in a batch, at any address, in place too") {
  for (const bool centered : {true, false}) {
    for (int64_t n = 1; n <= 40; ++n) {
      NormCase c(centered, 4, n);
      for (int64_t j = 0; j < n; ++j) c.x[static_cast<size_t>(n + j)] *= 1e30f;
      c.forward();
      for (int64_t i = 0; i < 4; ++i) {
        for (const int64_t shift : {0, 1, 2, 3}) {
          const auto begin = c.x.begin() + i * n;
          GuardedBuffer x(std::vector<float>(begin, begin + n), shift), out(n, (shift + 1) % 4);
          GuardedBuffer gain(c.gain, shift), bias(c.bias, 3 - shift), stats(2, shift);
          const ConstView gains(gain.data(), {n}), biases(bias.data(), {n});
          const auto run = [&](View out) {
            if (centered) {
              layer_norm_forward({x.data(), {n}}, gains, biases, c.epsilon, out, {stats.data(), {2}});
            } else {
              rms_norm_forward({x.data(), {n}}, gains, c.epsilon, out, {stats.data(), Shape{}});
            }
          };
          run({out.data(), {n}});
          const std::vector<float> expected(c.out.begin() + i * n, c.out.begin() + (i + 1) * n);
          CHECK(same_bits(out.values(), expected));
          CHECK(out.intact());
          CHECK(stats.intact());
          run({x.data(), {n}});
          CHECK(same_bits(x.values(), expected));
          CHECK(x.intact());
        }
      }
    }
  }
}

TEST_CASE("normalization of nothing") {
  for (const bool centered : {true, false}) {
    NormCase no_rows(centered, 0, 5), no_columns(centered, 2, 0);
    no_rows.forward().backward();
    CHECK(no_rows.out.empty());
    CHECK(no_rows.dgain == std::vector<float>(5, 0.0f));
    no_columns.forward().backward();
    CHECK(no_columns.out.empty());
    CHECK(std::isnan(no_columns.stats[0]));
  }
}

TEST_CASE("normalization: shapes that do not fit are refused, and nothing is written") {
  std::vector<float> x(12, 1.0f), p(6, 1.0f), out(12, 7.0f), stats(6, 7.0f);
  const ConstView in(x.data(), {3, 4}), four(p.data(), {4}), none;
  const View result(out.data(), {3, 4}), pairs(stats.data(), {3, 2}), ones(stats.data(), {3});
  const auto layer = [&](ConstView x, ConstView gain, ConstView bias, View out, View stats) {
    CHECK_THROWS_AS(layer_norm_forward(x, gain, bias, 1e-5f, out, stats), ShapeError);
  };
  layer({x.data(), Shape{}}, none, none, {out.data(), Shape{}}, {});
  layer(in, {p.data(), {3}}, four, result, pairs);
  layer(in, four, {p.data(), {4, 1}}, result, pairs);
  layer(in, four, four, {out.data(), {4, 3}}, pairs);
  layer(in, four, four, result, {stats.data(), {3}});
  layer(in, four, four, result, {stats.data(), {2, 3}});
  const auto rms = [&](ConstView gain, View out, View stats) {
    CHECK_THROWS_AS(rms_norm_forward(in, gain, 1e-5f, out, stats), ShapeError);
  };
  rms({p.data(), {5}}, result, ones);
  rms(four, {out.data(), {12}}, ones);
  rms(four, result, pairs);
  View dx = result, dgain(p.data(), {4}), dbias;
  const auto backward = [&](ConstView stats, ConstView dout, View dx, View dgain, View dbias) {
    CHECK_THROWS_AS(layer_norm_backward(in, four, stats, dout, dx, dgain, dbias), ShapeError);
  };
  backward(ones, in, dx, dgain, dbias);
  backward(pairs, four, dx, dgain, dbias);
  backward(pairs, in, {out.data(), {2, 6}}, dgain, dbias);
  backward(pairs, in, dx, {p.data(), {3}}, dbias);
  backward(pairs, in, dx, dgain, {p.data(), {2}});
  CHECK_THROWS_AS(rms_norm_backward(in, four, pairs, in, dx, dgain), ShapeError);
  CHECK_THROWS_AS(rms_norm_backward(in, four, ones, in, dx, View(p.data(), {3})), ShapeError);
  CHECK(out == std::vector<float>(12, 7.0f));
  CHECK(stats == std::vector<float>(6, 7.0f));
  CHECK(p == std::vector<float>(6, 1.0f));
}

TEST_CASE("normalization: an invalid epsilon throws and changes nothing") {
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> out(3, 7.0f);
  for (const float epsilon : {-1.0f, NAN, INFINITY}) {
    CHECK_THROWS_AS(layer_norm_forward({x.data(), {3}}, {}, {}, epsilon, {out.data(), {3}}, {}), ValueError);
    CHECK_THROWS_AS(rms_norm_forward({x.data(), {3}}, {}, epsilon, {out.data(), {3}}, {}), ValueError);
  }
  CHECK(out == std::vector<float>(3, 7.0f));
}
