#pragma once
// The position-wise network of a layer: linear, activation, linear; or SwiGLU: w2 (silu(w1 x) · w3 x).
// Vaswani et al., section 3.3; Shazeer, "GLU Variants Improve Transformer", 2020.
#include <vector>

#include "layers/dropout_layer.h"
#include "layers/linear.h"

namespace sqrtdk {

enum class FeedForwardKind { kRelu, kGelu, kGeluTanh, kSwiglu };

struct FeedForwardNames {
  const char* first = "linear1";
  const char* second = "linear2";
  const char* gate = "linear3";  // SwiGLU's w3
};

class FeedForward {
 public:
  /// The linear layers are registered beside each other, under `name`: "<name>.linear1.weight" .. With
  /// dropout, hidden elements are dropped in training, by the stream of "<name>.dropout".
  FeedForward(Parameters& parameters, const std::string& name, FeedForwardKind kind, int64_t d_model,
              int64_t d_ff, bool bias = true, float dropout = 0, FeedForwardNames names = {});
  /// Leaves "<name>.hidden" [.., d_ff], what the second linear layer is given, and returns its
  /// "<name>.linear2.out"; x must stay until backward.
  View forward(ConstView x, Cache& cache, const Mode& mode) const;
  /// "<name>.linear1.dx".
  View backward(ConstView x, ConstView dout, Cache& cache) const;
  /// The first, the second and, in SwiGLU, the gate.
  const std::vector<Linear>& linears() const { return linears_; }

 private:
  CacheName first_, gate_, hidden_, active_, dgate_;  // names in the cache
  FeedForwardKind kind_;
  Dropout dropout_;
  std::vector<Linear> linears_;
};

}  // namespace sqrtdk
