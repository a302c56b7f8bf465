#pragma once
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a block of four
// 32-bit words from a 128-bit counter and a 64-bit key, here four blocks at a time. The key is the seed; the
// counter is (block, stream), 64 bits each.
#include "simd/f32x4.h"

namespace sqrtdk {

/// The four words of four consecutive blocks: lane b of word[w] is word w of block b.
struct FourBlocks {
  simd::u32x4 word[4];
};

class Philox {
 public:
  Philox(uint64_t seed, uint64_t stream) {
    auto key_low = static_cast<uint32_t>(seed), key_high = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < kRounds; ++round) {
      key_low_[round] = simd::splat_u32(key_low);
      key_high_[round] = simd::splat_u32(key_high);
      key_low += 0x9E3779B9;
      key_high += 0xBB67AE85;
    }
    stream_low_ = simd::splat_u32(static_cast<uint32_t>(stream));
    stream_high_ = simd::splat_u32(static_cast<uint32_t>(stream >> 32));
  }

  /// The blocks of the counters (block, stream) ... (block + 3, stream); block is a multiple of 4, so that
  /// only its low two bits differ.
  FourBlocks operator()(uint64_t block) const {
    simd::u32x4 x0 = simd::splat_u32(static_cast<uint32_t>(block)) + simd::make_u32(0, 1, 2, 3);
    simd::u32x4 x1 = simd::splat_u32(static_cast<uint32_t>(block >> 32));
    simd::u32x4 x2 = stream_low_, x3 = stream_high_;
#pragma GCC unroll 10
    for (int round = 0; round < kRounds; ++round) {
      const simd::Product4 p0 = simd::multiply(x0, simd::splat_u32(0xD2511F53));
      const simd::Product4 p1 = simd::multiply(x2, simd::splat_u32(0xCD9E8D57));
      x0 = (p1.high ^ x1) ^ key_low_[round];
      x1 = p1.low;
      x2 = (p0.high ^ x3) ^ key_high_[round];
      x3 = p0.low;
    }
    return {{x0, x1, x2, x3}};
  }

 private:
  static constexpr int kRounds = 10;
  simd::u32x4 key_low_[kRounds], key_high_[kRounds], stream_low_, stream_high_;
};

}  // namespace sqrtdk
