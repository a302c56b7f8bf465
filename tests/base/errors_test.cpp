#include "base/errors.h"

#include <doctest/doctest.h>

#include <cstring>
#include <set>

using namespace sqrtdk;

namespace {

std::string line(ErrorCode code, const char* argument, const char* expected, const std::string& got) {
  return ValueError(code, "op", argument, expected, got).what();
}

}  // namespace

TEST_CASE("errors: one clear line for every code") {
  CHECK(line(ErrorCode::kOutOfRange, "d", "1 .. 16384", "1000000000") ==
        "op: d must be in 1 .. 16384, got 1000000000");
  CHECK(line(ErrorCode::kNotANumber, "d", "integer", "1.5") == "op: d: expected an integer, got 1.5");
  CHECK(line(ErrorCode::kNotANumber, "mean", "number", "") == "op: mean: expected a number, got nothing");
  CHECK(line(ErrorCode::kNotAChoice, "rng", "philox, torch", "x") ==
        "op: rng must be one of philox, torch, got x");
  CHECK(line(ErrorCode::kUnknownName, "parameter", "d, seed", "e") ==
        "op: unknown parameter e, expected one of d, seed");
  CHECK(line(ErrorCode::kUnknownName, "", "d, seed", "e") == "op: unknown name e, expected one of d, seed");
  CHECK(line(ErrorCode::kEmpty, "d", "at least 1 value", "") ==
        "op: d must have at least 1 value, got nothing");
  CHECK(line(ErrorCode::kTooMany, "d", "16", "17") ==
        "op: d has too many values, expected at most 16, got 17");
  CHECK(line(ErrorCode::kWrongShape, "k", "(2, n, 64)", "(2, 10, 32)") ==
        "op: k: expected shape (2, n, 64), got (2, 10, 32)");
  CHECK(line(ErrorCode::kNotFinite, "q", "finite numbers", "NaN in row 2, column 3") ==
        "op: q: expected finite numbers, got NaN in row 2, column 3");
  CHECK(line(ErrorCode::kTruncated, "q", "128", "100") == "op: q is cut short, expected 128 bytes, got 100");
  CHECK(line(ErrorCode::kUnsupported, "q", "f4 f8", "dtype >f4") == "op: q: expected f4 f8, got dtype >f4");
  CHECK(line(ErrorCode::kOutOfMemory, "", "", "1024") == "op: out of memory, 1024 bytes asked for");
  CHECK(line(ErrorCode::kCancelled, "", "", "") == "op: cancelled");
}

TEST_CASE("errors: hostile text stays one short line; the field itself is whole") {
  const std::string got = "a\nb\x1b[31m" + std::string(1000, 'x');
  const ValueError error(ErrorCode::kNotANumber, "op", "d", "number", got);
  const std::string what = error.what();
  CHECK(what.size() < 140);
  CHECK(what.find_first_of("\n\x1b") == std::string::npos);
  CHECK(what.substr(what.size() - 4) == "x...");
  CHECK(error.got == got);
  // A cut never splits a UTF-8 character: 80 bytes hold 26 characters of three bytes.
  std::string chinese;
  for (int i = 0; i < 40; ++i) chinese += "\xE6\xB3\xA8";
  const std::string cut = line(ErrorCode::kNotANumber, "d", "number", chinese);
  CHECK(cut == "op: d: expected a number, got " + chinese.substr(0, 78) + "...");
}

TEST_CASE("errors: the class's name and the fields travel with the error") {
  const auto check = [](const Error& error, const char* type) {
    CHECK(std::strcmp(error.type, type) == 0);
    CHECK(error.code == ErrorCode::kEmpty);
    CHECK(error.op == "o");
    CHECK(error.argument == "a");
    CHECK(error.expected == "e");
    CHECK(error.got == "g");
  };
  check(ValueError(ErrorCode::kEmpty, "o", "a", "e", "g"), "ValueError");
  check(ShapeError(ErrorCode::kEmpty, "o", "a", "e", "g"), "ShapeError");
  check(FormatError(ErrorCode::kEmpty, "o", "a", "e", "g"), "FormatError");
  check(OutOfMemory(ErrorCode::kEmpty, "o", "a", "e", "g"), "OutOfMemory");
  check(Cancelled(ErrorCode::kEmpty, "o", "a", "e", "g"), "Cancelled");
}

TEST_CASE("errors: every code has a name of its own") {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCancelled); ++code) {
    names.insert(error_code_name(static_cast<ErrorCode>(code)));
  }
  CHECK(names == std::set<std::string>{"out_of_range", "not_a_number", "not_a_choice", "unknown_name",
                                       "empty", "too_many", "wrong_shape", "not_finite", "truncated",
                                       "unsupported", "out_of_memory", "cancelled"});
}
