#include "base/errors.h"

#include <initializer_list>

#include "base/decimal.h"
#include "base/text.h"

namespace sqrtdk {
namespace {

// The message repeats at most so many bytes of what came; the field itself is whole. What is not supported
// may be a list, such as that of a model's parameters.
constexpr size_t kShown = 80, kShownList = 10'000;
std::string shown(std::string_view text, size_t most = kShown) {
  return text.empty() ? "nothing" : clipped(text, most);
}

/// The parts one after the other.
std::string sentence(std::initializer_list<std::string_view> parts) { return joined(parts, ""); }

std::string message(ErrorCode code, std::string_view op, std::string_view argument, std::string_view expected,
                    std::string_view got) {
  const std::string came = shown(got, code == ErrorCode::kUnsupported ? kShownList : kShown);
  std::string_view says = ": expected ", then;
  switch (code) {
    case ErrorCode::kOutOfMemory:
      return sentence({op, ": out of memory, ", got, " bytes asked for"});
    case ErrorCode::kCancelled:
      return sentence({op, ": cancelled"});
    case ErrorCode::kUnknownName:
      return sentence({op, ": unknown ", argument.empty() ? "name" : argument, " ", shown(got),
                       ", expected one of ", expected});
    case ErrorCode::kOutOfRange:
      says = expected.find(" .. ") == std::string_view::npos ? " must be " : " must be in ";
      break;
    case ErrorCode::kNotANumber:
      says = expected.find_first_of("aeiou") == 0 ? ": expected an " : ": expected a ";
      break;
    case ErrorCode::kNotAChoice:
      says = " must be one of ";
      break;
    case ErrorCode::kEmpty:
      says = " must have ";
      break;
    case ErrorCode::kTooMany:
      says = " has too many values, expected at most ";
      break;
    case ErrorCode::kWrongShape:
      says = ": expected shape ";
      break;
    case ErrorCode::kTruncated:
      says = " is cut short, expected ";
      then = " bytes";
      break;
    case ErrorCode::kNotFinite:
    case ErrorCode::kUnsupported:
      break;
  }
  return sentence({op, ": ", argument.empty() ? "value" : argument, says, expected, then, ", got ", came});
}

}  // namespace

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOutOfRange:
      return "out_of_range";
    case ErrorCode::kNotANumber:
      return "not_a_number";
    case ErrorCode::kNotAChoice:
      return "not_a_choice";
    case ErrorCode::kUnknownName:
      return "unknown_name";
    case ErrorCode::kEmpty:
      return "empty";
    case ErrorCode::kTooMany:
      return "too_many";
    case ErrorCode::kWrongShape:
      return "wrong_shape";
    case ErrorCode::kNotFinite:
      return "not_finite";
    case ErrorCode::kTruncated:
      return "truncated";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kOutOfMemory:
      return "out_of_memory";
    case ErrorCode::kCancelled:
      return "cancelled";
  }
  return "";
}

Error::Error(const char* type, ErrorCode code, std::string_view op, std::string_view argument,
             std::string_view expected, std::string_view got)
    : std::runtime_error(message(code, op, argument, expected, got)),
      type(type),
      code(code),
      op(op),
      argument(argument),
      expected(expected),
      got(got) {}

void throw_out_of_range(const char* op, const char* argument, int64_t low, int64_t high, int64_t got) {
  throw ValueError(ErrorCode::kOutOfRange, op, argument, to_text(low) + " .. " + to_text(high), to_text(got));
}

void throw_out_of_range(const char* op, const char* argument, const char* expected, double got) {
  const bool finite = got - got == 0;
  throw ValueError(ErrorCode::kOutOfRange, op, argument, expected,
                   finite       ? to_general(got, 9)
                   : got != got ? "NaN"
                   : got > 0    ? "Infinity"
                                : "-Infinity");
}

}  // namespace sqrtdk
