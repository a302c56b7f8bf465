#include "operators.h"

namespace sqrtdk::border {

std::span<const Operator> object_operators() {
  static constexpr Operator kOperators[] = {op<remove_object>("release_object", "handle")};
  return kOperators;
}

}  // namespace sqrtdk::border
