#pragma once
// Walking through tensors that lie in different orders: each has a step for each dimension.
#include <cstddef>

#include "tensor/tensor.h"

namespace sqrtdk {

/// The dimensions that two tensors are walked through together.
class Strided {
 public:
  using Step = std::ptrdiff_t;
  static constexpr int kTensors = 2;

  struct Dimension {
    Step size, step[kTensors];
  };

  /// The next inner dimension. One of size 1 is left out, and one that goes on where the last ends is joined
  /// to it.
  void add(Step size, Step first, Step second) {
    if (size == 1) return;
    empty_ |= size == 0;
    if (rank_ > 0) {
      Dimension& last = dims_[rank_ - 1];
      if (last.step[0] == size * first && last.step[1] == size * second) {
        last = {last.size * size, {first, second}};
        return;
      }
    }
    dims_[rank_++] = {size, {first, second}};
  }

  int rank() const { return rank_; }
  Dimension& operator[](int i) { return dims_[i]; }
  Dimension last() const { return rank_ > 0 ? dims_[rank_ - 1] : Dimension{1, {}}; }

  /// run(first, second): where the elements lie at each place of all but the `inner` last dimensions.
  template <class Run>
  void each(int inner, Run run) const {
    if (empty_) return;
    Step index[Shape::kMaxRank] = {}, at[kTensors] = {};
    while (true) {
      run(at[0], at[1]);
      int i = rank_ - inner - 1;
      for (; i >= 0; --i) {
        const Dimension& dim = dims_[i];
        const bool more = ++index[i] < dim.size;
        for (int t = 0; t < kTensors; ++t) at[t] += dim.step[t] - (more ? 0 : dim.size * dim.step[t]);
        if (more) break;
        index[i] = 0;
      }
      if (i < 0) return;
    }
  }

 private:
  int rank_ = 0;
  bool empty_ = false;
  Dimension dims_[Shape::kMaxRank];
};

}  // namespace sqrtdk
