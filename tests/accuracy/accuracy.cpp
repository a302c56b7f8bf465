// Measures the largest errors of the kernels against references in double and prints them as a Markdown
// table; fails where one is above its bound. scripts/accuracy runs it.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include "kernels/activation.h"
#include "kernels/attention/tiled_attention.h"
#include "kernels/layer_norm.h"
#include "kernels/product/matmul.h"
#include "kernels/softmax.h"
#include "reference/attention_case.h"
#include "reference/compare.h"
#include "reference/softmax.h"
#include "simd/bits.h"
#include "simd/math.h"
#include "tensor/random.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

bool failed = false;

void row(const char* operation, const std::string& inputs, double error, const char* unit, double bound) {
  std::printf("| %s | %s | %.2g%s | %.3g |\n", operation, inputs.c_str(), error, unit, bound);
  if (!(error <= bound)) failed = true;
}

/// Uniform between -scale and scale.
std::vector<float> uniform(int64_t n, float scale, uint64_t stream) {
  std::vector<float> x(static_cast<size_t>(n));
  philox_uniform(1, stream, 0, x.data(), n);
  for (float& value : x) value = scale * (2 * value - 1);
  return x;
}

// A function of one float, at every `step`-th of all floats with NaN left out.
double worst_ulp(uint32_t step, const std::function<float(float)>& f,
                 const std::function<double(double)>& exact) {
  double worst = 0;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += step) {
    const auto x = simd::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(x)) continue;
    const double expected = exact(x);
    if (std::fabs(expected) > 3.4028235e38) continue;  // infinite in float
    worst = std::max(worst, error_of(f(x), expected).ulp);
  }
  return worst;
}

void elementary() {
  row("exp", "every 101st of all floats",
      worst_ulp(
          101, [](float x) { return simd::exp(x); }, [](double x) { return std::exp(x); }),
      " ULP", 1.05);
  row("tanh", "every 101st of all floats",
      worst_ulp(
          101, [](float x) { return simd::tanh(x); }, [](double x) { return std::tanh(x); }),
      " ULP", 2);
}

void softmaxes() {
  for (const auto& [n, scale, text] : {std::tuple{8, 5.0f, "n = 8, logits ±5"},
                                       {1024, 30.0f, "n = 1024, ±30"},
                                       {65536, 30.0f, "n = 65536, ±30"},
                                       {1024, 1e30f, "n = 1024, ±1e30"}}) {
    const int64_t rows = std::max(1, 65536 / n);
    const std::vector<float> x = uniform(rows * n, scale, static_cast<uint64_t>(n));
    std::vector<float> p(x.size());
    softmax_forward({x.data(), {rows, n}}, {p.data(), {rows, n}});
    row("softmax", text, compare(p, softmax(widen(x), static_cast<size_t>(n))).ulp, " ULP", 3);
  }
}

void product() {
  const int64_t n = 512;
  const std::vector<float> a = uniform(n * n, 1, 1), b = uniform(n * n, 1, 2);
  std::vector<float> out(a.size());
  matmul({a.data(), {n, n}}, Transpose::kNo, {b.data(), {n, n}}, Transpose::kNo, {out.data(), {n, n}});
  double worst = 0;
  for (int64_t i = 0; i < n; i += 7) {
    for (int64_t j = 0; j < n; ++j) {
      double exact = 0;
      for (int64_t k = 0; k < n; ++k) exact += static_cast<double>(a[i * n + k]) * b[k * n + j];
      worst = std::max(worst, std::fabs(out[i * n + j] - exact));
    }
  }
  row("matmul", "512³, ±1", worst, "", 1e-5);
}

void attentions() {
  AttentionCase c(512, 512, 64, 64, 1, 1, 8);
  c.q = uniform(c.q_shape().size(), 2, 1);
  c.k = uniform(c.k_shape().size(), 2, 2);
  c.v = uniform(c.v_shape().size(), 1, 3);
  c.dout = uniform(c.out_shape().size(), 1, 4);
  const AttentionProblem problem = c.problem();
  const AttentionValues exact = attention(problem);
  const AttentionGradients gradients = attention_gradients(problem, exact.weights, widen(c.dout));
  const std::string inputs = "8×512×64, q, k ±2, v ±1";
  const auto report = [&](const std::string& form) {
    row((form + ", out").c_str(), inputs, compare(c.out, exact.out).absolute, "", 3e-7);
    row((form + ", dq").c_str(), inputs, compare(c.dq, gradients.dq).absolute, "", 1e-6);
    row((form + ", dk").c_str(), inputs, compare(c.dk, gradients.dk).absolute, "", 1e-6);
    row((form + ", dv").c_str(), inputs, compare(c.dv, gradients.dv).absolute, "", 1e-6);
  };
  c.run();
  report("attention");
  std::vector<float> stats(static_cast<size_t>(c.out_shape().leading(1) * 2));
  const Shape stats_shape{c.batch, c.heads, c.n_q, 2};
  Arena scratch(std::max(tiled_attention_forward_scratch(c.q_view(), c.k_view(), c.v_view()),
                         tiled_attention_backward_scratch(c.q_view(), c.k_view(), c.v_view())));
  tiled_attention_forward(c.q_view(), c.k_view(), c.v_view(), {}, {c.out.data(), c.out_shape()},
                          {stats.data(), stats_shape}, scratch);
  scratch.reset();
  tiled_attention_backward(c.q_view(), c.k_view(), c.v_view(), {}, {stats.data(), stats_shape}, c.dout_view(),
                           {c.dq.data(), c.q_shape()}, {c.dk.data(), c.k_shape()}, {c.dv.data(), c.v_shape()},
                           scratch);
  report("tiled attention");
}

void norms() {
  for (const auto& [mean, text, bound] :
       {std::tuple{0.0f, "512×512, ±1", 1e-6}, {1e6f, "512×512, mean/std = 1e6", 1e-6}}) {
    const int64_t n = 512;
    std::vector<float> x = uniform(n * n, 1.7320508f, 5);
    for (float& value : x) value += mean;
    std::vector<float> out(x.size());
    layer_norm_forward({x.data(), {n, n}}, {}, {}, 1e-5f, {out.data(), {n, n}}, {});
    std::vector<double> exact(x.size());
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0, squares = 0;
      for (int64_t j = 0; j < n; ++j) sum += x[i * n + j];
      for (int64_t j = 0; j < n; ++j) squares += std::pow(x[i * n + j] - sum / n, 2);
      for (int64_t j = 0; j < n; ++j)
        exact[i * n + j] = (x[i * n + j] - sum / n) / std::sqrt(squares / n + 1e-5f);
    }
    row("layer norm", text, compare(out, exact).absolute, "", bound);
  }
}

void activations() {
  const double sqrt_half = std::sqrt(0.5);
  const std::vector<float> x = uniform(1 << 20, 8, 6);
  std::vector<float> y(x.size());
  std::vector<double> exact(x.size());
  const Shape shape{static_cast<int64_t>(x.size())};
  activation_forward(Activation::kGelu, {x.data(), shape}, {y.data(), shape});
  for (size_t i = 0; i < x.size(); ++i) exact[i] = 0.5 * x[i] * std::erfc(-x[i] * sqrt_half);
  row("GELU", "2^20 values, ±8", compare(y, exact).absolute, "", 1e-6);
  activation_forward(Activation::kSilu, {x.data(), shape}, {y.data(), shape});
  for (size_t i = 0; i < x.size(); ++i) exact[i] = x[i] / (1 + std::exp(-static_cast<double>(x[i])));
  row("SiLU", "2^20 values, ±8", compare(y, exact).absolute, "", 1e-6);
}

}  // namespace

int main() {
  std::puts("| operator | inputs | largest error | must stay below |\n|---|---|---|---|");
  elementary();
  softmaxes();
  product();
  attentions();
  norms();
  activations();
  return failed ? 1 : 0;
}
