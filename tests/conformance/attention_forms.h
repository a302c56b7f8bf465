#pragma once
// Scaled dot-product attention in both forms that the library has.
#include "conformance/buffers.h"
#include "kernels/attention/attention_options.h"

namespace sqrtdk::conformance {

/// A boolean mask for the kernels: nonzero = attend.
struct Mask {
  Mask(const Tensor& tensor, bool true_means_attend);
  MaskView view() const { return {values.data(), shape}; }
  Shape shape;
  std::vector<uint8_t> values;
};

/// attention_forward of q: [.., n_heads, n_q, d_k], k, v.
struct ExplainableForward {
  ExplainableForward(const Floats& q, const Floats& k, const Floats& v, const AttentionOptions& options);
  Floats scores, weights, out;
};

/// tiled_attention_forward.
struct TiledForward {
  TiledForward(const Floats& q, const Floats& k, const Floats& v, const AttentionOptions& options);
  Floats out, row_stats;
};

struct AttentionGradients {
  AttentionGradients(const Floats& q, const Floats& k, const Floats& v)
      : dq(q.shape()), dk(k.shape()), dv(v.shape()) {}
  Floats dq, dk, dv;
};

/// attention_backward; dscores gets dL/d(scale · q·k).
AttentionGradients explainable_backward(const Floats& q, const Floats& k, const Floats& v,
                                        const AttentionOptions& options, const ExplainableForward& forward,
                                        const Floats& dout, Floats& dscores);

/// tiled_attention_backward.
AttentionGradients tiled_backward(const Floats& q, const Floats& k, const Floats& v,
                                  const AttentionOptions& options, const TiledForward& forward,
                                  const Floats& dout);

inline constexpr const char* kExplainable = "explainable";
inline constexpr const char* kTiled = "tiled";

}  // namespace sqrtdk::conformance
