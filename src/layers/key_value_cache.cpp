#include "layers/key_value_cache.h"

#include "base/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kOp = "key_value_cache";
constexpr int64_t kMaxSize = int64_t{1} << 40;

}  // namespace

KeyValueCache::KeyValueCache(int64_t n_layers, int64_t batch, int64_t n_kv_heads, int64_t capacity,
                             int64_t d_head) {
  const struct {
    const char* name;
    int64_t value;
  } sizes[] = {{"n_layers", n_layers},
               {"batch", batch},
               {"n_kv_heads", n_kv_heads},
               {"capacity", capacity},
               {"d_head", d_head}};
  int64_t most = kMaxSize;
  for (const auto& [name, value] : sizes) {
    if (value < 1 || value > most) throw_out_of_range(kOp, name, 1, most, value);
    most /= value;
  }
  shape_ = {batch, n_kv_heads, capacity, d_head};
  for (int64_t i = 0; i < n_layers; ++i) {
    keys_.emplace_back(shape_.size());
    values_.emplace_back(shape_.size());
  }
}

PastKeys KeyValueCache::layer(int64_t i) {
  if (i < 0 || i >= n_layers()) throw_out_of_range(kOp, "layer", 0, n_layers() - 1, i);
  const size_t index = static_cast<size_t>(i);
  return {{keys_[index].data(), shape_}, {values_[index].data(), shape_}, length_};
}

void KeyValueCache::advance(int64_t n) {
  if (n < 0 || n > capacity() - length_) throw_out_of_range(kOp, "n", 0, capacity() - length_, n);
  length_ += n;
}

}  // namespace sqrtdk
