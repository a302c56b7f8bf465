#pragma once
// A refusal of a whole number says the range: its ends are taken, and what is beyond them is not.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "base/errors.h"
#include "reference/thrown_by.h"

namespace sqrtdk::reference {

/// `call(value)` is refused, and says that `argument` has to be in low .. high.
template <class Call>
void check_refused(const char* argument, int64_t low, int64_t high, int64_t value, Call call) {
  CAPTURE(argument);
  const ValueError error = thrown_by<ValueError>([&] { call(value); });
  CHECK(error.argument == argument);
  CHECK(error.expected == std::to_string(low) + " .. " + std::to_string(high));
  CHECK(error.got == std::to_string(value));
}

/// `call` takes the whole numbers of low .. high.
template <class Call>
void check_range(const char* argument, int64_t low, int64_t high, Call call) {
  for (const int64_t beyond : {low - 1, high + 1}) check_refused(argument, low, high, beyond, call);
  for (const int64_t end : {low, high}) CHECK_NOTHROW(call(end));
}

}  // namespace sqrtdk::reference
