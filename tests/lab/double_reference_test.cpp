#include "lab/double_reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace sqrtdk::exact {
namespace {

double off(const Doubles& a, const Doubles& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

TEST_CASE("double reference: matrices") {
  const Doubles a = {1, 2, 3, 4, 5, 6};
  CHECK(transposed(a, 2, 3) == Doubles{1, 4, 2, 5, 3, 6});
  CHECK(product(a, {1, 0, 2, -1, 0, 3}, 2, 3, 2) == Doubles{5, 7, 14, 13});
  const float x[] = {0.5f, -3};
  CHECK(of(x) == Doubles{0.5, -3});
}

TEST_CASE("double reference: the standard library's functions") {
  for (const double x : {-2.0, -0.5, 0.0, 1e-3, 1.0, 1.9}) {
    CHECK(erf(x) == doctest::Approx(std::erf(x)).epsilon(1e-14));
    CHECK(tanh(x) == doctest::Approx(std::tanh(x)).epsilon(1e-12));
  }
}

TEST_CASE("double reference: softmax and its logarithm, each row by itself, at any height") {
  const Doubles x = {std::log(1.0), std::log(2.0), std::log(5.0), 1000, 1000, 1000 + std::log(2.0)};
  const Doubles p = {0.125, 0.25, 0.625, 0.25, 0.25, 0.5};
  Doubles logs;
  for (const double each : p) logs.push_back(std::log(each));
  CHECK(off(softmax(x, 3), p) < 1e-13);
  CHECK(off(log_softmax(x, 3), logs) < 1e-12);
}

TEST_CASE("double reference: gradients are those of central differences") {
  const int64_t n_q = 2, n_k = 3, d_v = 2;
  const Doubles scores = {0.3, -1, 0.5, 2, 0, -0.25}, v = {1, -2, 0.5, 3, -1, 0.25},
                dout = {0.5, -1, 2, 0.25};
  const Attended all = attend(scores, v, dout, n_q, n_k, d_v);
  CHECK(off(all.weights, softmax(scores, n_k)) == 0);
  CHECK(off(all.out, product(all.weights, v, n_q, n_k, d_v)) == 0);
  const auto loss = [&](const Doubles& scores, const Doubles& v) {
    const Doubles out = product(softmax(scores, n_k), v, n_q, n_k, d_v);
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) sum += out[i] * dout[i];
    return sum;
  };
  Doubles dscores, dv;
  for (size_t i = 0; i < scores.size(); ++i) {
    Doubles up = scores, down = scores;
    up[i] += 1e-5, down[i] -= 1e-5;
    dscores.push_back((loss(up, v) - loss(down, v)) / 2e-5);
    up = down = v;
    up[i] += 1e-5, down[i] -= 1e-5;
    dv.push_back((loss(scores, up) - loss(scores, down)) / 2e-5);
  }
  CHECK(off(all.dscores, dscores) < 1e-9);
  CHECK(off(all.dv, dv) < 1e-9);
  const Doubles dweights = product(dout, transposed(v, n_k, d_v), n_q, d_v, n_k);
  CHECK(off(softmax_backward(all.weights, dweights, n_k), all.dscores) == 0);
}

}  // namespace
}  // namespace sqrtdk::exact
