// ONNX RotaryEmbedding. https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
#include <numeric>

#include "conformance/operators.h"
#include "kernels/rotary.h"

namespace sqrtdk::conformance {

void onnx_rotary(Case& reference, Results& results) {
  const Tensor& tensor = reference.required(0);
  const bool flat = tensor.dims.size() == 3;  // [batch, n, heads · d]
  Floats x(tensor);
  if (flat) {
    const int64_t n_heads = reference.integer("num_heads", 0);
    if (n_heads < 1 || tensor.dims[2] % n_heads != 0) throw std::runtime_error("case.json: num_heads");
    x = swap_middle(x.reshape({tensor.dims[0], tensor.dims[1], n_heads, tensor.dims[2] / n_heads}));
  }
  if (x.shape().rank() != 4) throw std::runtime_error("the input has neither 3 nor 4 dimensions");
  const int64_t batch = x.shape()[0], n = x.shape()[2];

  Floats cos(reference.required(1)), sin(reference.required(2));
  const int64_t columns = cos.shape()[-1];
  const int64_t rotated = reference.integer("rotary_embedding_dim", 0);
  if (2 * columns != (rotated > 0 ? rotated : x.shape()[-1])) throw std::runtime_error("the caches' columns");

  // Without positions the caches hold rows [batch, n]; their row for (b, i) is b · n + i.
  std::vector<int32_t> positions(static_cast<size_t>(batch * n));
  std::iota(positions.begin(), positions.end(), 0);
  if (const Tensor* position_ids = reference.input(3)) {
    positions = Indices(*position_ids).values;
  } else {
    cos.reshape({batch * n, columns}), sin.reshape({batch * n, columns});
  }
  if (static_cast<int64_t>(positions.size()) != batch * n) throw std::runtime_error("position_ids");

  Floats out(x.shape());
  const RotaryPairs pairs =
      reference.integer("interleaved", 0) ? RotaryPairs::kInterleaved : RotaryPairs::kHalves;
  rotary_forward(x.view(), cos.view(), sin.view(), {positions.data(), {batch, n}}, pairs, out.view());
  results.add(0, flat ? swap_middle(out).reshape(shape_of(tensor.dims)) : out);
}

}  // namespace sqrtdk::conformance
