#pragma once
// The typed errors of the library. Each names the operator, the argument, what came and what was
// expected, as separate fields, so that every front end can say it in its own language.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sqrtdk {

/// What went wrong with an argument. The names (`error_code_name`) are part of the public API.
enum class ErrorCode {
  kOutOfRange,   // expected: "1 .. 16384"
  kNotANumber,   // expected: what kind of number, e.g. "integer", "number"
  kNotAChoice,   // expected: the allowed values, comma separated
  kUnknownName,  // expected: the allowed names, comma separated
  kEmpty,        // expected: "at least 1 value" or the like
  kTooMany,      // expected: the allowed maximum
  kWrongShape,   // expected: a shape, e.g. "(n_keys, 32)"
  kNotFinite,    // expected: "finite numbers"; got: where and which, e.g. "NaN in row 2, column 3"
  kTruncated,    // expected: bytes needed; got: bytes present
  kUnsupported,  // expected: what is supported; got: what came
  kOutOfMemory,  // got: bytes asked for
  kCancelled,
};

const char* error_code_name(ErrorCode code);  // "out_of_range", "not_a_number", ...

class Error : public std::runtime_error {
 public:
  Error(const char* type, ErrorCode code, std::string_view op, std::string_view argument,
        std::string_view expected, std::string_view got);
  const char* type;  // "ValueError", "ShapeError", ...: the name of the class
  ErrorCode code;
  std::string op;        // the operator or experiment
  std::string argument;  // the argument's name; may be empty
  std::string expected;  // language-neutral where possible: a range, a list, a shape
  std::string got;
};

// Each has the constructor (code, op, argument, expected, got).
#define SQRTDK_ERROR(Name)                                                                          \
  struct Name : Error {                                                                             \
    Name(ErrorCode code, std::string_view op, std::string_view argument, std::string_view expected, \
         std::string_view got)                                                                      \
        : Error(#Name, code, op, argument, expected, got) {}                                        \
  };
SQRTDK_ERROR(ValueError)   // a value outside what is allowed
SQRTDK_ERROR(ShapeError)   // shapes that do not fit each other
SQRTDK_ERROR(FormatError)  // a file or text that cannot be read
SQRTDK_ERROR(OutOfMemory)
SQRTDK_ERROR(Cancelled)  // the caller's progress function asked to stop
#undef SQRTDK_ERROR

/// Throw ValueError: `got` is not in low .. high, or not what `expected` says.
[[noreturn]] void throw_out_of_range(const char* op, const char* argument, int64_t low, int64_t high,
                                     int64_t got);
[[noreturn]] void throw_out_of_range(const char* op, const char* argument, const char* expected, double got);

}  // namespace sqrtdk
