#pragma once

namespace sqrtdk::simd {

/// std::bit_cast, which libc++ 14 (Emscripten 3.1.6) does not have yet.
template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace sqrtdk::simd
