#include "models/tokenizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "base/errors.h"
#include "reference/allocations.h"
#include "reference/buffers.h"
#include "reference/safetensors_file.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Bytes = std::vector<uint8_t>;

struct Piece {
  std::string text;
  float score;
};

// unknown, BOS, EOS, the bytes, then ours
std::vector<Piece> pieces(const std::vector<Piece>& more = {}) {
  std::vector<Piece> all = {{"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}};
  for (int byte = 0; byte < 256; ++byte) {
    const char* digits = "0123456789ABCDEF";
    all.push_back({std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">", 0});
  }
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

template <class T>
std::string bytes_of_one(T value) {
  return bytes_of(std::vector<T>{value});
}

std::string entry(const Piece& piece) {
  return bytes_of_one(piece.score) + bytes_of_one(static_cast<int32_t>(piece.text.size())) + piece.text;
}

std::string file(const std::vector<Piece>& all, int32_t longest = 20) {
  std::string text = bytes_of_one(longest);
  for (const Piece& piece : all) text += entry(piece);
  return text;
}

Tokenizer tokenizer(const std::vector<Piece>& more) {
  const std::vector<Piece> all = pieces(more);
  return {file_of(file(all)), static_cast<int64_t>(all.size()), "op", "file"};
}

constexpr int32_t kOwn = 259;  // the first of our pieces

// 259 space, 260 a, 261 b, 262 "ab", 263 "ba", 264 " a", 265 "aba", 266 e acute, 267 "bb"
Tokenizer small() {
  return tokenizer({{" ", -100},
                    {"a", -100},
                    {"b", -100},
                    {"ab", -2},
                    {"ba", -1},
                    {" a", -3},
                    {"aba", 5},
                    {"\xC3\xA9", -100},
                    {"bb", -3}});
}

using Ids = std::vector<int32_t>;

void refused(const std::string& bytes, int64_t vocab, ErrorCode code, const std::string& expected,
             const std::string& got) {
  CAPTURE(got);
  const FormatError error =
      thrown_by<FormatError>([&] { const Tokenizer tokenizer(file_of(bytes), vocab, "op", "file"); });
  CHECK(error.code == code);
  CHECK(error.op == "op");
  CHECK(error.argument == "file");
  CHECK(error.expected == expected);
  CHECK(error.got == got);
}

// As llama2.c does it: one pass over all pairs for each merge.
Ids merged_slowly(Ids ids, const std::vector<Piece>& all) {
  while (true) {
    float best = -1e10f;
    size_t at = 0;
    int32_t id = -1;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto text = [&](size_t j) { return all[static_cast<size_t>(ids[j])].text; };
      for (size_t j = 0; j < all.size(); ++j) {
        if (all[j].text != text(i) + text(i + 1)) continue;
        if (all[j].score > best) best = all[j].score, at = i, id = static_cast<int32_t>(j);
        break;
      }
    }
    if (id < 0) return ids;
    ids[at] = id;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

}  // namespace

TEST_CASE("tokenizer: the best pair is merged first, of equals the leftmost") {
  const Tokenizer t = small();
  CHECK(t.vocab() == 268);
  CHECK(t.encode("") == Ids{1});
  CHECK(t.encode("b") == Ids{1, 259, 261});
  CHECK(t.encode("a") == Ids{1, 264});
  CHECK(t.encode("ab") == Ids{1, 259, 262});        // "ab" before " a"
  CHECK(t.encode("bab") == Ids{1, 259, 263, 261});  // "ba" before "ab"
  CHECK(t.encode("abb") == Ids{1, 259, 262, 261});
  CHECK(t.encode("bbb") == Ids{1, 259, 267, 261});
  CHECK(t.encode("bbbb") == Ids{1, 259, 267, 267});
  CHECK(t.encode("aba") == Ids{1, 259, 265});  // "ba", then "aba"
  CHECK(t.encode("abab") == Ids{1, 259, 265, 261});
  CHECK(t.encode(" ") == Ids{1, 259, 259});
}

TEST_CASE("tokenizer: a character is a piece or its bytes") {
  const Tokenizer t = small();
  CHECK(t.encode("\xC3\xA9") == Ids{1, 259, 266});
  CHECK(t.encode("c\n") == Ids{1, 259, 3 + 'c', 3 + '\n'});
  CHECK(t.encode("\xE4\xBD\xA0") == Ids{1, 259, 3 + 0xE4, 3 + 0xBD, 3 + 0xA0});
  CHECK(t.encode("\xA9\xC3") == Ids{1, 259, 3 + 0xA9, 3 + 0xC3});  // no UTF-8
  CHECK(t.encode(std::string("\0a", 2)) == Ids{1, 259, 3, 260});
  CHECK(t.encode("<0x61>").size() == 8);
  // Not more than four bytes make a character.
  const Tokenizer face = tokenizer({{" ", 0}, {"\xF0\x9F\x98\x80", 0}});
  CHECK(face.encode("\xF0\x9F\x98\x80\x80") == Ids{1, 259, 260, 3 + 0x80});
}

TEST_CASE("tokenizer: decode is the inverse, for any bytes") {
  const Tokenizer t = small();
  Draws draws(3);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int i = 0; i < round % 37; ++i) {
      text += round % 2 ? static_cast<char>(draws.bits()) : " ab\xC3\xA9"[draws.bits() % 5];
    }
    CAPTURE(text);
    CHECK(t.decode(t.encode(text)) == text);
  }
  CHECK(t.decode(Ids{}) == "");
  CHECK(t.decode(Ids{264, 264}) == " a a");
  CHECK(t.decode(Ids{1, 264, 264}) == "a a");
  CHECK(t.decode(Ids{1, 259, 260, 2}) == "a");
  CHECK(t.decode(Ids{0, 3 + 'x'}) == "<unk>x");
  CHECK(t.text(1, 264) == "a");
  CHECK(t.text(2, 264) == " a");
  for (const int32_t id : {-1, 268}) CHECK_THROWS_AS(t.decode(Ids{id}), ValueError);
}

TEST_CASE("tokenizer: merges as llama2.c's loop does") {
  std::vector<Piece> more{{" ", 0}, {"a", 0}, {"b", 0}};
  Draws draws(8);
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (uint64_t n = 2 + draws.bits() % 4; n > 0; --n) text += "ab "[draws.bits() % 3];
    more.push_back({text, static_cast<float>(draws.bits() % 8)});
  }
  const std::vector<Piece> all = pieces(more);
  const Tokenizer t = tokenizer(more);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (uint64_t n = 1 + draws.bits() % 30; n > 0; --n) text += "ab "[draws.bits() % 3];
    Ids ids{1, kOwn};
    for (const char c : text) ids.push_back(c == ' ' ? kOwn : c == 'a' ? kOwn + 1 : kOwn + 2);
    CAPTURE(text);
    REQUIRE(t.encode(text) == merged_slowly(ids, all));
  }
}

TEST_CASE("tokenizer: a long text takes no quadratic time") {
  const Tokenizer t = tokenizer({{" ", 0}, {"a", 0}, {"aa", 1}, {"aaaa", 2}});
  // The shortest of three: a busy machine only makes it longer.
  const auto time = [&t](size_t n) {
    double least = INFINITY;
    for (int round = 0; round < 3; ++round) {
      const std::clock_t start = std::clock();
      CHECK(t.encode(std::string(n, 'a')).size() == 2 + n / 4);
      least = std::min(least, static_cast<double>(std::clock() - start));
    }
    return least;
  };
  CHECK(time(320000) < 64 * time(20000));  // 16 times the text: 16 times the work, or 256
}

TEST_CASE("tokenizer: malformed, truncated and oversized files") {
  const std::vector<Piece> all = pieces({{"ab", -1}});
  const std::string good = file(all);
  const auto vocab = static_cast<int64_t>(all.size());
  const std::string size = std::to_string(good.size());
  refused(good + "x", vocab, ErrorCode::kUnsupported, "a tokenizer of " + size + " bytes",
          std::to_string(good.size() + 1));
  refused(good.substr(0, good.size() - 1), vocab, ErrorCode::kTruncated, size,
          std::to_string(good.size() - 1) + " in piece 259");
  refused(good, vocab + 1, ErrorCode::kTruncated, std::to_string(good.size() + 4), size + " in piece 260");
  refused(good, vocab - 1, ErrorCode::kUnsupported,
          "a tokenizer of " + std::to_string(good.size() - 10) + " bytes", size);
  refused(good, 258, ErrorCode::kUnsupported, "a tokenizer of 259 pieces or more", "258");
  refused("", vocab, ErrorCode::kTruncated, "4", "0 in its header");
  refused(file(all, 5), vocab, ErrorCode::kUnsupported, "pieces of 0 .. 5 bytes", "6 in piece 2");
  for (const float score : {NAN, INFINITY, -INFINITY}) {
    refused(file(pieces({{"ab", score}})), vocab, ErrorCode::kNotFinite, "a finite score",
            "none in piece 259");
  }
  const std::string front = good.substr(0, good.size() - 6);
  refused(front + bytes_of_one(-1) + "ab", vocab, ErrorCode::kUnsupported, "pieces of 0 .. 20 bytes",
          "-1 in piece 259");
  for (size_t cut = 0; cut < good.size(); cut += 7) {
    CHECK_THROWS_AS(Tokenizer(file_of(good.substr(0, cut)), vocab, "op", "file"), FormatError);
  }
  // A length and a vocabulary that no file has: nothing is allocated for them.
  const std::string huge = bytes_of_one(std::numeric_limits<int32_t>::max());
  const Bytes long_piece = file_of(huge + bytes_of_one(0.0f) + huge);
  const PeakMemory memory;
  CHECK_THROWS_AS(Tokenizer(long_piece, int64_t{1} << 40, "op", "file"), FormatError);
  CHECK(memory.bytes() < 4096);
}
