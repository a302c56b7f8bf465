#include "kernels/cross_entropy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/cross_entropy.h"
#include "reference/gradient.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Case {
  int64_t rows, n_classes;
  std::vector<float> logits, weight, dloss;
  std::vector<int32_t> target;
  CrossEntropyOptions options;
  double loss = 7;  // outputs from here
  std::vector<float> log_probs, losses, dlogits;

  Case(int64_t rows, int64_t n_classes, Reduction reduction, float smoothing, bool weighted, bool ignored)
      : rows(rows), n_classes(n_classes) {
    Draws draws(static_cast<uint64_t>(rows * 100 + n_classes));
    logits = draws.normals(rows * n_classes, 2);
    for (int64_t i = 0; i < rows; ++i) {
      target.push_back(static_cast<int32_t>(draws.bits() % static_cast<uint64_t>(n_classes)));
    }
    if (ignored && rows > 1) target[1] = -100;
    if (weighted) {
      for (int64_t c = 0; c < n_classes; ++c) weight.push_back(static_cast<float>(0.25 + draws.uniform()));
    }
    options.reduction = reduction;
    options.label_smoothing = smoothing;
    dloss = draws.normals(reduction == Reduction::kNone ? rows : 1);
  }

  Case& run() {
    if (!weight.empty()) options.weight = {weight.data(), {n_classes}};
    log_probs.assign(logits.size(), 7.0f);
    losses.assign(target.size(), 7.0f);
    dlogits.assign(logits.size(), 7.0f);
    const Shape shape{rows, n_classes};
    const IndexView y(target.data(), {rows});
    loss = cross_entropy_forward({logits.data(), shape}, y, options, {log_probs.data(), shape},
                                 {losses.data(), {rows}});
    cross_entropy_backward({log_probs.data(), shape}, y, options,
                           {dloss.data(), {static_cast<int64_t>(dloss.size())}}, {dlogits.data(), shape});
    return *this;
  }

  CrossEntropy exact() const {
    return {static_cast<size_t>(n_classes),
            target,
            weight.empty() ? std::vector<double>(static_cast<size_t>(n_classes), 1.0) : widen(weight),
            options.label_smoothing,
            options.ignore_index,
            options.reduction};
  }
};

template <class Check>
void each_option(const std::vector<int64_t>& class_counts, Check check) {
  for (const int64_t n_classes : class_counts) {
    for (const Reduction reduction : {Reduction::kNone, Reduction::kMean, Reduction::kSum}) {
      for (const float smoothing : {0.0f, 0.1f, 1.0f}) {
        for (int bits = 0; bits < 4; ++bits) {
          CAPTURE(n_classes);
          CAPTURE(smoothing);
          Case c(5, n_classes, reduction, smoothing, bits & 1, bits & 2);
          check(c.run());
        }
      }
    }
  }
}

std::vector<int64_t> up_to(int64_t n) {
  std::vector<int64_t> counts;
  for (int64_t i = 1; i <= n; ++i) counts.push_back(i);
  return counts;
}

}  // namespace

TEST_CASE("cross_entropy: losses and gradients, with every option and number of classes") {
  each_option(up_to(33), [](const Case& c) {
    const CrossEntropy exact = c.exact();
    const std::vector<double> losses = exact.losses(widen(c.logits));
    const double tolerance = 3 * 0x1p-24 * std::max(1.0, max_abs(losses));
    CHECK(compare(c.losses, losses).absolute <= tolerance);
    double sum = 0;
    for (const double loss : losses) sum += loss;
    CHECK(std::fabs(c.loss - sum / exact.divisor()) <= 5 * tolerance);
    const std::vector<double> dlogits = exact.gradient(widen(c.logits), widen(c.dloss));
    CHECK(compare(c.dlogits, dlogits).absolute <= 8 * 0x1p-24 * max_abs(widen(c.dloss)));
  });
}

TEST_CASE("cross_entropy_backward agrees with central differences and is the transpose of the derivative") {
  each_option({2, 5, 9}, [](const Case& c) {
    const CrossEntropy exact = c.exact();
    const auto f = [&exact](const std::vector<double>& logits) { return exact.loss(logits); };
    const std::vector<double> expected = central_differences(f, widen(c.logits), widen(c.dloss));
    CHECK(compare(c.dlogits, expected).absolute <= 1e-8 + 8 * 0x1p-24 * max_abs(widen(c.dloss)));
    const std::vector<double> v = widen(Draws(3).normals(5 * c.n_classes));
    CHECK(dot(widen(c.dloss), exact.tangent(widen(c.logits), v)) ==
          doctest::Approx(dot(widen(c.dlogits), v)).epsilon(1e-6).scale(10));
  });
}

TEST_CASE("cross_entropy of many classes and of large logits") {
  for (const float spread : {0.01f, 10.0f, 1e4f, 1e30f}) {
    CAPTURE(spread);
    Case c(3, 5000, Reduction::kMean, 0, false, false);
    for (float& x : c.logits) x *= spread;
    c.run();
    double sum = 0;
    for (int64_t i = 0; i < 3; ++i) {  // the loss, not by log p, which is -inf here
      const auto row = c.logits.begin() + i * 5000;
      const double largest = *std::max_element(row, row + 5000);
      double exps = 0;
      for (auto x = row; x < row + 5000; ++x) exps += std::exp(*x - largest);
      sum += largest - row[c.target[static_cast<size_t>(i)]] + std::log(exps);
    }
    CHECK(c.loss == doctest::Approx(sum / 3).epsilon(2e-7));
  }
}

TEST_CASE("cross_entropy by hand, and a uniform guess costs log n") {
  Case c(1, 2, Reduction::kSum, 0, false, false);
  c.logits = {0, 0};
  c.target = {1};
  c.dloss = {1};
  c.run();
  CHECK(c.loss == doctest::Approx(std::log(2)).epsilon(1e-7));
  CHECK(c.dlogits == std::vector<float>{0.5f, -0.5f});
}

TEST_CASE("cross_entropy: rows that are ignored count nothing, whatever they hold") {
  for (const float smoothing : {0.0f, 0.3f}) {
    Case clean(4, 6, Reduction::kMean, smoothing, true, false), c = clean;
    c.logits.insert(c.logits.end(), {NAN, INFINITY, 1, 2, 3, -INFINITY});
    c.target.push_back(2);
    c.rows = 5;
    c.target[4] = c.options.ignore_index = 77;
    clean.run();
    c.run();
    CHECK(c.loss == clean.loss);
    CHECK(c.losses[4] == 0);
    CHECK(same_bits({c.dlogits.begin() + 24, c.dlogits.end()}, std::vector<float>(6, 0.0f)));
    CHECK(same_bits({c.dlogits.begin(), c.dlogits.begin() + 24}, clean.dlogits));
    // A class can be the ignored one.
    Case by_class(5, 6, Reduction::kMean, smoothing, true, false);
    by_class.options.ignore_index = by_class.target[0];
    CHECK(by_class.run().losses[0] == 0);
    CHECK(by_class.loss == doctest::Approx(by_class.exact().loss(widen(by_class.logits))[0]).epsilon(1e-6));
  }
}

TEST_CASE("cross_entropy of no rows, and of ignored rows only") {
  for (const bool ignored : {false, true}) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kSum, Reduction::kNone}) {
      Case c(ignored ? 2 : 0, 3, reduction, 0.1f, false, false);
      if (ignored) c.target = {-100, -100};
      c.run();
      CHECK((reduction == Reduction::kMean ? std::isnan(c.loss) : c.loss == 0));
      CHECK(same_bits(c.dlogits, std::vector<float>(c.logits.size(), 0.0f)));
    }
  }
}

TEST_CASE("cross_entropy: NaN and infinity stay in their row; -inf is a class that cannot be") {
  for (const float bad : {NAN, INFINITY}) {
    Case c(3, 7, Reduction::kNone, 0.1f, false, false), clean = c;
    c.logits[7 + 3] = bad;
    c.run();
    clean.run();
    CHECK(std::isnan(c.losses[1]));
    CHECK(same_bits({c.losses[0], c.losses[2]}, {clean.losses[0], clean.losses[2]}));
    for (size_t i = 0; i < 21; ++i) CHECK(std::isnan(c.dlogits[i]) == (i / 7 == 1));
  }
  Case c(1, 3, Reduction::kSum, 0, false, false);
  c.logits = {0, -INFINITY, 0};
  c.target = {0};
  c.dloss = {1};
  c.run();
  CHECK(c.loss == doctest::Approx(std::log(2)).epsilon(1e-7));
  CHECK(c.dlogits == std::vector<float>{-0.5f, 0, 0.5f});
  c.target = {1};
  CHECK(c.run().loss == INFINITY);
}

TEST_CASE("cross_entropy: a row alone, in place, at any address; losses are optional") {
  for (int64_t n_classes = 1; n_classes <= 33; ++n_classes) {
    Case c(3, n_classes, Reduction::kNone, 0.2f, true, false);
    c.run();
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t shift = i + 1;
      const auto part = [&](const std::vector<float>& x) {
        return std::vector<float>(x.begin() + i * n_classes, x.begin() + (i + 1) * n_classes);
      };
      GuardedBuffer row(part(c.logits), shift), weight(c.weight, shift), loss(1, shift);
      const View view(row.data(), {n_classes});
      const IndexView y(&c.target[static_cast<size_t>(i)], Shape{});
      CrossEntropyOptions options = c.options;
      options.weight = {weight.data(), {n_classes}};
      cross_entropy_forward(view, y, options, view, {loss.data(), Shape{}});
      CHECK(same_bits(row.values(), part(c.log_probs)));
      CHECK(same_bits(loss.values(), {c.losses[static_cast<size_t>(i)]}));
      cross_entropy_backward(view, y, options, {&c.dloss[static_cast<size_t>(i)], Shape{}}, view);
      CHECK(same_bits(row.values(), part(c.dlogits)));
      CHECK((row.intact() && loss.intact()));
    }
    std::vector<float> log_probs(c.logits.size());
    const Shape shape{3, n_classes};
    CHECK(cross_entropy_forward({c.logits.data(), shape}, {c.target.data(), {3}}, c.options,
                                {log_probs.data(), shape}, {}) == c.loss);
  }
}

TEST_CASE(
    "cross_entropy: targets, smoothing and shapes that do not fit are refused, and nothing is written") {
  std::vector<float> x(12, 1.0f), out(12, 7.0f), losses(3, 7.0f), dloss(3, 1.0f);
  const std::vector<int32_t> good = {0, 3, 2};
  const auto refuse = [&](std::vector<int32_t> target, CrossEntropyOptions options) {
    const IndexView y(target.data(), {3});
    const Shape shape{3, 4};
    CHECK_THROWS_AS(
        cross_entropy_forward({x.data(), shape}, y, options, {out.data(), shape}, {losses.data(), {3}}),
        sqrtdk::Error);
    CHECK_THROWS_AS(
        cross_entropy_backward({x.data(), shape}, y, options, {dloss.data(), {1}}, {out.data(), shape}),
        sqrtdk::Error);
  };
  refuse({4, 1, 2}, {});
  refuse({0, 1, 4}, {});
  refuse({0, -1, 2}, {});
  for (const float smoothing : {-0.1f, 1.5f, NAN}) {
    CrossEntropyOptions options;
    options.label_smoothing = smoothing;
    refuse(good, options);
  }
  CrossEntropyOptions options;
  options.weight = {x.data(), {3}};
  refuse(good, options);
  const auto refuse_shapes = [&](Shape logits, Shape target, Shape log_probs, Shape each) {
    CHECK_THROWS_AS(cross_entropy_forward({x.data(), logits}, {good.data(), target}, {},
                                          {out.data(), log_probs}, {losses.data(), each}),
                    ShapeError);
  };
  refuse_shapes(Shape{}, Shape{}, Shape{}, Shape{});
  refuse_shapes({3, 4}, {3, 1}, {3, 4}, {3});
  refuse_shapes({3, 4}, {3}, {4, 3}, {3});
  refuse_shapes({3, 4}, {3}, {3, 4}, {1});
  const auto refuse_backward = [&](Reduction reduction, Shape dloss_shape, Shape dlogits) {
    CrossEntropyOptions options;
    options.reduction = reduction;
    CHECK_THROWS_AS(cross_entropy_backward({x.data(), {3, 4}}, {good.data(), {3}}, options,
                                           {dloss.data(), dloss_shape}, {out.data(), dlogits}),
                    ShapeError);
  };
  refuse_backward(Reduction::kMean, {3}, {3, 4});
  refuse_backward(Reduction::kNone, {1}, {3, 4});
  refuse_backward(Reduction::kSum, {1}, {12});
  CHECK(out == std::vector<float>(12, 7.0f));
  CHECK(losses == std::vector<float>(3, 7.0f));
}
