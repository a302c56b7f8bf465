#pragma once
// Numbers and memory for tests, independent of the library.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace sqrtdk::reference {

/// Normal numbers by the sum of twelve uniforms (splitmix64), good enough to test with.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  float normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return static_cast<float>(sum);
  }
  std::vector<float> normals(int64_t n, float scale = 1) {
    std::vector<float> values(static_cast<size_t>(n));
    for (float& value : values) value = scale * normal();
    return values;
  }

 private:
  uint64_t state_;
};

inline std::vector<double> widen(const std::vector<float>& x) { return {x.begin(), x.end()}; }

/// n floats between poisoned margins, `shift` floats off any alignment.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(int64_t n, int64_t shift = 0)
      : memory_(static_cast<size_t>(n + shift + 2 * kMargin)), start_(kMargin + shift), n_(n) {
    for (size_t i = 0; i < memory_.size(); ++i) memory_[i] = poison(i);
  }
  GuardedBuffer(const std::vector<float>& values, int64_t shift)
      : GuardedBuffer(static_cast<int64_t>(values.size()), shift) {
    for (size_t i = 0; i < values.size(); ++i) data()[i] = values[i];
  }
  float* data() { return memory_.data() + start_; }
  std::vector<float> values() const { return {memory_.begin() + start_, memory_.begin() + start_ + n_}; }
  bool intact() const {
    for (int64_t i = 0; i < static_cast<int64_t>(memory_.size()); ++i) {
      const bool inside = i >= start_ && i < start_ + n_;
      const float expected = poison(static_cast<size_t>(i));
      if (!inside && std::memcmp(&memory_[static_cast<size_t>(i)], &expected, sizeof expected) != 0)
        return false;
    }
    return true;
  }

 private:
  static constexpr int64_t kMargin = 64;
  /// Another at each place, so that what is copied from one margin into another is seen.
  static float poison(size_t i) { return -1.2345678e-30f * static_cast<float>(i + 1); }
  std::vector<float> memory_;
  int64_t start_, n_;
};

}  // namespace sqrtdk::reference
