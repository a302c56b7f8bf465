#include "base/errors.h"

#include "base/decimal.h"
#include "base/text.h"

namespace sqrtdk {
namespace {

// The message repeats at most so many bytes of what came; the field itself is whole. What is not supported
// may be a list, such as that of a model's parameters.
constexpr size_t kShown = 80, kShownList = 10'000;
std::string shown(const std::string& text, size_t most = kShown) {
  return text.empty() ? "nothing" : clipped(text, most);
}

std::string with_article(const std::string& noun) {
  return (noun.find_first_of("aeiou") == 0 ? "an " : "a ") + noun;
}

std::string message(ErrorCode code, const std::string& op, const std::string& argument,
                    const std::string& expected, const std::string& got) {
  const std::string name = argument.empty() ? "value" : argument;
  const std::string subject = op + ": " + name;
  const std::string but = ", got " + shown(got, code == ErrorCode::kUnsupported ? kShownList : kShown);
  switch (code) {
    case ErrorCode::kOutOfRange:
      return subject + (expected.find(" .. ") == std::string::npos ? " must be " : " must be in ") +
             expected + but;
    case ErrorCode::kNotANumber:
      return subject + ": expected " + with_article(expected) + but;
    case ErrorCode::kNotAChoice:
      return subject + " must be one of " + expected + but;
    case ErrorCode::kUnknownName:
      return op + ": unknown " + (argument.empty() ? "name " : argument + " ") + shown(got) +
             ", expected one of " + expected;
    case ErrorCode::kEmpty:
      return subject + " must have " + expected + but;
    case ErrorCode::kTooMany:
      return subject + " has too many values, expected at most " + expected + but;
    case ErrorCode::kWrongShape:
      return subject + ": expected shape " + expected + but;
    case ErrorCode::kNotFinite:
      return subject + ": expected " + expected + but;
    case ErrorCode::kTruncated:
      return subject + " is cut short, expected " + expected + " bytes" + but;
    case ErrorCode::kUnsupported:
      return subject + ": expected " + expected + but;
    case ErrorCode::kOutOfMemory:
      return op + ": out of memory, " + got + " bytes asked for";
    case ErrorCode::kCancelled:
      return op + ": cancelled";
  }
  return op;
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

Error::Error(const char* type, ErrorCode code, std::string op, std::string argument, std::string expected,
             std::string got)
    : std::runtime_error(message(code, op, argument, expected, got)),
      type(type),
      code(code),
      op(std::move(op)),
      argument(std::move(argument)),
      expected(std::move(expected)),
      got(std::move(got)) {}

void throw_out_of_range(const char* op, const char* argument, int64_t low, int64_t high, int64_t got) {
  throw ValueError(ErrorCode::kOutOfRange, op, argument, std::to_string(low) + " .. " + std::to_string(high),
                   std::to_string(got));
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
