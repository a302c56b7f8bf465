#include "lab/tokens.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

using Tokens = std::vector<std::string>;

Tokens tokens(std::string_view text) { return tokens_of("op", "text", text, 12); }

TEST_CASE("tokens: words between blanks, marks and Chinese characters alone") {
  CHECK(tokens("The cat sat on the mat.") == Tokens{"The", "cat", "sat", "on", "the", "mat", "."});
  CHECK(tokens("猫坐在垫子上") == Tokens{"猫", "坐", "在", "垫", "子", "上"});
  CHECK(tokens("「猫」，sat！") == Tokens{"「", "猫", "」", "，", "sat", "！"});
  CHECK(tokens("don't don’t well-known a_b") == Tokens{"don't", "don’t", "well-known", "a_b"});
  CHECK(tokens("\t x\n\ny　z\x7F") == Tokens{"x", "y", "z"});
  CHECK(tokens("Zoë 3.5 кот") == Tokens{"Zoë", "3", ".", "5", "кот"});
  CHECK(tokens("カナdかな") == Tokens{"カ", "ナ", "d", "か", "な"});
}

TEST_CASE("tokens: none or too many are refused") {
  CHECK_THROWS_AS(tokens(""), ValueError);
  CHECK_THROWS_AS(tokens(" \n"), ValueError);
  CHECK(tokens("1 2 3 4 5 6 7 8 9 10 11 12").size() == 12);
  CHECK_THROWS_AS(tokens("1 2 3 4 5 6 7 8 9 10 11 12 13"), ValueError);
}

TEST_CASE("tokens: a word's vector depends on the word and the seed alone") {
  CHECK(stream_of_word("The") == stream_of_word("the"));
  CHECK(stream_of_word("the") != stream_of_word("them"));
  CHECK(stream_of_word("É") != stream_of_word("é"));
  float a[8], b[5], c[8];
  word_vector(3, "Cat", a, 8), word_vector(3, "cat", b, 5), word_vector(4, "cat", c, 8);
  for (int i = 0; i < 5; ++i) CHECK(a[i] == b[i]);
  CHECK(a[0] != c[0]);
  float first[8];
  philox_normal(3, stream_of_word("cat"), 0, first, 8);
  for (int i = 0; i < 8; ++i) CHECK(a[i] == first[i]);
  float sum[8], dog[8];
  text_vector(3, {"cat", "dog"}, sum, 8);
  word_vector(3, "dog", dog, 8);
  for (int i = 0; i < 8; ++i)
    CHECK(sum[i] == doctest::Approx((a[i] + dog[i]) / std::sqrt(2.0)).epsilon(1e-6));
}

}  // namespace
}  // namespace sqrtdk
