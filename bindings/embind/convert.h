#pragma once
// Between JavaScript and C++. Inwards, text and files are bytes in the module's memory, and so are
// the arguments of an operator. Outwards, a call returns 0 or 1 (done or failed) and leaves an answer: its
// text, or the fields of the error. The caller reads the answer before the next call. Nothing here lets
// Embind allocate for a string, because it would not notice that memory is used up.
#include <emscripten/val.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "lab/experiment.h"

namespace sqrtdk::border {

using emscripten::val;
using Pointer = uintptr_t;

inline std::string answer_text;
inline std::vector<uint8_t> answer_bytes;
inline char error_text[8192];  // fixed, so that running out of memory can be told
inline std::string_view answer;

inline void set_answer(std::string text) {
  answer_text = std::move(text);
  answer = answer_text;
}

inline void set_answer(std::vector<uint8_t> bytes) {
  answer_bytes = std::move(bytes);
  answer = {reinterpret_cast<const char*>(answer_bytes.data()), answer_bytes.size()};
}

/// Fields are separated by '\0', which becomes a blank where it comes from a file; a long one is cut.
inline void set_error(const char* type, const char* code, std::string_view op, std::string_view argument,
                      std::string_view expected, std::string_view got, std::string_view message) {
  const std::string_view fields[] = {type, code, op, argument, expected, got, message};
  constexpr size_t kLongest = sizeof error_text / std::size(fields) - 1;
  char* end = error_text;
  for (const std::string_view field : fields) {
    end = std::replace_copy(field.data(), field.data() + std::min(field.size(), kLongest), end, '\0', ' ');
    *end++ = '\0';
  }
  answer = {error_text, static_cast<size_t>(end - 1 - error_text)};
}

inline const char* running = "";  // the operator, for what is thrown by memory alone

/// The exception in flight becomes the answer.
inline void answer_exception() {
  try {
    throw;
  } catch (const OutOfMemory& e) {
    const OutOfMemory named(e.code, running, e.argument, e.expected, e.got);
    set_error(e.type, error_code_name(e.code), running, e.argument, e.expected, e.got, named.what());
  } catch (const Error& e) {
    set_error(e.type, error_code_name(e.code), e.op, e.argument, e.expected, e.got, e.what());
  } catch (const std::bad_alloc&) {
    set_error("OutOfMemory", error_code_name(ErrorCode::kOutOfMemory), running, "", "", "", "out of memory");
  } catch (const std::exception& e) {
    set_error("SqrtdkError", "internal", running, "", "", "", e.what());
  }
}

/// Runs `body`; returns 0, or 1 where it threw.
template <class Body>
int guarded(const char* op, Body body) {
  try {
    running = op;
    answer = {};
    if (!answer_bytes.empty()) std::vector<uint8_t>().swap(answer_bytes);
    body();
    return 0;
  } catch (...) {
    answer_exception();
    return 1;
  }
}

/// 64-byte aligned; 0 where there is not enough memory.
inline Pointer allocate(double bytes) {
  if (!(bytes < 2147483648.0)) return 0;  // the module's maximum
  void* block = nullptr;
  const size_t size = bytes < 1 ? 1 : static_cast<size_t>(bytes);
  return posix_memalign(&block, 64, size) == 0 ? reinterpret_cast<Pointer>(block) : 0;
}

inline std::string_view text(Pointer pointer, size_t size) {
  return {reinterpret_cast<const char*>(pointer), size};
}

/// "id\0name\0value\0name\0value": what to run.
struct Request {
  std::string id;
  std::map<std::string, std::string> params;

  explicit Request(std::string_view text) {
    id = next(text);
    while (!text.empty()) {
      std::string name = next(text);
      params[std::move(name)] = next(text);
    }
  }

 private:
  static std::string next(std::string_view& text) {
    const size_t end = std::min(text.find('\0'), text.size());
    std::string field(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return field;
  }
};

/// A function that takes the share done and returns whether to go on; it must not throw.
inline Progress progress(const val& callback) {
  if (callback.isUndefined()) return {};
  return [&callback](double share) { return callback(share).as<bool>(); };
}

}  // namespace sqrtdk::border
