#pragma once
// llama2.c's tokenizer: pieces of text with scores (byte pairs of SentencePiece). Ids 0, 1, 2 are unknown,
// BOS and EOS; id 3 + b is the byte b. https://github.com/karpathy/llama2.c, tokenizer.py and run.c
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sqrtdk {

class Tokenizer {
 public:
  static constexpr int32_t kBos = 1, kEos = 2, kFirstByte = 3;

  /// A file of `vocab` pieces, little-endian: int32, the longest piece's length; then of each piece a float32
  /// score, an int32 length and its bytes. Throws FormatError: fewer than 259 pieces, a file that ends early
  /// or goes on, a length that is negative or beyond the longest, a score that is not finite.
  Tokenizer(std::span<const uint8_t> file, int64_t vocab, std::string_view op, std::string_view argument);

  int64_t vocab() const { return static_cast<int64_t>(pieces_.size()); }
  /// BOS, then the text after a space (an empty text has none): a token for each character that is a piece,
  /// and for each byte of others; then, while two neighbours make a piece, those of the best score, the first
  /// of equals, become one. In time n log n.
  std::vector<int32_t> encode(std::string_view text) const;
  /// The text of the tokens one after the other, its bytes perhaps no UTF-8; BOS and EOS have none, and a
  /// piece after BOS loses its leading space. Throws ValueError for an id that is none.
  std::string decode(std::span<const int32_t> ids) const;
  /// The text of one token after another.
  std::string_view text(int32_t before, int32_t id) const;

 private:
  std::vector<std::string> pieces_;  // as in the file: byte 10 is "<0x0A>"
  std::vector<float> scores_;
  std::map<std::string, int32_t> ids_;
};

}  // namespace sqrtdk
