#pragma once
// Objects that live from call to call, such as layers, behind handles: numbers that are never used twice, so
// that a call with the handle of one that is gone is noticed.
#include <memory>

#include "arguments.h"

namespace sqrtdk::border {

class Object {
 public:
  explicit Object(const char* kind) : kind(kind) { running = kind; }
  virtual ~Object() = default;
  const char* const kind;
  bool busy = false;  // in a call that calls JavaScript
};

/// Until it ends, other calls with this object throw.
class Busy {
 public:
  explicit Busy(Object& object) : object_(object) { object_.busy = true; }
  ~Busy() { object_.busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Object& object_;
};

/// Answers the handle.
void set_answer(std::unique_ptr<Object> object);
/// Throws ValueError where there is none of that handle and kind, or it is busy.
Object& find_object(double handle, const char* kind);
/// Harmless where it is gone. Throws ValueError where it is busy.
void remove_object(double handle);

template <class T>
T& object(Arguments& given) {
  T& found = static_cast<T&>(find_object(given.number(), T::kKind));
  if constexpr (requires { found.op; }) {
    running = found.op;
  } else {
    running = T::kKind;
  }
  return found;
}

}  // namespace sqrtdk::border
