#pragma once
// Keys and values of the positions that a decoder-only model has seen, so that the next position costs one
// row of attention instead of all.
#include <vector>

#include "tensor/tensor.h"

namespace sqrtdk {

/// What one layer's attention keeps: its first n_past positions are filled.
struct PastKeys {
  View k, v;  // [batch, n_kv_heads, capacity, d_head]
  int64_t n_past;
};

class KeyValueCache {
 public:
  /// Throws ValueError for numbers below 1, or whose product exceeds 2^40, and OutOfMemory.
  KeyValueCache(int64_t n_layers, int64_t batch, int64_t n_kv_heads, int64_t capacity, int64_t d_head);

  int64_t n_layers() const { return static_cast<int64_t>(keys_.size()); }
  const Shape& shape() const { return shape_; }  // of one layer's keys: [batch, n_kv_heads, capacity, d_head]
  int64_t batch() const { return shape_[0]; }
  int64_t capacity() const { return shape_[2]; }
  int64_t length() const { return length_; }  // positions seen
  /// Throws ValueError for a layer that is none.
  PastKeys layer(int64_t i);
  /// After every layer has appended its n positions. Throws ValueError where they exceed the capacity.
  void advance(int64_t n);
  void clear() { length_ = 0; }

 private:
  Shape shape_;
  std::vector<Storage> keys_, values_;
  int64_t length_ = 0;
};

}  // namespace sqrtdk
