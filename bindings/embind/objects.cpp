#include "objects.h"

#include <cstring>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk::border {
namespace {

std::map<int64_t, std::unique_ptr<Object>> objects;
int64_t last_handle = 0;

void check_idle(const Object& object) {
  if (!object.busy) return;
  throw ValueError(ErrorCode::kUnsupported, object.kind, "handle", "one that is not in use", "in use");
}

}  // namespace

void set_answer(std::unique_ptr<Object> object) {
  objects[++last_handle] = std::move(object);
  set_answer(to_text(last_handle));
}

Object& find_object(double handle, const char* kind) {
  const auto found = objects.find(static_cast<int64_t>(handle));
  if (found == objects.end() || std::strcmp(found->second->kind, kind) != 0) {
    throw ValueError(ErrorCode::kUnknownName, kind, "handle", "those that are there", to_general(handle, 17));
  }
  check_idle(*found->second);
  return *found->second;
}

void remove_object(double handle) {
  const auto found = objects.find(static_cast<int64_t>(handle));
  if (found == objects.end()) return;
  check_idle(*found->second);
  objects.erase(found);
}

}  // namespace sqrtdk::border
