#include "base/text.h"

#include <doctest/doctest.h>

#include <span>

#include "base/hash.h"

using namespace sqrtdk;

TEST_CASE("joined: texts of any kind, with a separator between them") {
  CHECK(joined(std::vector<std::string>{}).empty());
  CHECK(joined(std::vector<std::string>{"one"}) == "one");
  CHECK(joined(std::vector<std::string>{"one", "", "two"}) == "one, , two");
  CHECK(joined(std::vector<std::string>{"", ""}, ";") == ";");
  constexpr const char* kNames[] = {"none", "1/d"};
  CHECK(joined(kNames, " | ") == "none | 1/d");
  CHECK(joined(std::span<const char* const>(kNames)) == "none, 1/d");
}

TEST_CASE("clipped: one line, cut where a character begins") {
  CHECK(clipped("a\nb\x7f") == "a b ");
  CHECK(clipped(std::string(60, 'a')) == std::string(60, 'a'));
  CHECK(clipped(std::string(61, 'a')) == std::string(60, 'a') + "...");
  CHECK(clipped("维维", 4) == "维...");
  CHECK(clipped("维维", 2) == "...");
}

TEST_CASE("FNV-1a: the constants of its authors' page") {
  const auto hash = [](std::string_view text) {
    Fnv1a hash;
    hash.add(text);
    return hash.value();
  };
  CHECK(hash("") == 0xcbf29ce484222325);
  CHECK(hash("a") == 0xaf63dc4c8601ec8c);
  CHECK(hash("foobar") == 0x85944171f73967e8);
}
