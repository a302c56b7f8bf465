#include "base/base64.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

using namespace sqrtdk;

TEST_CASE("base64: the one writing of some bytes") {
  const struct {
    const char *text, *bytes;
  } cases[] = {{"", ""},        {"Zg==", "f"},          {"Zm8=", "fo"},
               {"Zm9v", "foo"}, {"Zm9vYmFy", "foobar"}, {"+/+/", "\xfb\xff\xbf"}};
  for (const auto& [text, bytes] : cases) {
    std::string decoded(std::strlen(bytes), 'x');
    CHECK(encode_base64({reinterpret_cast<const uint8_t*>(bytes), decoded.size()}) == text);
    CHECK(is_base64(text, decoded.size()));
    CHECK_FALSE(is_base64(text, decoded.size() + 1));
    decode_base64(text, reinterpret_cast<uint8_t*>(decoded.data()), decoded.size());
    CHECK(decoded == bytes);
  }
  for (const char* text : {"Zh==", "Zg=", "Zg", "Zg=A", "Z===", "Z g=", "Zg\n=", "Z-==", "===="}) {
    CHECK_FALSE(is_base64(text, 1));
  }
  CHECK_FALSE(is_base64("Zm9=", 2));
  CHECK_FALSE(is_base64("", ~uint64_t{0}));
  CHECK_FALSE(is_base64("Zg==", uint64_t{1} << 63));
}
