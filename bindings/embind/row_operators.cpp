#include "kernels/activation.h"
#include "kernels/cross_entropy.h"
#include "kernels/dropout.h"
#include "kernels/layer_norm.h"
#include "kernels/softmax.h"
#include "operators.h"
#include "tensor/random.h"
#include "tensor/torch_generator.h"

namespace sqrtdk::border {
namespace {

double loss(const ConstView& logits, const IndexView& target, Reduction reduction, float label_smoothing,
            int32_t ignore_index, const ConstView& weight, const View& log_probs, const View& losses) {
  return cross_entropy_forward(logits, target, {reduction, label_smoothing, ignore_index, weight}, log_probs,
                               losses);
}

void loss_backward(const ConstView& log_probs, const IndexView& target, Reduction reduction,
                   float label_smoothing, int32_t ignore_index, const ConstView& weight,
                   const ConstView& dloss, const View& dlogits) {
  cross_entropy_backward(log_probs, target, {reduction, label_smoothing, ignore_index, weight}, dloss,
                         dlogits);
}

template <void (*kernel)(ConstView, float, DropoutKey, View)>
void drop(const ConstView& x, float probability, uint64_t seed, int64_t stream, const View& out) {
  kernel(x, probability, {seed, static_cast<uint64_t>(stream)}, out);
}

void philox(uint64_t seed, int64_t stream, bool normal, const View& out) {
  const auto fill = normal ? philox_normal : philox_uniform;
  fill(seed, static_cast<uint64_t>(stream), 0, out.data, out.shape.size());
}

void torch(uint64_t seed, bool normal, const View& out) {
  TorchGenerator generator(seed);
  if (normal) {
    generator.randn(out.data, out.shape.size());
  } else {
    generator.rand(out.data, out.shape.size());
  }
}

}  // namespace

std::span<const Operator> row_operators() {
  static constexpr Operator kOperators[] = {
      op<softmax_forward>("softmax_forward", "x out"),
      op<softmax_backward>("softmax_backward", "p dp dx"),
      op<log_softmax_forward>("log_softmax_forward", "x out"),
      op<log_softmax_backward>("log_softmax_backward", "y dy dx"),
      op<activation_forward>("activation_forward", "activation x out"),
      op<activation_backward>("activation_backward", "activation x dout dx"),
      op<layer_norm_forward>("layer_norm_forward", "x gain? bias? epsilon out row_stats?"),
      op<layer_norm_backward>("layer_norm_backward", "x gain? row_stats dout dx dgain dbias"),
      op<rms_norm_forward>("rms_norm_forward", "x gain? epsilon out row_rrms?"),
      op<rms_norm_backward>("rms_norm_backward", "x gain? row_rrms dout dx dgain"),
      op<loss>("cross_entropy_forward",
               "logits target reduction label_smoothing ignore_index weight? log_probs losses"),
      op<loss_backward>("cross_entropy_backward",
                        "log_probs target reduction label_smoothing ignore_index weight? dloss dlogits"),
      op<drop<dropout_forward>>("dropout_forward", "x probability seed stream out"),
      op<drop<dropout_backward>>("dropout_backward", "dout probability seed stream dx"),
      op<philox>("philox", "seed stream normal out"),
      op<torch>("torch", "seed normal out"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
