#include "experiments/bug_museum/misplaced_scale.h"

#include <cmath>

#include "kernels/elementwise.h"

namespace sqrtdk {
namespace {

constexpr Misplacement kMisplacements[] = {
    {"right", "weights = (q @ k.mT / math.sqrt(d_k)).softmax(-1); out = weights @ v",
     [](float own, float) { return ScaleFactors{.scores = own}; }},
    {"absent", "weights = (q @ k.mT).softmax(-1); out = weights @ v",
     [](float, float) { return ScaleFactors{}; }},
    {"d_model", "weights = (q @ k.mT / math.sqrt(d_model)).softmax(-1); out = weights @ v",
     [](float, float whole) { return ScaleFactors{.scores = whole}; }},
    {"after_softmax", "weights = (q @ k.mT).softmax(-1) / math.sqrt(d_k); out = weights @ v",
     [](float own, float) { return ScaleFactors{.weights = own}; }},
    {"on_v", "weights = (q @ k.mT).softmax(-1); out = weights @ (v / math.sqrt(d_k))",
     [](float own, float) { return ScaleFactors{.values = own}; }},
    {"twice", "q = q / math.sqrt(d_k); out = F.scaled_dot_product_attention(q, k, v)",
     [](float own, float) { return ScaleFactors{.q = own, .scores = own}; }},
    {"q_first", "q = q / math.sqrt(d_k); weights = (q @ k.mT).softmax(-1); out = weights @ v",
     [](float own, float) { return ScaleFactors{.q = own}; }},
};

float inverse_root(int64_t d) { return static_cast<float>(1 / std::sqrt(static_cast<double>(d))); }

}  // namespace

std::span<const Misplacement> misplacements() { return kMisplacements; }

ScaleFactors factors_of(const Misplacement& misplacement, int64_t d_model, int64_t n_heads) {
  return misplacement.factors(inverse_root(d_model / n_heads), inverse_root(d_model));
}

// out = f_w (softmax(f_s (f_q q) kᵀ) (f_v v))
void misplaced_forward(View q, ConstView k, View v, const ScaleFactors& factors, View scores, View weights,
                       View out) {
  scale_elements(q, factors.q);
  scale_elements(v, factors.values);
  attention_forward(q, k, v, {.scale = factors.scores}, scores, weights, out);
  scale_elements(out, factors.weights);
}

void misplaced_backward(ConstView q, ConstView k, ConstView v, const ScaleFactors& factors, ConstView weights,
                        View dout, View dscores, View dq, View dk, View dv) {
  scale_elements(dout, factors.weights);
  attention_backward(q, k, v, {.scale = factors.scores}, {}, weights, dout, dscores, dq, dk, dv);
  scale_elements(dq, factors.q);
  scale_elements(dv, factors.values);
}

}  // namespace sqrtdk
