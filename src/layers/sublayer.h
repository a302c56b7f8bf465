#pragma once
// The frame of each part of a layer, f being attention or the feed-forward network:
//   post-LN: norm(x + dropout(f(x)))   pre-LN: x + dropout(f(norm(x)))
// Vaswani et al., "Attention Is All You Need", section 3.1; Xiong et al., "On Layer Normalization in the
// Transformer Architecture", 2020.
#include "kernels/elementwise.h"
#include "layers/dropout_layer.h"
#include "layers/norm.h"

namespace sqrtdk {

struct SublayerConfig {
  int64_t d_model;
  bool norm_first = false;
  NormKind norm = NormKind::kLayer;
  float epsilon = 1e-5f;
  float dropout = 0;
};

class Sublayer {
 public:
  /// The `number`th of layer `outer`: registers "<outer>.norm<number>", leaves "<outer>.residual<number>".
  Sublayer(Parameters& parameters, const std::string& outer, int number, const SublayerConfig& config);

  /// f(ConstView) -> View. In training, the dropout is in place.
  template <class Function>
  View forward(ConstView x, Cache& cache, const Mode& mode, Function f) const {
    const ConstView input = norm_first_ ? norm_.forward(x, cache) : x;
    const View out = f(input);
    dropout_.forward(out, cache, mode);
    const View residual = cache.make(residual_, x.shape);
    add_elements(x, out, residual);
    return norm_first_ ? residual : norm_.forward(residual, cache);
  }

  /// df(ConstView input, ConstView dout) -> ConstView, with the input of f. Returns "<outer>.dx<number>".
  template <class Function>
  View backward(ConstView x, ConstView dout, Cache& cache, Function df) const {
    const View residual = cache.at(residual_);
    const ConstView dresidual = norm_first_ ? dout : norm_.backward(residual, dout, cache);
    const ConstView input = norm_first_ ? cache.at(norm_out_) : x;
    const ConstView dinput = df(input, dropped(dresidual, cache));
    const View dx = cache.make(dx_, x.shape);
    add_elements(dresidual, norm_first_ ? norm_.backward(x, dinput, cache) : dinput, dx);
    return dx;
  }

  View out(const Cache& cache) const { return cache.at(norm_first_ ? residual_ : norm_out_); }

 private:
  ConstView dropped(ConstView dout, Cache& cache) const;

  Norm norm_;
  Dropout dropout_;
  bool norm_first_;
  CacheName residual_, norm_out_, dropped_, dx_;
};

}  // namespace sqrtdk
