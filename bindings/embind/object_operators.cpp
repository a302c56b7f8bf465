#include "objects.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

void release(Arguments& given) { remove_object(given.number()); }

}  // namespace

std::span<const Operator> object_operators() {
  static constexpr Operator kOperators[] = {{"release_object", &call<release>}};
  return kOperators;
}

}  // namespace sqrtdk::border
