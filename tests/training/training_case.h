#pragma once
// A block of parameters with given numbers, and a small trainer.
#include <vector>

#include "reference/buffers.h"
#include "training/trainer.h"

namespace sqrtdk::reference {

/// Two parameters, "a" and "b", of `n` elements altogether.
struct Block {
  Parameters parameters;
  explicit Block(int64_t n, uint64_t seed = 1) {
    parameters.add("a", {n / 2});
    parameters.add("b", {n - n / 2});
    parameters.allocate();
    Draws draws(seed);
    for (float& value : parameters.values()) value = draws.normal();
    draw_gradients(draws);
  }
  void draw_gradients(Draws& draws) {
    for (float& gradient : parameters.gradients()) gradient = draws.normal();
  }
  std::vector<float> values() const {
    const Parameters& constant = parameters;
    return {constant.values().begin(), constant.values().end()};
  }
  std::vector<float> gradients() const {
    const Parameters& constant = parameters;
    return {constant.gradients().begin(), constant.gradients().end()};
  }
};

inline std::vector<float> moments(const Optimizer& optimizer) {
  std::vector<float> all;
  for (int i = 0; i < optimizer.n_moments(); ++i) {
    all.insert(all.end(), optimizer.moment(i).begin(), optimizer.moment(i).end());
  }
  return all;
}

inline std::vector<float> values(const Trainer& trainer) {
  const std::span<const float> values = trainer.parameters().values();
  return {values.begin(), values.end()};
}

/// One layer of width 16 that sorts 6 of 8 symbols, 8 examples a step.
inline TrainerConfig small_trainer(uint64_t seed = 3) {
  TrainerConfig config;
  config.task = {"sort", 6, 8};
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = 16;
  config.batch = 8;
  config.seed = seed;
  return config;
}

/// With as few numbers as may be, for what is done over and over.
inline TrainerConfig smallest_trainer() {
  TrainerConfig config = small_trainer();
  config.task.length = 2;
  config.model.layer.attention.d_model = 4;
  config.model.layer.d_ff = 4;
  config.batch = 2;
  return config;
}

}  // namespace sqrtdk::reference
