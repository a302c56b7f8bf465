#pragma once
// Between JavaScript and C++. Inwards, text and files are bytes in the module's memory, and so are
// the arguments of an operator. Outwards, a call returns 0 or 1 (done or failed) and leaves an answer: its
// text, or the fields of the error. The caller reads the answer before the next call. Nothing here lets
// Embind allocate for a string, because it would not notice that memory is used up.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk::border {

using Pointer = uintptr_t;

inline std::string answer_text;
inline std::vector<uint8_t> answer_bytes;
inline std::string_view answer;

inline void set_answer(std::string text) {
  answer_text = std::move(text);
  answer = answer_text;
}

inline void set_answer(std::vector<uint8_t> bytes) {
  answer_bytes = std::move(bytes);
  answer = {reinterpret_cast<const char*>(answer_bytes.data()), answer_bytes.size()};
}

inline void set_answer(double number) { set_answer(to_general(number, 17)); }

/// As they are: NaN, and every bit.
inline void set_answer(std::span<const double> numbers) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  set_answer(std::vector<uint8_t>(bytes, bytes + numbers.size_bytes()));
}

inline const char* running = "";  // the operator, for what is thrown by memory alone

/// 64-byte aligned; 0 where there is not enough memory.
inline Pointer allocate(double bytes) {
  if (!(bytes < 2147483648.0)) return 0;  // the module's maximum
  void* block = nullptr;
  const size_t size = bytes < 1 ? 1 : static_cast<size_t>(bytes);
  return posix_memalign(&block, 64, size) == 0 ? reinterpret_cast<Pointer>(block) : 0;
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

/// What an operator that tells of its progress calls: JavaScript's function, which answers whether to go on
/// and does not throw.
inline bool (*report)(double number) = nullptr;

}  // namespace sqrtdk::border
