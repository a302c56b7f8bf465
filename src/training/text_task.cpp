#include <algorithm>
#include <numeric>
#include <span>

#include "base/errors.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "training/tasks.h"

namespace sqrtdk::tasks {
namespace {

struct Text {
  std::vector<int32_t> tokens;
  std::vector<char32_t> characters;  // sorted
};

Text read(const std::string& text) {
  Text result;
  std::vector<char32_t> all;
  for (size_t at = 0; at < text.size();) {
    all.push_back(decode_utf8(text, at));
    if (all.back() == kNotUtf8)
      throw ValueError(ErrorCode::kUnsupported, "task", "text", "UTF-8", "other bytes");
  }
  result.characters = all;
  heap_sort(result.characters);
  result.characters.erase(std::unique(result.characters.begin(), result.characters.end()),
                          result.characters.end());
  for (const char32_t c : all) {
    const auto found = std::lower_bound(result.characters.begin(), result.characters.end(), c);
    result.tokens.push_back(static_cast<int32_t>(found - result.characters.begin()));
  }
  return result;
}

// The share of tokens that are right where the most frequent one is answered after each of 1 .. `length`
// characters, over all places of the text. Places beyond a bound of work count as right.
double best_share(std::span<const int32_t> tokens, int64_t length) {
  constexpr int64_t kMaxWork = int64_t{1} << 21;
  using Places = std::span<int64_t>;  // whose characters so far are the same
  std::vector<int64_t> places(tokens.size() - static_cast<size_t>(length));
  std::iota(places.begin(), places.end(), 0);
  std::vector<Places> groups, next;
  // Splits by the characters at a distance; returns the size of the largest part.
  const auto split = [&](Places group, int64_t distance) {
    const auto token = [&](int64_t place) { return tokens[static_cast<size_t>(place + distance)]; };
    heap_sort(group, [&](int64_t a, int64_t b) { return token(a) < token(b); });
    size_t largest = 0;
    for (size_t first = 0, end; first < group.size(); first = end) {
      end = first + 1;
      while (end < group.size() && token(group[end]) == token(group[first])) ++end;
      largest = std::max(largest, end - first);
      if (end - first > 1) next.push_back(group.subspan(first, end - first));
    }
    return static_cast<int64_t>(largest);
  };
  int64_t work = static_cast<int64_t>(places.size()), wrong = 0;
  if (work <= kMaxWork) split(places, 0);
  for (int64_t distance = 1; distance <= length; ++distance) {
    groups.swap(next), next.clear();
    for (const Places& group : groups) work += static_cast<int64_t>(group.size());
    if (work > kMaxWork) break;
    for (const Places& group : groups) wrong += static_cast<int64_t>(group.size()) - split(group, distance);
  }
  return 1 - static_cast<double>(wrong) / static_cast<double>(length * static_cast<int64_t>(places.size()));
}

class Characters : public Task {
 public:
  Characters(Text text, int64_t length)
      : Task({static_cast<int64_t>(text.characters.size()), 1, length, 1, true}), text_(std::move(text)) {
    const auto n = static_cast<int64_t>(text_.tokens.size()), wished = std::max(n / 10, length + 1);
    n_held_out_ = wished <= n / 4 ? wished : 0;
  }

  double chance() const override {
    const std::span<const int32_t> tokens = part(true);
    std::vector<int64_t> counts(text_.characters.size());
    for (const int32_t token : tokens) ++counts[static_cast<size_t>(token)];
    const int64_t largest = *std::max_element(counts.begin(), counts.end());
    return static_cast<double>(largest) / static_cast<double>(tokens.size());
  }
  double ceiling() const override { return best_share(part(true), n_answer()); }

 protected:
  std::string written(int32_t token) const override {
    std::string text;
    append_utf8(text, text_.characters[static_cast<size_t>(token)]);
    return text;
  }
  void make(ExampleDraws draws, int32_t* source, int32_t* answer) const override {
    const std::span<const int32_t> tokens = part(draws.held_out());
    const int32_t start = draws.below(static_cast<int64_t>(tokens.size()) - n_answer());
    *source = tokens[static_cast<size_t>(start)];
    std::copy_n(tokens.begin() + start + 1, n_answer(), answer);
  }

 private:
  // The held-out end, or what is before it.
  std::span<const int32_t> part(bool held_out) const {
    const std::span<const int32_t> all = text_.tokens;
    if (n_held_out_ == 0) return all;
    const size_t first = all.size() - static_cast<size_t>(n_held_out_);
    return held_out ? all.subspan(first) : all.first(first);
  }

  Text text_;
  int64_t n_held_out_;
};

}  // namespace

std::unique_ptr<Task> characters(const TaskConfig& config) {
  constexpr int64_t kMaxText = int64_t{1} << 22;
  check("length", config.length, 1, Task::kMaxLength);
  Text text = read(config.text);
  check("text", static_cast<int64_t>(text.tokens.size()), config.length + 1, kMaxText);
  return std::make_unique<Characters>(std::move(text), config.length);
}

}  // namespace sqrtdk::tasks
