// A tokenizer's file is refused, or it encodes a text as the rule says: while two neighbours make a piece,
// those of the best score, the first of equals, become one. The file has the 259 pieces that all have; the
// input adds others, of which each is a score (1 byte), a length (1) and its bytes, up to a length of 255,
// after which comes the text.
#include "models/tokenizer.h"

#include <algorithm>
#include <map>

#include "fuzz/fuzz.h"
#include "reference/safetensors_file.h"

namespace sqrtdk::fuzz {
namespace {

using reference::bytes_of;

struct Pieces {
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::map<std::string, int32_t, std::less<>> ids;  // of equal pieces the first
  std::string file = bytes_of<int32_t>({255});
  void add(const std::string& piece, float score) {
    ids.emplace(piece, static_cast<int32_t>(pieces.size()));
    pieces.push_back(piece);
    scores.push_back(score);
    file += bytes_of<float>({score}) + bytes_of<int32_t>({static_cast<int32_t>(piece.size())}) + piece;
  }
  void drop() {
    if (find(pieces.back()) == std::ssize(pieces) - 1) ids.erase(pieces.back());
    file.resize(file.size() - 2 * sizeof(int32_t) - pieces.back().size());
    pieces.pop_back();
    scores.pop_back();
  }
  int32_t find(const std::string& piece) const {
    const auto at = ids.find(piece);
    return at == ids.end() ? -1 : at->second;
  }
  /// In time n².
  std::vector<int32_t> merged(std::vector<int32_t> ids) const {
    for (;;) {
      int32_t best = -1;
      size_t place = 0;
      for (size_t i = 0; i + 1 < ids.size(); ++i) {
        const int32_t id =
            find(pieces[static_cast<size_t>(ids[i])] + pieces[static_cast<size_t>(ids[i + 1])]);
        if (id >= 0 && (best < 0 || scores[static_cast<size_t>(id)] > scores[static_cast<size_t>(best)])) {
          best = id;
          place = i;
        }
      }
      if (best < 0) return ids;
      ids[place] = best;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }
};

Pieces first_pieces() {
  Pieces pieces;
  for (const char* name : {"<unk>", "<s>", "</s>"}) pieces.add(name, 0);
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    pieces.add(name, 0);
  }
  return pieces;
}

}  // namespace

void run(Bytes input) {
  static Pieces pieces = first_pieces();  // to which each input adds its own
  // Any bytes are a file that is refused or read.
  refused([&] {
    const int64_t vocab = input.empty() ? 0 : 259 + input[0] % 8;
    const Tokenizer tokenizer(input, vocab, "fuzz", "file");
    tokenizer.decode(tokenizer.encode("once"));
  });

  while (pieces.pieces.size() > 259) pieces.drop();
  while (input.size() >= 2 && input[1] < 255 && pieces.pieces.size() < 290) {
    const size_t size = std::min<size_t>(input[1], input.size() - 2);
    pieces.add(std::string(text_of(input.subspan(2, size))), static_cast<float>(input[0] % 16) - 8);
    input = input.subspan(2 + size);
  }
  const auto vocab = static_cast<int64_t>(pieces.pieces.size());
  const std::vector<uint8_t> file = reference::file_of(pieces.file);
  const Tokenizer tokenizer(file, vocab, "fuzz", "file");
  const size_t cut = input.empty() ? file.size() - 1 : file.size() * input[0] / 256;
  CHECK(refused([&] { Tokenizer(Bytes(file).first(cut), vocab, "fuzz", "file"); }));

  const std::string text(text_of(input.subspan(std::min<size_t>(2, input.size()))).substr(0, 64));
  const std::vector<int32_t> ids = tokenizer.encode(text);
  CHECK(ids[0] == Tokenizer::kBos);
  if (text.empty()) return;
  std::vector<int32_t> expected;
  for (size_t at = 0, end; at <= text.size(); at = end) {  // a space before the text
    const std::string spaced = " " + text;
    end = at + 1;
    while (end < spaced.size() && end < at + 4 && (static_cast<uint8_t>(spaced[end]) & 0xC0) == 0x80) ++end;
    if (at == 0) end = 1;
    const std::string character = spaced.substr(at, end - at);
    if (const int32_t id = pieces.find(character); id >= 0) {
      expected.push_back(id);
    } else {
      for (const char byte : character)
        expected.push_back(Tokenizer::kFirstByte + static_cast<uint8_t>(byte));
    }
  }
  expected = pieces.merged(std::move(expected));
  CHECK(std::vector<int32_t>(ids.begin() + 1, ids.end()) == expected);
}

}  // namespace sqrtdk::fuzz
