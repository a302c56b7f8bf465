#include "training/optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/errors.h"
#include "base/parallel.h"
#include "simd/f32x4.h"
#include "training/adafactor.h"
#include "training/gradients.h"

namespace sqrtdk {
namespace {

using namespace simd;

void check_between(const char* argument, const char* expected, double value, double low, double high) {
  if (!(value >= low && value < high)) throw_out_of_range("optimizer", argument, expected, value);
}

void check(const OptimizerConfig& config) {
  check_between("learning_rate", "finite and at least 0", config.learning_rate, 0, INFINITY);
  check_between("weight_decay", "finite and at least 0", config.weight_decay, 0, INFINITY);
  check_between("momentum", "finite and at least 0", config.momentum, 0, INFINITY);
  check_between("beta1", "0 or more, and less than 1", config.beta1, 0, 1);
  check_between("beta2", "0 or more, and less than 1", config.beta2, 0, 1);
  check_between("epsilon", "finite and at least 0", config.epsilon, 0, INFINITY);
  check_between("rate_decay", "finite and at least 0", config.rate_decay, 0, INFINITY);
  check_between("dampening", "0 or more, with nesterov 0", config.dampening, 0,
                config.nesterov ? 5e-324 : INFINITY);
  if (config.nesterov && config.momentum == 0) {
    throw_out_of_range("optimizer", "momentum", "more than 0 with nesterov", config.momentum);
  }
}

// By squaring, so that it depends on n alone and not on the powers before.
double power(double x, int64_t n) {
  double product = 1;
  for (; n > 0; n /= 2, x *= x) {
    if (n % 2 == 1) product *= x;
  }
  return product;
}

f32x4 splat_double(double x) { return splat(static_cast<float>(x)); }

// update(j, read, write) for four elements from j on; of the last ones, only those that are there.
template <class Update>
void each_four_of(size_t n, Update update) {
  constexpr int64_t kWork = 16;
  const auto fours = static_cast<int64_t>(n / 4);
  parallel_for(fours, kWork, n_threads(), [&](int64_t begin, int64_t end, int) noexcept {
    for (int64_t j = 4 * begin; j < 4 * end; j += 4) {
      update([j](const float* p) { return load(p + j); }, [j](float* p, f32x4 x) { store(p + j, x); });
    }
  });
  const int64_t j = 4 * fours, count = static_cast<int64_t>(n) - j;
  if (count == 0) return;
  update([=](const float* p) { return load_first(p + j, count, zero()); },
         [=](float* p, f32x4 x) { store_first(p + j, count, x); });
}

}  // namespace

void sgd_update(std::span<float> w, std::span<const float> gradient, std::span<float> m,
                const SgdStep& step) {
  const f32x4 rate = splat_double(step.learning_rate), decay = splat_double(step.weight_decay);
  const f32x4 momentum = splat_double(step.momentum), factor = splat_double(step.gradient_factor);
  each_four_of(w.size(), [&](const auto& read, const auto& write) {
    const f32x4 value = read(w.data());
    const f32x4 g = decay * value + read(gradient.data());
    f32x4 direction = g;
    if (!m.empty()) {
      const f32x4 moved = momentum * read(m.data()) + factor * g;
      write(m.data(), moved);
      direction = step.nesterov ? momentum * moved + g : moved;
    }
    write(w.data(), value - rate * direction);
  });
}

void adam_update(std::span<float> w, std::span<const float> gradient, std::span<float> m, std::span<float> v,
                 const AdamStep& step) {
  const f32x4 beta1 = splat_double(step.beta1), rest1 = splat_double(1 - step.beta1);
  const f32x4 beta2 = splat_double(step.beta2), rest2 = splat_double(1 - step.beta2);
  const f32x4 rate = splat_double(step.learning_rate / step.correction1);
  const f32x4 root2 = splat_double(1 / std::sqrt(step.correction2)), epsilon = splat_double(step.epsilon);
  const f32x4 decay = splat_double(step.decoupled ? 0 : step.weight_decay);
  const f32x4 kept = splat_double(step.decoupled ? 1 - step.learning_rate * step.weight_decay : 1);
  each_four_of(w.size(), [&](const auto& read, const auto& write) {
    const f32x4 value = read(w.data());
    const f32x4 g = decay * value + read(gradient.data());
    const f32x4 first = beta1 * read(m.data()) + rest1 * g;
    const f32x4 second = beta2 * read(v.data()) + rest2 * (g * g);
    write(m.data(), first);
    write(v.data(), second);
    const f32x4 root = sqrt(second) * root2 + epsilon;
    write(w.data(), kept * value - rate * first / root);
  });
}

void adagrad_update(std::span<float> w, std::span<const float> gradient, std::span<float> sum,
                    const AdagradStep& step) {
  const f32x4 rate = splat_double(step.learning_rate), decay = splat_double(step.weight_decay);
  const f32x4 epsilon = splat_double(step.epsilon);
  each_four_of(w.size(), [&](const auto& read, const auto& write) {
    const f32x4 value = read(w.data());
    const f32x4 g = decay * value + read(gradient.data());
    const f32x4 squares = g * g + read(sum.data());
    write(sum.data(), squares);
    write(w.data(), value - rate * g / (sqrt(squares) + epsilon));
  });
}

Optimizer::Optimizer(Parameters& parameters, const OptimizerConfig& config)
    : parameters_(&parameters), config_(config) {
  check(config);
  set_groups({});
  moments_ = Storage(n_moments() * parameters.size());
  std::fill_n(moments_.data(), moments_.size(), 0.0f);
}

int Optimizer::n_moments() const {
  if (config_.kind == OptimizerKind::kAdagrad) return 1;
  if (config_.kind != OptimizerKind::kSgd) return 2;
  return config_.momentum > 0 ? 1 : 0;
}

std::span<const float> Optimizer::moment(int i) const {
  if (i < 0 || i >= n_moments()) throw_out_of_range("optimizer", "moment", 0, n_moments() - 1, i);
  const int64_t n = parameters_->size();
  return {moments_.data() + i * n, static_cast<size_t>(n)};
}

std::span<float> Optimizer::moment(int i) {
  const std::span<const float> found = static_cast<const Optimizer*>(this)->moment(i);
  return {moments_.data() + i * parameters_->size(), found.size()};
}

void Optimizer::set_steps(int64_t steps) {
  if (steps < 0) throw_out_of_range("optimizer", "steps", "0 or more", static_cast<double>(steps));
  steps_ = steps;
}

bool Optimizer::step(double learning_rate) {
  check_between("learning_rate", "finite and at least 0", learning_rate, 0, INFINITY);
  if (config_.non_finite == NonFinite::kThrow) {
    check_gradients("optimizer", *parameters_);
  } else if (!all_finite(parameters_->gradients())) {
    return false;
  }
  ++steps_;
  for (const Piece& piece : pieces_) update(piece, learning_rate);
  return true;
}

void Optimizer::update(const Piece& piece, double learning_rate) {
  const auto first = static_cast<size_t>(piece.first), n = static_cast<size_t>(piece.n);
  const auto remembered = [&](int i) {
    return i < n_moments() ? moment(i).subspan(first, n) : std::span<float>();
  };
  const std::span<float> values = parameters_->values().subspan(first, n);
  const std::span<const float> gradients =
      static_cast<const Parameters*>(parameters_)->gradients().subspan(first, n);
  const double rate = learning_rate * piece.factors.learning_rate;
  const double decay = config_.weight_decay * piece.factors.weight_decay;
  const double epsilon = config_.epsilon * piece.factors.epsilon;
  switch (config_.kind) {
    case OptimizerKind::kSgd: {
      // As in PyTorch, the first gradient is not dampened.
      const double factor = steps_ == 1 ? 1 : 1 - config_.dampening;
      sgd_update(values, gradients, remembered(0), {rate, config_.momentum, factor, decay, config_.nesterov});
      break;
    }
    case OptimizerKind::kAdagrad:
      adagrad_update(values, gradients, remembered(0),
                     {rate / (1 + static_cast<double>(steps_ - 1) * config_.rate_decay), epsilon, decay});
      break;
    case OptimizerKind::kAdafactor: {
      AdafactorStep step{.learning_rate = rate, .weight_decay = decay, .t = steps_};
      step.floor *= piece.factors.epsilon;
      step.least_size *= piece.factors.least_size;
      adafactor_update(values, gradients, piece.n_cols, remembered(0), remembered(1), step);
      break;
    }
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamW:
      adam_update(values, gradients, remembered(0), remembered(1),
                  {rate, config_.beta1, config_.beta2, epsilon, decay, config_.kind == OptimizerKind::kAdamW,
                   1 - power(config_.beta1, steps_), 1 - power(config_.beta2, steps_)});
      break;
  }
}

}  // namespace sqrtdk
