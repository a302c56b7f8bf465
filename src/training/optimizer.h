#pragma once
// Optimizers over all parameters at once, with the formulas and defaults of torch.optim; of Adafactor with
// those of its paper, training/adafactor.h. Each formula is also there as a function on its own; g is the
// gradient, w the value, λ the weight decay, η the learning rate.
#include <cstdint>
#include <span>
#include <vector>

#include "layers/parameters.h"

namespace sqrtdk {

enum class OptimizerKind { kSgd, kAdam, kAdamW, kAdagrad, kAdafactor };

/// How a step refuses a gradient that is NaN or infinite: it throws, or returns false. It changes nothing
/// either way.
enum class NonFinite { kThrow, kSkip };

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::kAdam;
  double learning_rate = 1e-3;
  double weight_decay = 0;             // L2: g + λ w; in AdamW and Adafactor decoupled: w - η λ w
  double momentum = 0, dampening = 0;  // SGD
  bool nesterov = false;               // SGD
  double beta1 = 0.9, beta2 = 0.999;   // Adam, AdamW
  double epsilon = 1e-8;               // Adam, AdamW, Adagrad
  double rate_decay = 0;               // Adagrad: η / (1 + rate_decay t), t from 0
  NonFinite non_finite = NonFinite::kThrow;
};

/// What the config says, times these.
struct StepFactors {
  double learning_rate = 1, weight_decay = 1;
  double epsilon = 1;     // Adam, AdamW, Adagrad; Adafactor: of its floor under g²
  double least_size = 1;  // Adafactor
};

/// Rows of a parameter that have factors of their own. To Adafactor they are a matrix by themselves, as it
/// looks at each matrix as a whole.
struct ParameterGroup {
  int parameter;
  int64_t first_row, n_rows;
  StepFactors factors{};
};

class Optimizer {
 public:
  /// The parameters are allocated and stay where they are. Throws ValueError for an invalid configuration,
  /// and OutOfMemory.
  Optimizer(Parameters& parameters, const OptimizerConfig& config);

  /// Throws ValueError that names the parameter whose gradient is not finite, or with NonFinite::kSkip
  /// returns false: then no value, no moment and not the number of steps is changed.
  bool step() { return step(config_.learning_rate); }
  bool step(double learning_rate);

  /// Before the first step. All other rows keep factors of 1. Throws ValueError for rows that are not there
  /// or in two groups.
  void set_groups(std::vector<ParameterGroup> groups);

  const OptimizerConfig& config() const { return config_; }
  int64_t steps() const { return steps_; }
  /// What it remembers, as long as the values: the momentum, Adam's m and v, Adagrad's sum, or
  /// Adafactor's rows and columns. All 0 before the first step.
  int n_moments() const;
  std::span<float> moment(int i);
  std::span<const float> moment(int i) const;
  /// Continues as if it had made these steps, once the moments are restored.
  void set_steps(int64_t steps);

 private:
  struct Piece {  // of the block, with factors of its own
    int64_t first, n, n_cols;
    StepFactors factors;
  };
  void update(const Piece& piece, double learning_rate);

  Parameters* parameters_;
  OptimizerConfig config_;
  std::vector<Piece> pieces_;
  Storage moments_;
  int64_t steps_ = 0;
};

struct SgdStep {
  double learning_rate, momentum = 0, gradient_factor = 1, weight_decay = 0;
  bool nesterov = false;
};
/// g += λ w; m = momentum m + gradient_factor g; w -= η m, with Nesterov η (g + momentum m). Without momentum
/// (m empty) w -= η g.
void sgd_update(std::span<float> w, std::span<const float> gradient, std::span<float> m, const SgdStep& step);

struct AdamStep {
  double learning_rate, beta1, beta2, epsilon, weight_decay = 0;
  bool decoupled = false;
  double correction1 = 1, correction2 = 1;  // 1 - beta^t
};
/// g += λ w, or decoupled w -= η λ w; m = β1 m + (1 - β1) g; v = β2 v + (1 - β2) g²;
/// w -= η / correction1 · m / (sqrt(v / correction2) + ε). Kingma and Ba, "Adam", 2015; Loshchilov and
/// Hutter, "Decoupled Weight Decay Regularization", 2019.
void adam_update(std::span<float> w, std::span<const float> gradient, std::span<float> m, std::span<float> v,
                 const AdamStep& step);

struct AdagradStep {
  double learning_rate, epsilon, weight_decay = 0;
};
/// g += λ w; sum += g²; w -= η g / (sqrt(sum) + ε). Duchi et al., "Adaptive Subgradient Methods", 2011.
void adagrad_update(std::span<float> w, std::span<const float> gradient, std::span<float> sum,
                    const AdagradStep& step);

}  // namespace sqrtdk
