// The backward pass three ways: central differences, <u, J v> = <Jᵀ u, v>, and the Jacobian in double.
#include <doctest/doctest.h>

#include <cmath>

#include "reference/compare.h"
#include "reference/gradient.h"
#include "reference/layer_norm_case.h"
#include "simd/bits_hash.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("normalization backward agrees with central differences") {
  for (const bool centered : {true, false}) {
    for (const int64_t n : {1, 2, 5, 16, 19}) {
      CAPTURE(n);
      NormCase c(centered, 3, n);
      c.epsilon = 0.1f;
      c.forward().backward();
      const auto along_x = [&c](const std::vector<double>& x) { return c.exact_of(x); };
      const std::vector<double> dx = central_differences(along_x, widen(c.x), widen(c.dout));
      CHECK(compare(c.dx, dx).absolute <= 2e-9 + 4 * 0x1p-24 * std::max(1.0, max_abs(dx)));
      const auto along_gain = [&c](const std::vector<double>& gain) {
        return c.centered ? layer_norm(widen(c.x), gain, widen(c.bias), c.epsilon)
                          : rms_norm(widen(c.x), gain, c.epsilon);
      };
      const std::vector<double> dgain = central_differences(along_gain, widen(c.gain), widen(c.dout));
      CHECK(compare(c.dgain, dgain).absolute <= 2e-9 + 4 * 0x1p-24 * std::max(1.0, max_abs(dgain)));
      if (!centered) continue;
      const auto along_bias = [&c](const std::vector<double>& bias) {
        return layer_norm(widen(c.x), widen(c.gain), bias, c.epsilon);
      };
      const std::vector<double> dbias = central_differences(along_bias, widen(c.bias), widen(c.dout));
      CHECK(compare(c.dbias, dbias).absolute <= 2e-9 + 0x1p-24 * std::max(1.0, max_abs(dbias)));
    }
  }
}

TEST_CASE("normalization backward is the transpose of the derivative") {
  for (const bool centered : {true, false}) {
    for (const int64_t n : {3, 16, 50, 200}) {
      NormCase c(centered, 2, n);
      c.forward().backward();
      Draws draws(9);
      const std::vector<double> v = widen(draws.normals(2 * n));
      // J v by a difference along v of the reference.
      std::vector<double> above = widen(c.x), below = above, jv(above.size());
      for (size_t i = 0; i < v.size(); ++i) above[i] += 1e-5 * v[i], below[i] -= 1e-5 * v[i];
      above = c.exact_of(above), below = c.exact_of(below);
      for (size_t i = 0; i < v.size(); ++i) jv[i] = (above[i] - below[i]) / 2e-5;
      CHECK(dot(widen(c.dout), jv) ==
            doctest::Approx(dot(widen(c.dx), v)).epsilon(1e-9 + 4 * 0x1p-24).scale(static_cast<double>(n)));
    }
  }
}

TEST_CASE("normalization backward agrees with the Jacobian") {
  for (const bool centered : {true, false}) {
    for (int64_t n = 1; n <= 40; n += n < 34 ? 1 : 6) {
      for (const bool has_gain : {true, false}) {
        CAPTURE(n);
        NormCase c(centered, n == 7 ? 70 : 3, n);  // 70 rows are several blocks and a part
        if (!has_gain) c.gain.clear();
        c.forward().backward();
        const NormGradients exact = c.exact_gradients();
        const double rstd = centered ? c.stats[1] : c.stats[0];
        const double size = std::max({1.0, max_abs(exact.dx), std::fabs(rstd)});
        CHECK(compare(c.dx, exact.dx).absolute <= 4 * 0x1p-24 * size);
        CHECK(compare(c.dgain, exact.dgain).absolute <= 4 * 0x1p-24 * std::max(1.0, max_abs(exact.dgain)));
        if (!centered) continue;
        CHECK(compare(c.dbias, exact.dbias).absolute <= 2 * 0x1p-24 * std::max(1.0, max_abs(exact.dbias)));
      }
    }
  }
}

TEST_CASE("layer_norm_backward at a mean of a million standard deviations") {
  NormCase c(true, 5, 64);
  for (float& x : c.x) x += 1e6f;
  c.forward().backward();
  const NormGradients exact = c.exact_gradients();
  CHECK(compare(c.dx, exact.dx).absolute <= 8 * 0x1p-24 * max_abs(exact.dx));
  CHECK(compare(c.dgain, exact.dgain).absolute <= 8 * 0x1p-24 * max_abs(exact.dgain));
}

TEST_CASE("normalization backward adds to dgain and dbias, and may overwrite dout") {
  for (const bool centered : {true, false}) {
    for (const int64_t n : {1, 6, 16, 37}) {
      for (const int64_t shift : {0, 1, 3}) {
        NormCase c(centered, 20, n);
        c.forward().backward();
        GuardedBuffer x(c.x, shift), in_place(c.dout, shift), gain(c.gain, 1), stats(c.stats, shift);
        GuardedBuffer dgain(std::vector<float>(static_cast<size_t>(n), 100.0f), shift), dbias = dgain;
        const Shape shape{20, n};
        const View dx(in_place.data(), shape);
        if (centered) {
          layer_norm_backward({x.data(), shape}, {gain.data(), {n}}, {stats.data(), {20, 2}}, dx, dx,
                              {dgain.data(), {n}}, {dbias.data(), {n}});
        } else {
          rms_norm_backward({x.data(), shape}, {gain.data(), {n}}, {stats.data(), {20}}, dx, dx,
                            {dgain.data(), {n}});
        }
        CHECK(same_bits(in_place.values(), c.dx));
        CHECK((in_place.intact() && dgain.intact() && dbias.intact()));
        for (size_t j = 0; j < static_cast<size_t>(n); ++j) {
          CHECK(dgain.data()[j] == doctest::Approx(100.0 + c.dgain[j]).epsilon(1e-6));
          CHECK(dbias.data()[j] == doctest::Approx(100.0 + c.dbias[j]).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("normalization backward: parameters' gradients are optional, and rows are independent") {
  for (const bool centered : {true, false}) {
    NormCase c(centered, 40, 21);
    c.forward().backward();
    for (int64_t i = 0; i < 40; ++i) {
      std::vector<float> dx(21);
      const ConstView x(c.x.data() + i * 21, {21}), dout(c.dout.data() + i * 21, {21});
      const ConstView gain(c.gain.data(), {21});
      if (centered) {
        layer_norm_backward(x, gain, {c.stats.data() + 2 * i, {2}}, dout, {dx.data(), {21}}, {}, {});
      } else {
        rms_norm_backward(x, gain, {c.stats.data() + i, Shape{}}, dout, {dx.data(), {21}}, {});
      }
      CHECK(same_bits(dx, {c.dx.begin() + i * 21, c.dx.begin() + (i + 1) * 21}));
    }
    std::vector<float> dgain(21), dbias(21), dx(c.x.size());
    const Shape shape{40, 21};
    if (!centered) continue;
    const ConstView x(c.x.data(), shape), gain(c.gain.data(), {21}), stats(c.stats.data(), {40, 2});
    layer_norm_backward(x, gain, stats, {c.dout.data(), shape}, {dx.data(), shape}, {dgain.data(), {21}}, {});
    layer_norm_backward(x, gain, stats, {c.dout.data(), shape}, {dx.data(), shape}, {}, {dbias.data(), {21}});
    CHECK(same_bits(dgain, c.dgain));
    CHECK(same_bits(dbias, c.dbias));
  }
}

TEST_CASE("normalization backward: NaN and infinity stay in their row but for the sums over rows") {
  for (const bool centered : {true, false}) {
    for (const float bad : {NAN, INFINITY}) {
      NormCase c(centered, 3, 9), clean = c;
      c.dout[9 + 4] = bad;
      c.forward().backward();
      clean.forward().backward();
      for (size_t i = 0; i < c.dx.size(); ++i) {
        if (i / 9 == 1) CHECK(!std::isfinite(c.dx[i]));
        if (i / 9 != 1) CHECK(same_bits({c.dx[i]}, {clean.dx[i]}));
      }
      for (size_t j = 0; j < 9; ++j) CHECK(std::isfinite(c.dgain[j]) == (j != 4));
    }
  }
}

TEST_CASE("normalization backward of huge numbers") {
  for (const bool centered : {true, false}) {
    for (const float scale : {1e-10f, 1e15f, 1e30f}) {
      CAPTURE(scale);
      NormCase c(centered, 3, 20);
      for (float& x : c.x) x *= scale;
      c.epsilon = 0;
      c.forward().backward();
      const NormGradients exact = c.exact_gradients();
      CHECK(compare(c.dx, exact.dx).absolute <= 8 * 0x1p-24 * max_abs(exact.dx));
      CHECK(compare(c.dgain, exact.dgain).absolute <= 8 * 0x1p-24 * max_abs(exact.dgain));
    }
  }
}

TEST_CASE("normalization: the same bits on every target") {
  BitsHash hash;
  for (const bool centered : {true, false}) {
    for (const int64_t n : {7, 16, 61, 512, 2500}) {
      NormCase c(centered, 40, n);
      for (int64_t j = 0; j < n; ++j) c.x[static_cast<size_t>(j)] *= 1e25f;
      c.forward().backward();
      for (const auto* values : {&c.out, &c.stats, &c.dx, &c.dgain, &c.dbias}) {
        for (const float value : *values) hash.add(value);
      }
    }
  }
  CHECK(hash.value() == 0xf54695e60f732e5du);
}
