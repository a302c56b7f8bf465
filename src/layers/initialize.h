#pragma once
// Initial values of weights. w is [n_out, n_in] where a function names n_in. Each throws ValueError for a
// gain, a standard deviation or a bound that is negative or not finite.
#include <optional>

#include "layers/layer.h"

namespace sqrtdk {

/// Where draws come from: element i of w is made from element i of the Philox stream `stream` of `seed`.
struct InitialDraws {
  uint64_t seed, stream;
};

/// U(-a, a) with a = gain sqrt(6 / (n_in + n_out)). Glorot and Bengio, 2010.
void xavier_uniform(View w, float gain, InitialDraws draws);
/// N(0, gain² 2 / (n_in + n_out)).
void xavier_normal(View w, float gain, InitialDraws draws);
/// U(-b, b) with b = gain sqrt(3 / n_in). He et al., 2015. In PyTorch's Linear gain is
/// sqrt(1/3), so b = 1/sqrt(n_in).
void kaiming_uniform(View w, float gain, InitialDraws draws);
/// N(0, gain² / n_in).
void kaiming_normal(View w, float gain, InitialDraws draws);
/// N(0, std²).
void normal_init(View w, float std, InitialDraws draws);
/// U(-b, b).
void uniform_init(View w, float b, InitialDraws draws);
void constant_init(View w, float value);

/// How a whole model begins. All but kPyTorch begin biases at 0.
enum class InitScheme {
  kPyTorch,  // as PyTorch's layers do: Linear U(-b, b) with b = 1/sqrt(n_in), bias too; MultiheadAttention's
             // in_proj Xavier uniform and its biases 0
  kXavierUniform,  // for each matrix as PyTorch keeps it: an in_proj_weight has 3 d_model outputs
  kXavierNormal,
  kKaimingUniform,
  kKaimingNormal,
  kNormal,  // N(0, std²)
};

struct Initialization {
  InitScheme scheme = InitScheme::kPyTorch;
  float gain = 1;                            // of Xavier and Kaiming
  bool split_in_proj = false;                // Xavier: w_q, w_k, w_v each as a matrix of its own
  float std = 0.02f;                         // of kNormal
  std::optional<float> embedding_std = {};   // of embeddings and learned positions, N(0, embedding_std²);
                                             // default 1, or std for kNormal
  std::optional<float> projection_std = {};  // of w_q, w_k, w_v, N(0, projection_std²), whatever the scheme
  bool equal_qk = false;                     // w_k begins as a copy of w_q
};

/// Every parameter by its role: a norm's weight and a learned scale begin as 1; biases of norms and of
/// attention and other parameters as 0. Each is drawn from the stream of its name. Throws ValueError for a
/// gain or a standard deviation that is negative or not finite, ShapeError for equal_qk where w_q and w_k
/// have other shapes.
void initialize(Parameters& parameters, const Initialization& initialization, uint64_t seed);

}  // namespace sqrtdk
