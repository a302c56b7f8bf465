#include <algorithm>
#include <set>

#include "tensor/errors.h"
#include "tensor/utf8.h"
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
  const std::set<char32_t> different(all.begin(), all.end());
  result.characters.assign(different.begin(), different.end());
  for (const char32_t c : all) {
    const auto found = std::lower_bound(result.characters.begin(), result.characters.end(), c);
    result.tokens.push_back(static_cast<int32_t>(found - result.characters.begin()));
  }
  return result;
}

class Characters : public Task {
 public:
  Characters(Text text, int64_t length)
      : Task({static_cast<int64_t>(text.characters.size()), 1, length, 1, true}), text_(std::move(text)) {}

  double chance() const override {
    std::vector<int64_t> counts(text_.characters.size());
    for (const int32_t token : text_.tokens) ++counts[static_cast<size_t>(token)];
    const int64_t most = *std::max_element(counts.begin(), counts.end());
    return static_cast<double>(most) / static_cast<double>(text_.tokens.size());
  }

 protected:
  std::string written(int32_t token) const override {
    std::string text;
    append_utf8(text, text_.characters[static_cast<size_t>(token)]);
    return text;
  }
  void make(ExampleDraws draws, int32_t* source, int32_t* answer) const override {
    const int32_t start = draws.below(static_cast<int64_t>(text_.tokens.size()) - n_answer());
    *source = text_.tokens[static_cast<size_t>(start)];
    std::copy_n(text_.tokens.begin() + start + 1, n_answer(), answer);
  }

 private:
  Text text_;
};

}  // namespace

std::unique_ptr<Task> characters(const TaskConfig& config) {
  constexpr int64_t kLongest = 256, kMostText = int64_t{1} << 22;
  check("length", config.length, 1, kLongest);
  Text text = read(config.text);
  check("text", static_cast<int64_t>(text.tokens.size()), config.length + 1, kMostText);
  return std::make_unique<Characters>(std::move(text), config.length);
}

}  // namespace sqrtdk::tasks
