#pragma once
// Token embedding: rows of a table [vocab, d_model] by index.
#include "layers/layer.h"

namespace sqrtdk {

class Embedding {
 public:
  /// Registers "<name>.weight".
  Embedding(Parameters& parameters, const std::string& name, int64_t vocab, int64_t d_model);
  View forward(IndexView ids, Cache& cache) const;     // ids: [..] -> "<name>.out" [.., d_model]
  void backward(IndexView ids, ConstView dout) const;  // adds to the table's gradient
  int weight() const { return weight_; }

 private:
  Parameters* parameters_;
  CacheName out_;
  int weight_;
  int64_t d_model_;
};

}  // namespace sqrtdk
