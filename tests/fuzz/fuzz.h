#pragma once
// What the fuzz targets share. doctest's assertions, which tests/reference has, end the run where they fail:
// fuzz.cpp.
#include <doctest/doctest.h>
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/errors.h"

namespace sqrtdk::fuzz {

using Bytes = std::span<const uint8_t>;

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What one of libFuzzer's inputs decides, by name.
class Choices : public FuzzedDataProvider {
 public:
  explicit Choices(Bytes input) : FuzzedDataProvider(input.data(), input.size()) {}
  int64_t between(int64_t low, int64_t high) { return ConsumeIntegralInRange<int64_t>(low, high); }
  bool one_in(int64_t n) { return between(1, n) == n; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<int64_t>(values.size()) - 1)];
  }
};

/// Whether the call is refused with a typed error that says what is wrong; any other exception ends the run.
template <class Call>
bool refused(Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(!error.op.empty());
    CHECK(!(error.expected.empty() && error.got.empty()));
    return true;
  }
  return false;
}

/// Each target's: one input.
void run(Bytes input);

}  // namespace sqrtdk::fuzz
