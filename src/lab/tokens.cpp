#include "lab/tokens.h"

#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/text.h"
#include "base/utf8.h"
#include "layers/layer.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_blank(char32_t c) { return c <= ' ' || c == 0x7F || c == 0xA0 || c == 0x3000; }

bool is_punctuation(char32_t c) {
  if (c < 0x80) {
    const bool inside_words = c == '\'' || c == '-' || c == '_';
    return !inside_words && !within(c, '0', '9') && !within(c, 'A', 'Z') && !within(c, 'a', 'z');
  }
  if (c == 0x2019) return false;  // the apostrophe of "don’t"
  return within(c, 0xA1, 0xBF) || within(c, 0x2010, 0x205E) || within(c, 0x3001, 0x303F) ||
         within(c, 0xFF01, 0xFF0F) || within(c, 0xFF1A, 0xFF20) || within(c, 0xFF3B, 0xFF40) ||
         within(c, 0xFF5B, 0xFF65);
}

/// Whether it belongs to a script that puts no blanks between words: Han and kana.
bool stands_alone(char32_t c) {
  return within(c, 0x3040, 0x30FF) || within(c, 0x3400, 0x4DBF) || within(c, 0x4E00, 0x9FFF) ||
         within(c, 0xF900, 0xFAFF) || within(c, 0x20000, 0x323AF);
}

}  // namespace

std::vector<std::string> tokens_of(const char* op, const char* name, std::string_view text, size_t most) {
  std::vector<std::string> tokens;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = decode_utf8(text, at);
    if (is_blank(c)) {
      in_word = false;
      continue;
    }
    const bool alone = is_punctuation(c) || stands_alone(c);
    if (alone || !in_word) tokens.emplace_back();
    append_utf8(tokens.back(), c);
    in_word = !alone;
  }
  if (tokens.empty()) throw ValueError(ErrorCode::kEmpty, op, name, "at least 1 word", "");
  if (tokens.size() > most) {
    throw ValueError(ErrorCode::kTooMany, op, name, to_text(most), to_text(tokens.size()));
  }
  return tokens;
}

uint64_t stream_of_word(std::string_view token) {
  std::string folded(token);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return stream_of(folded);
}

void word_vector(uint64_t seed, std::string_view token, float* x, int64_t d) {
  philox_normal(seed, stream_of_word(token), 0, x, d);
}

void text_vector(uint64_t seed, const std::vector<std::string>& tokens, float* x, int64_t d) {
  std::vector<float> word(static_cast<size_t>(d));
  const float root = std::sqrt(static_cast<float>(tokens.size()));
  std::fill_n(x, d, 0.0f);
  for (const std::string& token : tokens) {
    word_vector(seed, token, word.data(), d);
    for (int64_t i = 0; i < d; ++i) x[i] += word[static_cast<size_t>(i)] / root;
  }
}

}  // namespace sqrtdk
