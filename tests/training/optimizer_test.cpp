#include "training/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

OptimizerConfig make(OptimizerKind kind) {
  OptimizerConfig config;
  config.kind = kind;
  config.learning_rate = 0.05;
  return config;
}

// One element in double, as the documentation of torch.optim writes it.
struct Element {
  double w, m = 0, v = 0;

  void step(const OptimizerConfig& c, double g, int t) {
    if (c.kind == OptimizerKind::kAdamW) {
      w -= c.learning_rate * c.weight_decay * w;
    } else {
      g += c.weight_decay * w;
    }
    if (c.kind == OptimizerKind::kSgd) {
      m = t == 1 ? g : c.momentum * m + (1 - c.dampening) * g;
      const double direction = c.momentum == 0 ? g : c.nesterov ? g + c.momentum * m : m;
      w -= c.learning_rate * direction;
    } else if (c.kind == OptimizerKind::kAdagrad) {
      m += g * g;
      w -= c.learning_rate / (1 + (t - 1) * c.rate_decay) * g / (std::sqrt(m) + c.epsilon);
    } else {
      m = c.beta1 * m + (1 - c.beta1) * g;
      v = c.beta2 * v + (1 - c.beta2) * g * g;
      const double m_hat = m / (1 - std::pow(c.beta1, t)), v_hat = v / (1 - std::pow(c.beta2, t));
      w -= c.learning_rate * m_hat / (std::sqrt(v_hat) + c.epsilon);
    }
  }
};

std::vector<OptimizerConfig> all_configs() {
  std::vector<OptimizerConfig> configs;
  for (const double decay : {0.0, 0.1}) {
    OptimizerConfig plain = make(OptimizerKind::kSgd);
    plain.weight_decay = decay;
    configs.push_back(plain);
    OptimizerConfig heavy = plain;
    heavy.momentum = 0.9;
    configs.push_back(heavy);
    OptimizerConfig dampened = heavy;
    dampened.dampening = 0.3;
    configs.push_back(dampened);
    OptimizerConfig nesterov = heavy;
    nesterov.nesterov = true;
    configs.push_back(nesterov);
    for (const OptimizerKind kind : {OptimizerKind::kAdam, OptimizerKind::kAdamW, OptimizerKind::kAdagrad}) {
      OptimizerConfig adaptive = make(kind);
      adaptive.weight_decay = decay;
      adaptive.beta1 = 0.8, adaptive.beta2 = 0.95, adaptive.epsilon = 1e-3, adaptive.rate_decay = 0.1;
      configs.push_back(adaptive);
    }
  }
  return configs;
}

// After `steps` steps with fresh gradients.
void check(const OptimizerConfig& config, int64_t n, int steps) {
  CAPTURE(static_cast<int>(config.kind));
  CAPTURE(n);
  Block block(n);
  std::vector<Element> expected;
  for (const float value : block.values()) expected.push_back({value});
  Optimizer optimizer(block.parameters, config);
  Draws draws(7);
  for (int t = 1; t <= steps; ++t) {
    block.draw_gradients(draws);
    const std::vector<float> gradients = block.gradients();
    for (size_t i = 0; i < expected.size(); ++i) expected[i].step(config, gradients[i], t);
    CHECK(optimizer.step());
    CHECK(optimizer.steps() == t);
    CHECK(same_bits(block.gradients(), gradients));
  }
  std::vector<double> exact, moment;
  for (const Element& element : expected) exact.push_back(element.w), moment.push_back(element.m);
  CHECK(compare(block.values(), exact).absolute < 1e-6);
  if (optimizer.n_moments() == 0) return;
  const std::span<const float> first = optimizer.moment(0);
  CHECK(compare({first.begin(), first.end()}, moment).absolute < 1e-5);
}

}  // namespace

TEST_CASE("every optimizer follows its formula in double") {
  for (const OptimizerConfig& config : all_configs()) check(config, 37, 6);
}

TEST_CASE("every tail is updated as the whole is, bit for bit") {
  for (const OptimizerConfig& config : all_configs()) {
    Block all(40);
    Optimizer whole(all.parameters, config);
    const std::vector<float> values = all.values(), gradients = all.gradients();
    whole.step(), whole.step();
    for (int64_t n = 0; n <= 33; ++n) {
      Block part(n);
      std::copy_n(values.begin(), n, part.parameters.values().begin());
      std::copy_n(gradients.begin(), n, part.parameters.gradients().begin());
      Optimizer optimizer(part.parameters, config);
      optimizer.step(), optimizer.step();
      const std::vector<float> expected = all.values();
      CHECK(same_bits(part.values(), {expected.begin(), expected.begin() + n}));
    }
  }
}

TEST_CASE("updates write nothing beside what they are given, at any alignment") {
  Draws draws(3);
  for (int64_t n = 1; n <= 9; ++n) {
    for (int64_t shift = 0; shift < 4; ++shift) {
      const std::vector<float> numbers = draws.normals(n);
      GuardedBuffer w(numbers, shift), g(numbers, shift), m(n, shift), v(n, shift), sum(n, shift);
      for (GuardedBuffer* zero : {&m, &v, &sum}) std::fill_n(zero->data(), n, 0.0f);
      const auto span = [n](GuardedBuffer& x) { return std::span<float>(x.data(), static_cast<size_t>(n)); };
      adam_update(span(w), span(g), span(m), span(v), {0.1, 0.9, 0.999, 1e-8});
      sgd_update(span(w), span(g), span(m), {0.1, 0.9});
      adagrad_update(span(w), span(g), span(sum), {0.1, 1e-8});
      for (const GuardedBuffer* buffer : {&w, &g, &m, &v, &sum}) CHECK(buffer->intact());
    }
  }
}

TEST_CASE("a gradient that is not finite changes nothing") {
  for (OptimizerConfig config : all_configs()) {
    for (const double wrong : {std::nan(""), kInfinity, -kInfinity}) {
      for (const int64_t place : {0, 10, 36}) {
        Block block(37);
        Optimizer optimizer(block.parameters, config);
        optimizer.step();
        const std::vector<float> before = block.values(), state = moments(optimizer);
        block.parameters.gradients()[static_cast<size_t>(place)] = static_cast<float>(wrong);
        const ValueError error = thrown_by<ValueError>([&] { optimizer.step(); });
        CHECK(error.code == ErrorCode::kNotFinite);
        const char* what = std::isnan(wrong) ? "NaN" : wrong > 0 ? "Infinity" : "-Infinity";
        const std::string where = place < 18 ? " in a, element " + std::to_string(place)
                                             : " in b, element " + std::to_string(place - 18);
        CHECK(error.got == what + where);
        config.non_finite = NonFinite::kSkip;
        Block again(37);
        Optimizer skipping(again.parameters, config);
        skipping.step();
        again.parameters.gradients()[static_cast<size_t>(place)] = static_cast<float>(wrong);
        CHECK_FALSE(skipping.step());
        for (const Optimizer* one : {&optimizer, &skipping}) {
          CHECK(one->steps() == 1);
          CHECK(same_bits(moments(*one), state));
        }
        CHECK(same_bits(block.values(), before));
        CHECK(same_bits(again.values(), before));
        config.non_finite = NonFinite::kThrow;
      }
    }
  }
}

TEST_CASE("restored moments and steps continue bit for bit") {
  for (const OptimizerConfig& config : all_configs()) {
    Block straight(20), paused(20);
    Optimizer one(straight.parameters, config), first(paused.parameters, config);
    for (int i = 0; i < 3; ++i) one.step(), first.step();
    Optimizer second(paused.parameters, config);
    for (int i = 0; i < first.n_moments(); ++i) {
      std::copy_n(first.moment(i).begin(), 20, second.moment(i).begin());
    }
    second.set_steps(first.steps());
    for (int i = 0; i < 3; ++i) one.step(), second.step();
    CHECK(same_bits(straight.values(), paused.values()));
    CHECK(same_bits(moments(one), moments(second)));
  }
}

TEST_CASE("a matrix of one row is stepped whole, as a vector is") {
  for (const OptimizerConfig& config : all_configs()) {
    Parameters row, vector;
    row.add("w", {1, 5}), vector.add("w", {5});
    for (Parameters* each : {&row, &vector}) {
      each->allocate();
      std::fill(each->values().begin(), each->values().end(), 1.0f);
      std::fill(each->gradients().begin(), each->gradients().end(), 0.5f);
    }
    Optimizer one(row, config), other(vector, config);
    one.step(), other.step();
    for (size_t i = 0; i < 5; ++i) {
      CHECK(row.values()[i] == vector.values()[i]);
      CHECK(row.values()[i] != 1);
    }
  }
}

TEST_CASE("moments are kept where there are any") {
  Block block(3);
  const auto count = [&](const OptimizerConfig& config) {
    return Optimizer(block.parameters, config).n_moments();
  };
  OptimizerConfig config = make(OptimizerKind::kSgd);
  config.momentum = 0;
  CHECK(count(config) == 0);
  config.momentum = 0.5;
  CHECK(count(config) == 1);
  CHECK(count(make(OptimizerKind::kAdagrad)) == 1);
  CHECK(count(make(OptimizerKind::kAdam)) == 2);
  CHECK(count(make(OptimizerKind::kAdafactor)) == 2);
}

TEST_CASE("rows in a group of their own have their own factors, and all others none") {
  for (const OptimizerConfig& config : all_configs()) {
    Block grouped(20), plain(20), faster(20);
    OptimizerConfig other = config;
    other.learning_rate *= 0.25, other.weight_decay *= 3, other.epsilon *= 2;
    Optimizer one(grouped.parameters, config), two(plain.parameters, config), three(faster.parameters, other);
    const StepFactors factors{.learning_rate = 0.25, .weight_decay = 3, .epsilon = 2};
    one.set_groups({{1, 4, 3, factors}, {0, 2, 5, factors}});  // elements 14 .. 16 and 2 .. 6
    for (int i = 0; i < 3; ++i) one.step(), two.step(), three.step();
    const std::vector<float> got = grouped.values(), same = plain.values(), changed = faster.values();
    for (size_t i = 0; i < 20; ++i) {
      const bool inside = (i >= 2 && i <= 6) || (i >= 14 && i <= 16);
      CHECK(got[i] == (inside ? changed[i] : same[i]));
    }
  }
  Block block(20);
  Optimizer optimizer(block.parameters, make(OptimizerKind::kAdam));
  for (const ParameterGroup& wrong : {ParameterGroup{0, 8, 3}, ParameterGroup{0, -1, 2},
                                      ParameterGroup{1, 0, 0}, ParameterGroup{2, 0, 1}}) {
    CHECK_THROWS_AS(optimizer.set_groups({wrong}), ValueError);
  }
  CHECK_THROWS_AS(optimizer.set_groups({{0, 0, 3}, {0, 2, 2}}), ValueError);
  optimizer.set_groups({});
  optimizer.step();
  const ValueError late = thrown_by<ValueError>([&] { optimizer.set_groups({}); });
  CHECK(late.argument == "steps");
  CHECK(late.expected == "0 .. 0");
  CHECK(late.got == "1");
}

TEST_CASE("Adam's first step is the learning rate, whatever the gradient's size") {
  for (const float size : {1e-3f, 1.0f, 1e10f}) {
    Block block(8);
    const std::vector<float> before = block.values();
    std::fill_n(block.parameters.gradients().begin(), 8, size);
    Optimizer(block.parameters, make(OptimizerKind::kAdam)).step();
    for (size_t i = 0; i < 8; ++i)
      CHECK(before[i] - block.values()[i] == doctest::Approx(0.05).epsilon(1e-4));
  }
}

TEST_CASE("a step with another learning rate, and with none") {
  Block block(8), other(8);
  OptimizerConfig config = make(OptimizerKind::kAdamW);
  Optimizer(block.parameters, config).step(0.2);
  config.learning_rate = 0.2;
  Optimizer(other.parameters, config).step();
  CHECK(same_bits(block.values(), other.values()));
  Optimizer(block.parameters, config).step(0);
  CHECK(same_bits(block.values(), other.values()));
}

TEST_CASE("optimizers refuse invalid configurations") {
  Block block(4);
  const auto refused = [&](const char* argument, auto change) {
    CAPTURE(argument);
    OptimizerConfig config = make(OptimizerKind::kSgd);
    change(config);
    const ValueError error = thrown_by<ValueError>([&] { Optimizer optimizer(block.parameters, config); });
    CHECK(error.argument == argument);
  };
  for (const double wrong : {-1.0, static_cast<double>(NAN), kInfinity}) {
    refused("learning_rate", [&](OptimizerConfig& config) { config.learning_rate = wrong; });
    refused("weight_decay", [&](OptimizerConfig& config) { config.weight_decay = wrong; });
    refused("momentum", [&](OptimizerConfig& config) { config.momentum = wrong; });
    refused("epsilon", [&](OptimizerConfig& config) { config.epsilon = wrong; });
    refused("beta1", [&](OptimizerConfig& config) { config.beta1 = wrong; });
    refused("beta2", [&](OptimizerConfig& config) { config.beta2 = wrong; });
    refused("rate_decay", [&](OptimizerConfig& config) { config.rate_decay = wrong; });
    Optimizer optimizer(block.parameters, make(OptimizerKind::kAdam));
    CHECK_THROWS_AS(optimizer.step(wrong), ValueError);
    CHECK(optimizer.steps() == 0);
  }
  refused("beta1", [](OptimizerConfig& config) { config.beta1 = 1; });
  refused("momentum", [](OptimizerConfig& config) { config.nesterov = true; });
  refused("dampening", [](OptimizerConfig& config) {
    config.nesterov = true, config.momentum = 0.9, config.dampening = 0.1;
  });
  Optimizer optimizer(block.parameters, make(OptimizerKind::kSgd));
  CHECK_THROWS_AS(optimizer.moment(0), ValueError);
  CHECK_THROWS_AS(optimizer.set_steps(-1), ValueError);
}
