#include "training/adafactor.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reference/compare.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// A matrix in double, as the paper's algorithm 4 writes it, with sums and ones; a vector as algorithm 5.
struct Matrix {
  size_t n_rows, n_cols;
  std::vector<double> w, rows, cols, v;

  Matrix(size_t down, size_t across, const std::vector<float>& values)
      : n_rows(down),
        n_cols(across),
        w(values.begin(), values.end()),
        rows(down),
        cols(across),
        v(w.size()) {}

  static double rms(const std::vector<double>& x) {
    double squares = 0;
    for (const double each : x) squares += each * each;
    return std::sqrt(squares / static_cast<double>(x.size()));
  }

  void step(const std::vector<float>& g, int t, double rate, double decay) {
    const double beta = 1 - std::pow(t, -0.8),
                 alpha = std::max(1e-3, rms(w)) * std::min(rate, 1 / std::sqrt(t));
    std::vector<double> squares;
    for (const float x : g) squares.push_back(static_cast<double>(x) * static_cast<double>(x) + 1e-30);
    if (n_cols > 1) {
      double all = 0;
      for (size_t i = 0; i < n_rows; ++i) {
        double sum = 0;
        for (size_t j = 0; j < n_cols; ++j) sum += squares[i * n_cols + j];
        rows[i] = beta * rows[i] + (1 - beta) * sum;
        all += rows[i];
      }
      for (size_t j = 0; j < n_cols; ++j) {
        double sum = 0;
        for (size_t i = 0; i < n_rows; ++i) sum += squares[i * n_cols + j];
        cols[j] = beta * cols[j] + (1 - beta) * sum;
      }
      for (size_t k = 0; k < v.size(); ++k) v[k] = rows[k / n_cols] * cols[k % n_cols] / all;
    } else {
      for (size_t k = 0; k < v.size(); ++k) v[k] = beta * v[k] + (1 - beta) * squares[k];
    }
    std::vector<double> u;
    for (size_t k = 0; k < v.size(); ++k) u.push_back(static_cast<double>(g[k]) / std::sqrt(v[k]));
    const double clip = std::max(1.0, rms(u));
    for (size_t k = 0; k < v.size(); ++k) w[k] += -rate * decay * w[k] - alpha * u[k] / clip;
  }
};

// Three matrices and a vector.
struct Layer {
  Parameters parameters;
  Layer() {
    parameters.add("a", {6, 5});
    parameters.add("b", {7});
    parameters.add("c", {4, 8});
    parameters.add("d", {3, 2});
    parameters.allocate();
    Draws draws(11);
    for (float& value : parameters.values()) value = draws.normal();
  }
  std::vector<float> values(int64_t first, int64_t n) const {
    const std::span<const float> all = parameters.values();
    return {all.begin() + first, all.begin() + first + n};
  }
};

OptimizerConfig config_of(double rate, double decay) {
  OptimizerConfig config;
  config.kind = OptimizerKind::kAdafactor;
  config.learning_rate = rate;
  config.weight_decay = decay;
  return config;
}

void check(double rate, double decay) {
  Layer layer;
  const auto offset = [&](int i) { return layer.parameters.list()[static_cast<size_t>(i)].offset; };
  Matrix top(4, 5, layer.values(offset(0), 20)), bottom(2, 5, layer.values(offset(0) + 20, 10)),
      vector(7, 1, layer.values(offset(1), 7)), other(4, 8, layer.values(offset(2), 32)),
      narrow(3, 2, layer.values(offset(3), 6));
  const std::pair<Matrix*, int64_t> parts[] = {{&top, offset(0)},
                                               {&bottom, offset(0) + 20},
                                               {&vector, offset(1)},
                                               {&other, offset(2)},
                                               {&narrow, offset(3)}};
  Optimizer optimizer(layer.parameters, config_of(rate, decay));
  optimizer.set_groups({{0, 4, 2}});
  Draws draws(3);
  for (int t = 1; t <= 5; ++t) {
    for (float& gradient : layer.parameters.gradients()) gradient = 0.01f * draws.normal();
    const std::span<float> gradients = layer.parameters.gradients();
    for (const auto& [part, first] : parts) {
      const auto n = static_cast<int64_t>(part->w.size());
      part->step({gradients.begin() + first, gradients.begin() + first + n}, t, rate, decay);
    }
    CHECK(optimizer.step());
    for (const auto& [part, first] : parts) {
      CHECK(compare(layer.values(first, static_cast<int64_t>(part->w.size())), part->w).absolute < 1e-6);
    }
  }
}

}  // namespace

TEST_CASE("Adafactor follows its paper's formulas in double, each group's rows a matrix of their own") {
  for (const double rate : {0.01, 0.9}) {
    for (const double decay : {0.0, 0.1}) check(rate, decay);
  }
}

TEST_CASE(
    "Adafactor's steps are relative: a matrix 8 times smaller with gradients 8 times larger moves alike") {
  Layer one, other;
  for (float& value : other.parameters.values()) value /= 8;
  Optimizer a(one.parameters, config_of(0.01, 0.02)), b(other.parameters, config_of(0.01, 0.02));
  const StepFactors factors{.epsilon = 64, .least_size = 1.0 / 8};
  b.set_groups({{0, 0, 6, factors}, {1, 0, 7, factors}, {2, 0, 4, factors}, {3, 0, 3, factors}});
  Draws draws(5);
  for (int t = 1; t <= 4; ++t) {
    for (size_t i = 0; i < one.parameters.gradients().size(); ++i) {
      const float gradient = i < 30 && t == 1 ? 0.0f : draws.normal();
      one.parameters.gradients()[i] = gradient;
      other.parameters.gradients()[i] = 8 * gradient;
    }
    a.step(), b.step();
  }
  for (size_t i = 0; i < one.parameters.values().size(); ++i) {
    CHECK(one.parameters.values()[i] == 8 * other.parameters.values()[i]);
  }
}

TEST_CASE("Adafactor goes on where a checkpoint left it") {
  TrainerConfig config = small_trainer();
  config.optimizer = config_of(0.05, 0);
  Trainer straight(config), paused(config), restored(config);
  const double first = straight.step().loss;
  paused.step();
  restored.restore(paused.save());
  double last = first;
  for (int i = 0; i < 60; ++i) last = straight.step().loss, restored.step();
  CHECK(straight.weight_hash() == restored.weight_hash());
  CHECK(last < 0.8 * first);
}
