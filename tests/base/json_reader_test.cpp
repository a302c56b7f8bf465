#include "base/json_reader.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;

namespace {

// What `use` says of a reader of exactly these bytes, or the error: "expected|got".
template <class Use>
std::string outcome(const std::string& text, Use use) {
  const std::vector<char> exact(text.begin(), text.end());  // so that a read past the end is caught
  JsonReader json({exact.data(), exact.size()}, "op", "file");
  try {
    return use(json);
  } catch (const FormatError& error) {
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.op == "op");
    CHECK(error.argument == "file");
    return error.expected + "|" + error.got;
  }
}

std::string skipped(const std::string& text) {
  return outcome(text, [](JsonReader& json) {
    const std::string value(json.skip());
    json.end();
    return value;
  });
}
std::string string_in(const std::string& text) {
  return outcome(text, [](JsonReader& json) {
    const std::string value = json.string();
    json.end();
    return value;
  });
}
std::string integer_in(const std::string& text) {
  return outcome(text, [](JsonReader& json) {
    const int64_t value = json.integer();
    json.end();
    return std::to_string(value);
  });
}

}  // namespace

TEST_CASE("json: values one after another") {
  const std::string text = " { \"a\" : [ 1 , -2.5e1, true,false , null ] ,\t\"b\":{},\r\n\"c\" : [] } ";
  JsonReader json(text, "op", "file");
  std::string key;
  json.begin_object();
  CHECK(json.next_key(key));
  CHECK(key == "a");
  CHECK(json.kind() == JsonReader::Kind::kArray);
  json.begin_array();
  CHECK(json.next_element());
  CHECK(json.kind() == JsonReader::Kind::kNumber);
  CHECK(json.integer() == 1);
  CHECK(json.next_element());
  CHECK(json.number() == -25);
  CHECK(json.next_element());
  CHECK(json.boolean());
  CHECK(json.next_element());
  CHECK_FALSE(json.boolean());
  CHECK(json.next_element());
  json.null();
  CHECK_FALSE(json.next_element());
  CHECK(json.next_key(key));
  CHECK(json.skip() == "{}");
  CHECK(json.next_key(key));
  CHECK(json.skip() == "[]");
  CHECK_FALSE(json.next_key(key));
  json.end();
}

TEST_CASE("json: strings and their escapes") {
  CHECK(string_in(R"("")") == "");
  CHECK(string_in(R"("a\"\\\/\b\f\n\r\tz")") == "a\"\\/\b\f\n\r\tz");
  CHECK(string_in(R"("\u0041\u00e9\u20AC\ud83D\uDE00")") == "A\u00e9\u20ac\U0001F600");
  CHECK(string_in("\"\u6743\u91cd \U0001F600\"") == "\u6743\u91cd \U0001F600");
  CHECK(string_in(R"("\u0000")") == std::string(1, '\0'));

  CHECK(string_in("\"ab") == "'\"'|the end at byte 3");
  CHECK(string_in("\"ab\\") == "'\"'|the end at byte 4");
  CHECK(string_in("\"a\nb\"") == "a JSON string|a control character at byte 2");
  CHECK(string_in(R"("\x41")") == "a JSON string|an unknown escape at byte 1");
  CHECK(string_in(R"("\u00g1")") == "four hexadecimal digits|other text at byte 5");
  CHECK(string_in("\"\\u00") == "four hexadecimal digits|other text at byte 5");
  for (const char* half :
       {R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\n")", R"("\ud83d\ud83d")", R"("\ude00")"}) {
    CHECK(string_in(half) == "a JSON string|half a surrogate pair at byte 1");
  }
  for (const char* bytes : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
                            "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xC3"}) {
    CHECK(string_in("\"" + std::string(bytes) + "\"") == "UTF-8|other bytes at byte 1");
    CHECK(string_in("\"" + std::string(bytes)) == "UTF-8|other bytes at byte 1");
  }
  CHECK(string_in("'a'") == "a JSON string|''' at byte 0");
}

TEST_CASE("json: every character written and read back") {
  std::string text;
  for (int c = 0; c < 0x80; ++c) text += static_cast<char>(c);
  text += "\u00e9\u20ac\U0001F600";
  std::string json;
  append_json_string(json, text);
  CHECK(string_in(json) == text);
  CHECK(json.find("\\u0000\\u0001") == 1);
}

TEST_CASE("json: integers and numbers") {
  CHECK(integer_in("0") == "0");
  CHECK(integer_in("-0") == "0");
  CHECK(integer_in("9223372036854775807") == "9223372036854775807");
  CHECK(integer_in("-9223372036854775808") == "-9223372036854775808");
  for (const char* beyond : {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
                             "99999999999999999999999999"}) {
    CHECK(integer_in(beyond) == "an integer of 64 bits|" + std::string(beyond) + " at byte 0");
  }
  for (const char* other : {"1.0", "1e2", "-0.5"}) {
    CHECK(integer_in(other) == "an integer|" + std::string(other) + " at byte 0");
  }
  CHECK(integer_in("01") == "the end of the JSON text|'1' at byte 1");
  CHECK(integer_in("+1") == "a JSON number|'+' at byte 0");
  for (const char* bad : {"-", ".5", "1.", "1e", "1e+", "-.5", "NaN", "Infinity", "- 1"}) {
    CHECK(integer_in(bad).substr(0, 14) == "a JSON number|");
  }
  CHECK(outcome("1e400", [](JsonReader& json) {
          return std::to_string(json.number() == std::numeric_limits<double>::infinity());
        }) == "1");
}

TEST_CASE("json: what is not JSON") {
  CHECK(skipped("") == "a JSON value|the end at byte 0");
  CHECK(skipped("{") == "a JSON string|the end at byte 1");
  CHECK(skipped("{\"a\"}") == "':'|'}' at byte 4");
  CHECK(skipped("{\"a\":}") == "a JSON value|'}' at byte 5");
  CHECK(skipped("{\"a\":1,}") == "a JSON string|'}' at byte 7");
  CHECK(skipped("{\"a\":1 \"b\":2}") == "',' or '}'|'\"' at byte 7");
  CHECK(skipped("{a:1}") == "a JSON string|'a' at byte 1");
  CHECK(skipped("[1,]") == "a JSON value|']' at byte 3");
  CHECK(skipped("[1}") == "',' or ']'|'}' at byte 2");
  CHECK(skipped("[,1]") == "a JSON value|',' at byte 1");
  CHECK(skipped("[1 2]") == "',' or ']'|'2' at byte 3");
  CHECK(skipped("tru") == "true or false|'t' at byte 0");
  CHECK(skipped("nul") == "null|'n' at byte 0");
  CHECK(skipped("{} x") == "the end of the JSON text|'x' at byte 3");
  CHECK(skipped("\x01") == "a JSON value|another character at byte 0");
  CHECK(skipped("// a\n1") == "a JSON value|'/' at byte 0");
}

TEST_CASE("json: depth") {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']');
  };
  CHECK(skipped(nested(32)) == nested(32));
  CHECK(skipped(nested(33)) == "at most 32 levels of JSON|more at byte 32");
  CHECK(skipped(std::string(100000, '[')) == "at most 32 levels of JSON|more at byte 32");
}

TEST_CASE("json: a key twice, however it is written") {
  CHECK(skipped(R"({"a":1,"b":2,"a":3})") == "every key once|a second a at byte 13");
  CHECK(skipped(R"({"a":1,"\u0061":3})") == "every key once|a second a at byte 7");
  CHECK(skipped(R"({"":1,"":3})") == "every key once|a second  at byte 6");
  CHECK(skipped(R"({"x":{"a":1,"a":2}})") == "every key once|a second a at byte 12");
  const std::string same_in_others = R"({"a":{"a":{"a":1},"b":2},"b":{"a":3},"ab":1})";
  CHECK(skipped(same_in_others) == same_in_others);
}

TEST_CASE("json: errors name the subject and the place in the file") {
  JsonReader json("[x]", "op", "file", 8);
  json.set_subject("tensor w");
  json.begin_array();
  CHECK(json.next_element());
  const FormatError error = thrown_by<FormatError>([&] { json.integer(); });
  CHECK(error.got == "'x' at byte 9 in tensor w");
}

TEST_CASE("json: random bytes are read or refused, never more") {
  reference::Draws draws(1);
  const std::string letters = "{}[]\",:\\u0019-+.eE tfn\x80\xC3\n";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (uint64_t n = draws.bits() % 24; n > 0; --n) text += letters[draws.bits() % letters.size()];
    skipped(text);
  }
}
