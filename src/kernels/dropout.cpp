#include "kernels/dropout.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "simd/f32x4.h"
#include "tensor/philox.h"

namespace sqrtdk {
namespace {

using namespace simd;

// Elements in groups of 16, four Philox blocks. Element i is dropped where its philox_uniform, the upper 24
// bits of its word times 2^-24, is less than the probability.
class Mask {
 public:
  Mask(float probability, DropoutKey key)
      : philox_(key.seed, key.stream),
        threshold_(splat_u32(static_cast<uint32_t>(std::ceil(probability * 0x1p24f)))) {}

  /// Which of the elements first .. first + 15 are dropped.
  void operator()(uint64_t first, mask4 (&dropped)[4]) const {
    FourBlocks x = philox_(first / 4);
    transpose4(x.word[0], x.word[1], x.word[2], x.word[3]);
    for (int b = 0; b < 4; ++b) dropped[b] = lt_i32(shift_right_u32<8>(x.word[b]), threshold_);
  }

 private:
  Philox philox_;
  u32x4 threshold_;
};

void drop(const char* op, const char* argument, ConstView x, float probability, DropoutKey key, View out) {
  check_shape(op, argument, out.shape, x.shape);
  check_probability(op, probability);
  const int64_t n = x.shape.size();
  if (probability == 0) {
    if (out.data != x.data) std::copy_n(x.data, n, out.data);
    return;
  }
  const Mask mask(probability, key);
  const f32x4 scale = splat(static_cast<float>(1 / (1 - static_cast<double>(probability))));
  mask4 dropped[4];
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    mask(static_cast<uint64_t>(i), dropped);
    for (int b = 0; b < 4; ++b) {
      store(out.data + i + 4 * b, zero_where(dropped[b], load(x.data + i + 4 * b) * scale));
    }
  }
  if (i == n) return;
  float rest[16] = {};
  std::copy(x.data + i, x.data + n, rest);
  mask(static_cast<uint64_t>(i), dropped);
  for (int b = 0; b < 4; ++b) store(rest + 4 * b, zero_where(dropped[b], load(rest + 4 * b) * scale));
  std::copy_n(rest, n - i, out.data + i);
}

}  // namespace

void check_probability(const char* op, float probability) {
  if (!(probability >= 0 && probability < 1)) {
    throw_out_of_range(op, "probability", "0 .. 1, without 1", probability);
  }
}

void dropout_forward(ConstView x, float probability, DropoutKey key, View out) {
  drop("dropout", "out", x, probability, key, out);
}

void dropout_backward(ConstView dout, float probability, DropoutKey key, View dx) {
  drop("dropout_backward", "dx", dout, probability, key, dx);
}

}  // namespace sqrtdk
