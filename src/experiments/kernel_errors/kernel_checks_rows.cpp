#include <cmath>

#include "experiments/kernel_errors/kernel_checks.h"
#include "kernels/cross_entropy.h"
#include "kernels/layer_norm.h"
#include "kernels/product/matmul.h"
#include "kernels/rotary.h"
#include "kernels/softmax.h"
#include "lab/double_reference.h"
#include "simd/math.h"

namespace sqrtdk {
namespace {

using exact::Doubles;

Doubles of(const Tensor& x) { return exact::of(x.values); }

void check_matmul(const KernelInputs& in, KernelErrors& errors) {
  const Tensor a = in.normal(1, {in.n, in.d}), b = in.normal(2, {in.d, in.n}), bias = in.normal(3, {in.n});
  Tensor out({in.n, in.n});
  matmul(a.view(), Transpose::kNo, b.view(), Transpose::kNo, out.view(), Write::kOverwrite, bias.view());
  Doubles expected = exact::product(of(a), of(b), in.n, in.d, in.n);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] += static_cast<double>(bias.values[i % bias.values.size()]);
  }
  errors.add(out, expected);
}

void check_softmax(const KernelInputs& in, KernelErrors& errors) {
  const Tensor x = in.normal(1, {in.n, in.d});
  Tensor out(x.shape);
  softmax_forward(x.view(), out.view());
  errors.add(out, exact::softmax(of(x), in.d));
}

void check_softmax_backward(const KernelInputs& in, KernelErrors& errors) {
  const Tensor x = in.normal(1, {in.n, in.d}), dp = in.normal(2, {in.n, in.d});
  Tensor p(x.shape), dx(x.shape);
  softmax_forward(x.view(), p.view());
  softmax_backward(p.view(), dp.view(), dx.view());
  errors.add(dx, exact::softmax_backward(exact::softmax(of(x), in.d), of(dp), in.d));
}

void check_log_softmax(const KernelInputs& in, KernelErrors& errors) {
  const Tensor x = in.normal(1, {in.n, in.d});
  Tensor out(x.shape);
  log_softmax_forward(x.view(), out.view());
  errors.add(out, exact::log_softmax(of(x), in.d));
}

// dx = dy - p Σ dy
void check_log_softmax_backward(const KernelInputs& in, KernelErrors& errors) {
  const Tensor x = in.normal(1, {in.n, in.d}), dy = in.normal(2, {in.n, in.d});
  Tensor y(x.shape), dx(x.shape);
  log_softmax_forward(x.view(), y.view());
  log_softmax_backward(y.view(), dy.view(), dx.view());
  Doubles expected = exact::softmax(of(x), in.d);
  const auto d = static_cast<size_t>(in.d);
  for (size_t row = 0; row < expected.size(); row += d) {
    double sum = 0;
    for (size_t j = 0; j < d; ++j) sum += static_cast<double>(dy.values[row + j]);
    for (size_t j = 0; j < d; ++j) {
      expected[row + j] = static_cast<double>(dy.values[row + j]) - expected[row + j] * sum;
    }
  }
  errors.add(dx, expected);
}

std::vector<int32_t> classes(const KernelInputs& in) {
  std::vector<int32_t> target;
  for (int64_t i = 0; i < in.n; ++i) target.push_back(static_cast<int32_t>(i * 7 % in.d));
  return target;
}

void check_cross_entropy(const KernelInputs& in, KernelErrors& errors) {
  const Tensor x = in.normal(1, {in.n, in.d});
  const std::vector<int32_t> target = classes(in);
  Tensor log_probs(x.shape), losses({in.n});
  CrossEntropyOptions options;
  options.reduction = Reduction::kNone;
  cross_entropy_forward(x.view(), {target.data(), {in.n}}, options, log_probs.view(), losses.view());
  const Doubles logs = exact::log_softmax(of(x), in.d);
  Doubles expected;
  for (int64_t i = 0; i < in.n; ++i) {
    expected.push_back(-logs[static_cast<size_t>(i * in.d + target[static_cast<size_t>(i)])]);
  }
  errors.add(losses, expected);
}

// dlogits = (p - one-hot) / n
void check_cross_entropy_backward(const KernelInputs& in, KernelErrors& errors) {
  const Tensor x = in.normal(1, {in.n, in.d});
  const std::vector<int32_t> target = classes(in);
  Tensor log_probs(x.shape), dx(x.shape);
  cross_entropy_forward(x.view(), {target.data(), {in.n}}, {}, log_probs.view(), {});
  const float one = 1;
  cross_entropy_backward(log_probs.view(), {target.data(), {in.n}}, {}, {&one, {1}}, dx.view());
  Doubles expected = exact::softmax(of(x), in.d);
  for (int64_t i = 0; i < in.n; ++i) {
    expected[static_cast<size_t>(i * in.d + target[static_cast<size_t>(i)])] -= 1;
  }
  for (double& each : expected) each /= static_cast<double>(in.n);
  errors.add(dx, expected);
}

constexpr float kEpsilon = 1e-5f;

/// A norm of rows in double: with or without the mean taken away.
struct NormReference {
  Doubles out, dx, dgain;
  NormReference(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& dout, bool centred);
};

NormReference::NormReference(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& dout,
                             bool centred)
    : dgain(gain.values.size()) {
  const size_t d = gain.values.size();
  const auto at = [](const Tensor& t, size_t i) { return static_cast<double>(t.values[i]); };
  const double n = static_cast<double>(d);
  for (size_t row = 0; row < x.values.size(); row += d) {
    double mean = 0, square = 0, along = 0, sum = 0;
    for (size_t j = 0; j < d; ++j) mean += centred ? at(x, row + j) / n : 0;
    for (size_t j = 0; j < d; ++j) square += (at(x, row + j) - mean) * (at(x, row + j) - mean) / n;
    const double factor = 1 / std::sqrt(square + static_cast<double>(kEpsilon));
    const auto normalized = [&](size_t j) { return (at(x, row + j) - mean) * factor; };
    for (size_t j = 0; j < d; ++j) {
      const double dnormalized = at(dout, row + j) * at(gain, j);
      sum += centred ? dnormalized / n : 0;
      along += dnormalized * normalized(j) / n;
    }
    for (size_t j = 0; j < d; ++j) {
      out.push_back(normalized(j) * at(gain, j) + (centred ? at(bias, j) : 0));
      dx.push_back(factor * (at(dout, row + j) * at(gain, j) - sum - normalized(j) * along));
      dgain[j] += at(dout, row + j) * normalized(j);
    }
  }
}

template <bool centred, Pass pass>
void check_norm(const KernelInputs& in, KernelErrors& errors) {
  const Tensor x = in.normal(1, {in.n, in.d}), dout = in.normal(2, x.shape), gain = in.normal(3, {in.d}),
               bias = in.normal(4, {in.d});
  Tensor out(x.shape), dx(x.shape), dgain({in.d}), dbias({in.d}), stats({in.n, 2}), rrms({in.n});
  if (centred) {
    layer_norm_forward(x.view(), gain.view(), bias.view(), kEpsilon, out.view(), stats.view());
    layer_norm_backward(x.view(), gain.view(), stats.view(), dout.view(), dx.view(), dgain.view(),
                        dbias.view());
  } else {
    rms_norm_forward(x.view(), gain.view(), kEpsilon, out.view(), rrms.view());
    rms_norm_backward(x.view(), gain.view(), rrms.view(), dout.view(), dx.view(), dgain.view());
  }
  const NormReference expected(x, gain, bias, dout, centred);
  if (pass == Pass::kForward) {
    errors.add(out, expected.out);
  } else {
    errors.add(dx, expected.dx);
    errors.add(dgain, expected.dgain);
  }
}

/// Pairs (i, i + d/2) turned by position · 10000^(-2i/d), and turned back.
template <Pass pass>
void check_rotary(const KernelInputs& in, KernelErrors& errors) {
  const int64_t half = (in.d + 1) / 2, d = 2 * half;
  const Tensor x = in.normal(1, {in.n, d});
  Tensor cos({in.n, half}), sin({in.n, half}), out(x.shape);
  rotary_table(10000, cos.view(), sin.view());
  const auto kernel = pass == Pass::kForward ? rotary_forward : rotary_backward;
  kernel(x.view(), cos.view(), sin.view(), {}, RotaryPairs::kHalves, out.view());
  Doubles expected(x.values.size());
  for (int64_t i = 0; i < in.n; ++i) {
    for (int64_t j = 0; j < half; ++j) {
      const double rate =
          simd::exp(simd::log(10000.0) * -2.0 * static_cast<double>(j) / static_cast<double>(d));
      const auto [s, c] = simd::sincos(static_cast<double>(pass == Pass::kForward ? i : -i) * rate);
      const auto first = static_cast<size_t>(i * d + j), second = first + static_cast<size_t>(half);
      const auto a = static_cast<double>(x.values[first]), b = static_cast<double>(x.values[second]);
      expected[first] = a * c - b * s;
      expected[second] = a * s + b * c;
    }
  }
  errors.add(out, expected);
}

constexpr KernelCheck kChecks[] = {
    {"matmul", Pass::kForward, false, 6e-7, check_matmul},
    {"softmax", Pass::kForward, true, 3, check_softmax},
    {"softmax", Pass::kBackward, false, 4e-7, check_softmax_backward},
    {"log_softmax", Pass::kForward, true, 3, check_log_softmax},
    {"log_softmax", Pass::kBackward, false, 5e-7, check_log_softmax_backward},
    {"cross_entropy", Pass::kForward, true, 3, check_cross_entropy},
    {"cross_entropy", Pass::kBackward, false, 2e-7, check_cross_entropy_backward},
    {"layer_norm", Pass::kForward, false, 5e-7, check_norm<true, Pass::kForward>},
    {"layer_norm", Pass::kBackward, false, 5e-7, check_norm<true, Pass::kBackward>},
    {"rms_norm", Pass::kForward, false, 5e-7, check_norm<false, Pass::kForward>},
    {"rms_norm", Pass::kBackward, false, 5e-7, check_norm<false, Pass::kBackward>},
    {"rotary", Pass::kForward, false, 3e-7, check_rotary<Pass::kForward>},
    {"rotary", Pass::kBackward, false, 3e-7, check_rotary<Pass::kBackward>},
};

}  // namespace

std::span<const KernelCheck> row_checks() { return kChecks; }

}  // namespace sqrtdk
