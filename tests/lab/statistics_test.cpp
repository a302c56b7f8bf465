#include "lab/statistics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lab/histogram.h"

namespace sqrtdk {
namespace {

TEST_CASE("moments: exact small cases, stable far from zero") {
  Moments moments;
  CHECK(std::isnan(moments.variance()));
  for (const double x : {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}) moments.add(x);
  CHECK(moments.mean() == 1e9 + 10);
  CHECK(moments.variance() == 30);
  CHECK(moments.se() == doctest::Approx(std::sqrt(30.0 / 4)));
  Moments one;
  one.add(3);
  CHECK(std::isnan(one.variance()));
}

TEST_CASE("quantile: linear between order statistics") {
  std::vector<double> values = {5, 1, 4, 2, 3};
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 0.5) == 3);
  CHECK(quantile(values, 1) == 5);
  CHECK(quantile(values, 0.1) == doctest::Approx(1.4));
  CHECK(quantile(values, 0.9) == doctest::Approx(4.6));
  std::vector<double> one = {7}, none;
  CHECK(quantile(one, 0.9) == 7);
  CHECK(std::isnan(quantile(none, 0.5)));
  std::vector<double> unknown(100, std::nan(""));  // which no order holds together
  for (size_t i = 0; i < unknown.size(); i += 2) unknown[i] = static_cast<double>(i);
  for (const double p : {0.0, 0.1, 0.5, 1.0}) CHECK(std::isnan(quantile(unknown, p)));
}

TEST_CASE("quantile: of shuffled values, those of a sorted copy") {
  for (size_t n = 1; n <= 1000; n = n < 40 ? n + 1 : n + 37) {
    std::vector<double> shuffled(n);
    // 7919 is a prime beyond 1000: a permutation of 0 .. n - 1, each with a fraction of its own.
    for (size_t i = 0; i < n; ++i) shuffled[i] = std::sqrt(static_cast<double>((i * 7919 + 3) % n));
    std::vector<double> sorted = shuffled;
    std::sort(sorted.begin(), sorted.end());
    for (const double p : {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.9, 0.999, 1.0}) {
      const double place = p * static_cast<double>(n - 1);
      const auto low = static_cast<size_t>(place);
      const double next = sorted[std::min(low + 1, n - 1)];
      std::vector<double> values = shuffled;
      CAPTURE(n);
      CAPTURE(p);
      CHECK(quantile(values, p) ==
            doctest::Approx(sorted[low] + (place - static_cast<double>(low)) * (next - sorted[low]))
                .epsilon(1e-12));
    }
  }
}

TEST_CASE("summary and share") {
  std::vector<double> values = {3, 1, 2};
  const Scalar scalar = summary("x", {{"d", "8"}}, values);
  CHECK(scalar.value == 2);
  CHECK(scalar.std == 1);
  CHECK(scalar.se == doctest::Approx(1 / std::sqrt(3)));
  CHECK(scalar.p50 == 2);
  CHECK(std::isnan(scalar.expected));
  CHECK(share("x", {}, 25, 100).value == 0.25);
  CHECK(share("x", {}, 25, 100).se == doctest::Approx(std::sqrt(0.25 * 0.75 / 100)));
}

TEST_CASE("softmax_shape: against sums of library exponentials") {
  const float scores[] = {0.5f, -1.25f, 3, 2.5f};
  for (const double scale : {1.0, 0.125, -2.0}) {
    double sum = 0, entropy = 0, largest = 0, smallest = 1;
    for (const float x : scores) sum += std::exp(scale * static_cast<double>(x));
    for (const float x : scores) {
      const double p = std::exp(scale * static_cast<double>(x)) / sum;
      entropy -= p * std::log(p);
      largest = std::fmax(largest, p);
      smallest = std::fmin(smallest, p);
    }
    const SoftmaxShape shape = softmax_shape(scores, 4, scale);
    CHECK(shape.max == doctest::Approx(largest).epsilon(1e-14));
    CHECK(shape.min == doctest::Approx(smallest).epsilon(1e-14));
    CHECK(shape.entropy == doctest::Approx(entropy).epsilon(1e-13));
    CHECK(shape.effective_keys == doctest::Approx(std::exp(entropy)).epsilon(1e-13));
  }
}

TEST_CASE("softmax_shape: weights far below float are seen") {
  const float scores[] = {0, -138, 0};
  const SoftmaxShape shape = softmax_shape(scores, 3);
  CHECK(shape.min == doctest::Approx(std::exp(-138.0) / 2).epsilon(1e-13).scale(0));  // 6e-61
  CHECK(shape.max == 0.5);
  CHECK(shape.effective_keys == doctest::Approx(2));
  const float one[] = {5};
  CHECK(softmax_shape(one, 1).max == 1);
  CHECK(softmax_shape(one, 1).entropy == 0);
}

TEST_CASE("histogram: densities integrate to the share inside; standard errors are of means over trials") {
  Histogram histogram(0, 4, 4);
  const float first[] = {0.5f, 0.5f, 1.5f, 9}, second[] = {0, 3.5f, -1, 4};
  histogram.add_trial(first, 4);
  histogram.add_trial(second, 4);
  CHECK(histogram.size() == 4);
  CHECK(histogram.centre(0) == 0.5);
  CHECK(histogram.density(0) == 3.0 / 8);
  CHECK(histogram.density(1) == 1.0 / 8);
  CHECK(histogram.density(2) == 0);
  CHECK(histogram.density(3) == 1.0 / 8);
  // Bin 0 counts 2 and 1 of 4: variance 1/2, se of the mean 1/2, of the density 1/8.
  CHECK(histogram.se(0) == doctest::Approx(0.125));
  CHECK(histogram.se(2) == 0);
}

TEST_CASE("text: numbers as text and back") {
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(1000000.0) == "1000000");
  CHECK(shortest(1.0 / 3) == "0.3333333333333333");
  CHECK(shortest(1e300) == "1e+300");
  CHECK(shortest(-0.0) == "0");
  CHECK(shortest(0.1f) == "0.1");
  CHECK(shortest(std::nextafter(1.0f, 2.0f)) == "1.0000001");
  CHECK(fixed(0.4905, 3) == "0.490");  // the double is below
  CHECK(fixed(0.0005, 3) == "0.001");  // above: as Python's f"{x:.3f}"
  CHECK(fixed(std::nan(""), 3) == "nan");
  CHECK(fixed(-std::nan(""), 3) == "nan");
  CHECK(fixed(-HUGE_VAL, 3) == "-inf");
}

}  // namespace
}  // namespace sqrtdk
