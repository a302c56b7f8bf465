#include "lab/attention_row.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/attention/attention.h"
#include "lab/sampling.h"
#include "layers/layer.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

constexpr int64_t kD = 6, kKeys = 5, kWidth = AttentionRow::kWidth;
constexpr RowLoss kLosses[] = {RowLoss::kWeights, RowLoss::kValues, RowLoss::kCrossEntropy,
                               RowLoss::kLogWeight};

std::vector<double> softmax(std::vector<double> x) {
  double sum = 0;
  for (double& each : x) sum += each = std::exp(each);
  for (double& each : x) each /= sum;
  return x;
}

/// The numbers of a trial, drawn as the header says, and the loss as its formula.
struct Case {
  Case(RowLoss which, uint64_t seed, uint64_t trial) : loss(which) {
    const uint64_t stream = uint64_t{kD} << 32 | trial;
    const bool values = which == RowLoss::kValues || which == RowLoss::kCrossEntropy;
    rows.resize((kKeys + 1) * kD), own.resize(values ? (kKeys + 1) * kWidth : kKeys);
    philox_normal(seed, stream, 0, rows.data(), static_cast<int64_t>(rows.size()));
    philox_normal(seed, stream_of("loss") + stream, 0, own.data(), static_cast<int64_t>(own.size()));
    float uniform = 0;
    philox_uniform(seed, stream_of("target") + stream, 0, &uniform, 1);
    target =
        static_cast<size_t>(uniform * static_cast<float>(which == RowLoss::kCrossEntropy ? kWidth : kKeys));
  }
  double of_scores(const std::vector<double>& s) const {
    const std::vector<double> p = softmax(s);
    if (loss == RowLoss::kLogWeight) return -std::log(p[target]);
    double sum = 0;
    if (loss == RowLoss::kWeights) {
      for (size_t j = 0; j < p.size(); ++j) sum += own[j] * p[j];
      return sum;
    }
    std::vector<double> out(kWidth);
    for (size_t j = 0; j < p.size(); ++j) {
      for (size_t l = 0; l < kWidth; ++l) out[l] += p[j] * own[(j + 1) * kWidth + l];
    }
    if (loss == RowLoss::kCrossEntropy) return -std::log(softmax(out)[target]);
    for (size_t l = 0; l < kWidth; ++l) sum += own[l] / 4 * out[l];
    return sum;
  }
  std::vector<double> scores(const std::vector<double>& q, double scale) const {
    std::vector<double> s(kKeys);
    for (size_t j = 0; j < kKeys; ++j) {
      for (size_t l = 0; l < kD; ++l) s[j] += scale * q[l] * rows[(j + 1) * kD + l];
    }
    return s;
  }
  std::vector<double> q() const { return {rows.begin(), rows.begin() + kD}; }

  RowLoss loss;
  std::vector<float> rows, own;
  size_t target = 0;
};

std::vector<double> differences(std::vector<double> x, const std::function<double(std::vector<double>)>& f) {
  constexpr double kStep = 1e-5;
  std::vector<double> gradient;
  for (double& each : x) {
    const double at = each;
    each = at + kStep;
    const double above = f(x);
    each = at - kStep;
    gradient.push_back((above - f(x)) / (2 * kStep));
    each = at;
  }
  return gradient;
}

double norm(const std::vector<double>& x) {
  double squares = 0;
  for (const double each : x) squares += each * each;
  return std::sqrt(squares);
}

TEST_CASE("attention_row: each loss's gradient is that of central differences") {
  for (const RowLoss loss : kLosses) {
    AttentionRow row(kD, kKeys, loss);
    for (uint64_t trial = 0; trial < 20; ++trial) {
      for (const double scale : {1.0, 0.25, -0.5}) {
        CAPTURE(static_cast<int>(loss));
        CAPTURE(trial);
        CAPTURE(scale);
        const Case expected(loss, 7, trial);
        row.draw(7, static_cast<int64_t>(trial));
        const AttentionRow::Norms norms = row.gradient(scale);
        const std::vector<double> scores = expected.scores(expected.q(), scale);
        for (size_t j = 0; j < kKeys; ++j) {
          CHECK(scale * row.scores()[j] == doctest::Approx(scores[j]).epsilon(1e-5));
        }
        const std::vector<double> dscores =
            differences(scores, [&](const auto& s) { return expected.of_scores(s); });
        for (size_t j = 0; j < kKeys; ++j) {
          CHECK(std::fabs(row.dscores()[j] - dscores[j]) < 2e-6 * (1 + norm(dscores)));
        }
        CHECK(std::fabs(norms.scores - norm(dscores)) < 2e-6 * (1 + norm(dscores)));
        const double dq = norm(differences(
            expected.q(), [&](const auto& q) { return expected.of_scores(expected.scores(q, scale)); }));
        CHECK(std::fabs(norms.q - dq) < 2e-6 * (1 + dq));
      }
    }
  }
}

TEST_CASE("attention_row: what the library's attention passes back") {
  constexpr float kScale = 0.4f;
  const Case given(RowLoss::kValues, 3, 0);
  float dout[kWidth], scores[kKeys], weights[kKeys], out[kWidth], dscores[kKeys], dq[kD], dk[kKeys * kD],
      dv[kKeys * kWidth];
  for (size_t l = 0; l < kWidth; ++l) dout[l] = given.own[l] / 4;
  const ConstView q(given.rows.data(), {1, 1, kD}), k(given.rows.data() + kD, {1, kKeys, kD}),
      v(given.own.data() + kWidth, {1, kKeys, kWidth});
  AttentionOptions options;
  options.scale = kScale;
  const Shape pairs{1, 1, kKeys};
  attention_forward(q, k, v, options, {scores, pairs}, {weights, pairs}, {out, {1, 1, kWidth}});
  attention_backward(q, k, v, options, {scores, pairs}, {weights, pairs}, {dout, {1, 1, kWidth}},
                     {dscores, pairs}, {dq, {1, 1, kD}}, {dk, {1, kKeys, kD}}, {dv, {1, kKeys, kWidth}});
  AttentionRow row(kD, kKeys, RowLoss::kValues);
  row.draw(3, 0);
  const AttentionRow::Norms norms = row.gradient(static_cast<double>(kScale));
  for (size_t j = 0; j < kKeys; ++j) {
    CHECK(static_cast<double>(weights[j]) == doctest::Approx(row.weights()[j]).epsilon(1e-5));
    CHECK(std::fabs(static_cast<double>(dscores[j]) - row.dscores()[j]) < 1e-6);
  }
  CHECK(norms.q == doctest::Approx(norm({dq, dq + kD})).epsilon(1e-5));
}

TEST_CASE("attention_row: the scores of sample_scores") {
  ProgressMeter meter("test");
  AttentionRow row(32, 8, RowLoss::kWeights);
  int64_t trial = 0;
  sample_scores({}, 5, 32, 8, 20, meter, [&](const float* scores) {
    row.draw(5, trial++);
    CHECK(row.scores() == std::vector<float>(scores, scores + 8));
  });
}

TEST_CASE("attention_row: a gradient far below what single precision can see") {
  AttentionRow row(512, 8, RowLoss::kWeights);
  double least = 1;
  for (int64_t trial = 0; trial < 50; ++trial) {
    row.draw(0, trial);
    const AttentionRow::Norms norms = row.gradient(8);
    CHECK(norms.q > 0);
    double sum = 0;
    for (const double x : row.dscores()) sum += x;
    CHECK(std::fabs(sum) < 1e-12 * norms.scores);  // nothing is lost beside a weight of 1
    least = std::min(least, norms.q);
  }
  CHECK(least < 1e-60);
  row.draw(0, 0);
  CHECK(row.gradient(0).q == 0);
  AttentionRow single(4, 1, RowLoss::kLogWeight);
  single.draw(0, 0);
  CHECK(single.gradient(1).scores == 0);
}

TEST_CASE("attention_row: a trial takes as long as its draws at least, and longer with each key and scale") {
  const auto work = AttentionRow::work;
  CHECK(work(512, 8, 3) > 9 * 512 + 8 * kWidth);
  CHECK(work(512, 9, 3) - work(512, 8, 3) > 512 + kWidth);
  CHECK(work(512, 8, 4) > work(512, 8, 3));
  CHECK(work(1024, 8, 3) < 2 * work(512, 8, 3));
}

}  // namespace
}  // namespace sqrtdk
