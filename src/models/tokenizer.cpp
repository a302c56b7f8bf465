#include "models/tokenizer.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <queue>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr int64_t kMinPieces = Tokenizer::kFirstByte + 256;

constexpr std::array<char, 256> kBytes = [] {
  std::array<char, 256> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  return bytes;
}();

class PieceReader {
 public:
  PieceReader(std::span<const uint8_t> file, std::string_view op, std::string_view argument)
      : file_(file), op_(op), argument_(argument) {}

  template <class T>
  T number(const std::string& what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }
  std::string_view take(size_t count, const std::string& what) {
    if (count > file_.size() - at_) {
      fail(ErrorCode::kTruncated, to_text(at_ + count), to_text(file_.size()) + " in " + what);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(file_.data()) + at_, count);
    at_ += count;
    return bytes;
  }
  void end() const {
    if (at_ == file_.size()) return;
    fail(ErrorCode::kUnsupported, "a tokenizer of " + to_text(at_) + " bytes", to_text(file_.size()));
  }
  [[noreturn]] void fail(ErrorCode code, std::string_view expected, std::string_view got) const {
    throw FormatError(code, op_, argument_, expected, got);
  }

 private:
  std::span<const uint8_t> file_;
  size_t at_ = 0;
  std::string_view op_;
  std::string_view argument_;
};

// Characters as llama2.c sees them: a byte and the continuation bytes after it, at most three.
size_t character_size(std::string_view text) {
  size_t size = 1;
  while (size < 4 && size < text.size() && (static_cast<uint8_t>(text[size]) & 0xC0) == 0x80) ++size;
  return size;
}

// A token in a list that shrinks: `left` and `right` are its neighbours.
struct Node {
  int32_t id;
  int64_t left, right;
};
constexpr int64_t kNone = -1;

// Two neighbours that make a piece, as long as both have these ids.
struct Pair {
  float score;
  int64_t left, right;
  int32_t left_id, right_id, id;
  bool operator<(const Pair& other) const {  // the best comes last
    return score != other.score ? score < other.score : left > other.left;
  }
};

}  // namespace

Tokenizer::Tokenizer(std::span<const uint8_t> file, int64_t vocab, std::string_view op,
                     std::string_view argument) {
  PieceReader reader(file, op, argument);
  if (vocab < kMinPieces) {
    reader.fail(ErrorCode::kUnsupported, "a tokenizer of 259 pieces or more", to_text(vocab));
  }
  const auto longest = reader.number<int32_t>("its header");
  for (int64_t id = 0; id < vocab; ++id) {
    const std::string what = "piece " + to_text(id);
    const auto score = reader.number<float>(what);
    if (!std::isfinite(score)) reader.fail(ErrorCode::kNotFinite, "a finite score", "none in " + what);
    const auto size = reader.number<int32_t>(what);
    if (size < 0 || size > longest) {
      reader.fail(ErrorCode::kUnsupported, "pieces of 0 .. " + to_text(longest) + " bytes",
                  to_text(size) + " in " + what);
    }
    const std::string_view bytes = reader.take(static_cast<size_t>(size), what);
    ids_.emplace(bytes, static_cast<int32_t>(id));  // of equal pieces the first
    pieces_.emplace_back(bytes);
    scores_.push_back(score);
  }
  reader.end();
}

std::vector<int32_t> Tokenizer::encode(std::string_view text) const {
  if (text.empty()) return {kBos};
  std::vector<Node> nodes;
  const auto append = [&](int32_t id) {
    const auto at = static_cast<int64_t>(nodes.size());
    nodes.push_back({id, at - 1, at + 1});
  };
  const auto append_character = [&](const std::string& character) {
    const auto known = ids_.find(character);
    if (known != ids_.end()) return append(known->second);
    for (const char byte : character) append(kFirstByte + static_cast<uint8_t>(byte));
  };
  append_character(" ");
  while (!text.empty()) {
    const size_t size = character_size(text);
    append_character(std::string(text.substr(0, size)));
    text.remove_prefix(size);
  }
  nodes.back().right = kNone;

  std::priority_queue<Pair> pairs;
  const auto node = [&](int64_t at) -> Node& { return nodes[static_cast<size_t>(at)]; };
  const auto consider = [&](int64_t left, int64_t right) {
    if (left == kNone || right == kNone) return;
    const int32_t a = node(left).id, b = node(right).id;
    const auto known = ids_.find(pieces_[static_cast<size_t>(a)] + pieces_[static_cast<size_t>(b)]);
    if (known == ids_.end()) return;
    pairs.push({scores_[static_cast<size_t>(known->second)], left, right, a, b, known->second});
  };
  for (int64_t at = 0; at != kNone; at = node(at).right) consider(at, node(at).right);
  while (!pairs.empty()) {
    const Pair best = pairs.top();
    pairs.pop();
    Node& left = node(best.left);
    if (left.id != best.left_id || left.right != best.right || node(best.right).id != best.right_id) continue;
    left.id = best.id;
    left.right = node(best.right).right;
    node(best.right).id = kNone;
    if (left.right != kNone) node(left.right).left = best.left;
    consider(left.left, best.left);
    consider(best.left, left.right);
  }
  std::vector<int32_t> ids{kBos};
  for (int64_t at = 0; at != kNone; at = node(at).right) ids.push_back(node(at).id);
  return ids;
}

std::string_view Tokenizer::text(int32_t before, int32_t id) const {
  if (id < 0 || id >= vocab()) throw_out_of_range("tokenizer", "id", 0, vocab() - 1, id);
  if (id == kBos || id == kEos) return {};
  if (id >= kFirstByte && id < kMinPieces) return {&kBytes[static_cast<size_t>(id - kFirstByte)], 1};
  const std::string_view piece = pieces_[static_cast<size_t>(id)];
  return before == kBos && piece.starts_with(' ') ? piece.substr(1) : piece;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  int32_t before = 0;
  for (const int32_t id : ids) {
    text += this->text(before, id);
    before = id;
  }
  return text;
}

}  // namespace sqrtdk
