#pragma once
// The error that a call throws.
#include <stdexcept>

namespace sqrtdk {

/// Throws where the call throws nothing, or another error than an E, so that the test fails.
template <class E, class Call>
E thrown_by(Call call) {
  try {
    call();
  } catch (const E& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

}  // namespace sqrtdk
