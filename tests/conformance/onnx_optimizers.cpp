// ONNX Adagrad, Adam and Momentum: inputs rate R, step count T, then one tensor for each variable of X, of
// its gradient G and of each state; outputs the new X and states in the same order.
#include <cmath>

#include "conformance/operators.h"
#include "training/optimizer.h"

namespace sqrtdk::conformance {
namespace {

struct Call {
  double rate, steps;
  int n_variables;
};

Call call_of(const Case& reference, int n_kinds) {
  const int n = static_cast<int>(reference.inputs.size()) - 2;
  return {reference.required(0).values.at(0), reference.required(1).values.at(0), n / n_kinds};
}

std::span<float> span_of(Floats& x) { return {x.view().data, static_cast<size_t>(x.size())}; }

// update(w, gradient, states) for each variable.
template <class Update>
void each_variable(const Case& reference, Results& results, int n_states, Update update) {
  const int n = call_of(reference, 2 + n_states).n_variables;
  for (int i = 0; i < n; ++i) {
    Floats w(reference.required(2 + i)), gradient(reference.required(2 + n + i));
    std::vector<Floats> states;
    for (int s = 0; s < n_states; ++s) states.emplace_back(reference.required(2 + (2 + s) * n + i));
    update(span_of(w), span_of(gradient), states);
    results.add(i, w);
    for (int s = 0; s < n_states; ++s) results.add((1 + s) * n + i, states[static_cast<size_t>(s)]);
  }
}

}  // namespace

void onnx_adagrad(Case& reference, Results& results) {
  const Call call = call_of(reference, 3);
  const double rate = call.rate / (1 + call.steps * reference.number("decay_factor", 0));
  const AdagradStep step{rate, reference.number("epsilon", 1e-6), reference.number("norm_coefficient", 0)};
  each_variable(reference, results, 1,
                [&](std::span<float> w, std::span<float> gradient, std::vector<Floats>& states) {
                  adagrad_update(w, gradient, span_of(states[0]), step);
                });
}

// Its ε is added to sqrt(v) before the correction of v, which it leaves out of the first step (T = 0).
void onnx_adam(Case& reference, Results& results) {
  if (reference.number("norm_coefficient_post", 0) != 0) throw Skip("no norm_coefficient_post");
  const Call call = call_of(reference, 4);
  AdamStep step{call.rate, reference.number("alpha", 0.9), reference.number("beta", 0.999),
                reference.number("epsilon", 1e-6), reference.number("norm_coefficient", 0)};
  if (call.steps > 0) {
    step.correction1 = 1 - std::pow(step.beta1, call.steps);
    step.correction2 = 1 - std::pow(step.beta2, call.steps);
    step.epsilon /= std::sqrt(step.correction2);
  }
  each_variable(reference, results, 2,
                [&](std::span<float> w, std::span<float> gradient, std::vector<Floats>& states) {
                  adam_update(w, gradient, span_of(states[0]), span_of(states[1]), step);
                });
}

void onnx_momentum(Case& reference, Results& results) {
  const Call call = call_of(reference, 3);
  const SgdStep step{call.rate, reference.number("alpha", 0),
                     call.steps > 0 ? reference.number("beta", 1) : 1,
                     reference.number("norm_coefficient", 0), reference.text("mode", "") == "nesterov"};
  each_variable(reference, results, 1,
                [&](std::span<float> w, std::span<float> gradient, std::vector<Floats>& states) {
                  sgd_update(w, gradient, span_of(states[0]), step);
                });
}

}  // namespace sqrtdk::conformance
