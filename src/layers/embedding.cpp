#include "layers/embedding.h"

#include <utility>

#include "kernels/embedding.h"

namespace sqrtdk {

Embedding::Embedding(Parameters& parameters, const std::string& name, int64_t vocab, int64_t d_model)
    : parameters_(&parameters),
      out_(inside(name, "out")),
      weight_(parameters.add(inside(name, "weight"), {vocab, d_model}, ParameterRole::kEmbedding)),
      d_model_(d_model) {}

View Embedding::forward(IndexView ids, Cache& cache) const {
  const View out = cache.make(out_, ids.shape.first(ids.shape.rank(), d_model_));
  embedding_forward(std::as_const(*parameters_).value(weight_), ids, out);
  return out;
}

void Embedding::backward(IndexView ids, ConstView dout) const {
  embedding_backward(ids, dout, parameters_->gradient(weight_));
}

}  // namespace sqrtdk
