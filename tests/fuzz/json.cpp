// JSON is read where another reader takes it and no object has a key twice or lies deeper than ours goes;
// then both find the same strings and numbers.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_reader.h"
#include "fuzz/fuzz.h"

namespace sqrtdk::fuzz {
namespace {

using Json = nlohmann::json;

/// `finite` becomes false for a number that is infinite as a double, which theirs refuses.
Json value_of(JsonReader& reader, bool& finite) {
  switch (reader.kind()) {
    case JsonReader::Kind::kObject: {
      Json object = Json::object();
      std::string key;
      for (reader.begin_object(); reader.next_key(key);) object[key] = value_of(reader, finite);
      return object;
    }
    case JsonReader::Kind::kArray: {
      Json array = Json::array();
      for (reader.begin_array(); reader.next_element();) array.push_back(value_of(reader, finite));
      return array;
    }
    case JsonReader::Kind::kString:
      return reader.string();
    case JsonReader::Kind::kNumber: {
      const double number = reader.number();
      finite &= std::isfinite(number);
      return number;
    }
    case JsonReader::Kind::kBoolean:
      return reader.boolean();
    case JsonReader::Kind::kNull:
      reader.null();
      return nullptr;
  }
  return {};
}

/// Beyond what ours takes: keys twice, depth, numbers that no double holds.
struct Limits {
  std::vector<std::set<std::string>> keys;
  bool kept = true;
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > JsonReader::kMaxDepth - 1) kept = false;
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) kept &= keys.back().insert(parsed.get<std::string>()).second;
    return true;
  }
};

bool same(const Json& a, const Json& b) {  // a number is a number, whole or not
  if (a.is_number() && b.is_number()) return a.get<double>() == b.get<double>();
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (!a.is_structured()) return a == b;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    if ((a.is_object() && i.key() != j.key()) || !same(*i, *j)) return false;
  }
  return true;
}

}  // namespace

void run(Bytes input) {
  const std::string_view text = text_of(input);
  Json ours;
  bool finite = true;
  const bool is_refused = refused([&] {
    JsonReader reader(text, "fuzz", "text");
    ours = value_of(reader, finite);
    reader.end();
  });
  CHECK(is_refused == refused([&] {
          JsonReader reader(text, "fuzz", "text");
          reader.skip();
          reader.end();
        }));
  Limits limits;
  const Json theirs = Json::parse(text, std::ref(limits), false);
  if (!is_refused && !finite) return;
  if (!is_refused) {
    CHECK(!theirs.is_discarded());
    CHECK(same(ours, theirs));
  } else {
    // For theirs a byte 0 is an end, and a byte order mark a beginning.
    const bool lenient = text.find('\0') != text.npos || text.starts_with("\xEF\xBB\xBF");
    CHECK((theirs.is_discarded() || !limits.kept || lenient));
  }
}

}  // namespace sqrtdk::fuzz
