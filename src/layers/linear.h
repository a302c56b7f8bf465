#pragma once
// y = x wᵀ + b, with w [n_out, n_in] as PyTorch keeps it.
#include "kernels/product/matmul.h"
#include "layers/layer.h"

namespace sqrtdk {

class Linear {
 public:
  /// Registers "<name>.weight" [n_out, n_in] and, with bias, "<name>.bias" [n_out].
  Linear(Parameters& parameters, const std::string& name, int64_t n_in, int64_t n_out, bool bias = true);
  /// On n_out rows of parameters that are there; a bias of parameter -1 is none. Throws ShapeError,
  /// ValueError.
  Linear(Parameters& parameters, const std::string& name, Rows weight, Rows bias, int64_t n_out);

  View forward(ConstView x, Cache& cache) const;      // x: [.., n_in] -> "<name>.out" [.., n_out]
  View backward(ConstView dout, Cache& cache) const;  // -> "<name>.dx" [.., n_in]
  ConstView x(const Cache& cache) const { return cache.kept(x_); }  // what forward was given
  int64_t n_in() const { return n_in_; }
  int64_t n_out() const { return n_out_; }
  int weight() const { return weight_.parameter; }
  int bias() const { return bias_.parameter; }  // -1 where there is none

 private:
  ConstView weights() const;

  Parameters* parameters_;
  CacheName x_, out_, dx_;  // names in the cache
  Rows weight_, bias_;
  int64_t n_in_, n_out_;
  int matrix_ = -1;  // of the parameters' packed ones
};

}  // namespace sqrtdk
