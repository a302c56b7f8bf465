// The reader's own text: what is held out, its chance and its ceiling.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "training/task.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// The text of every example among n, source and answer.
std::set<std::string> stretches(const Task& task, bool held_out, int64_t n) {
  std::vector<int32_t> source(static_cast<size_t>(n)), answer(static_cast<size_t>(n * task.n_answer()));
  task.sample(1, 2, 0, n, source.data(), answer.data(), held_out);
  std::set<std::string> all;
  for (size_t i = 0; i < source.size(); ++i) {
    std::string text = task.text(source[i]);
    const auto length = static_cast<size_t>(task.n_answer());
    for (size_t j = 0; j < length; ++j) text += task.text(answer[i * length + j]);
    all.insert(text);
  }
  return all;
}

std::set<std::string> stretches_of(const std::string& text, size_t length) {
  std::set<std::string> all;
  for (size_t i = 0; i + length < text.size(); ++i) all.insert(text.substr(i, length + 1));
  return all;
}

// For each beginning of a stretch, how often its likeliest character follows.
double best_share(const std::string& text, size_t length) {
  int right = 0, all = 0;
  for (size_t known = 1; known <= length; ++known) {
    std::map<std::string, std::map<char, int>> counts;
    for (size_t i = 0; i + length < text.size(); ++i) ++counts[text.substr(i, known)][text[i + known]], ++all;
    for (const auto& [context, next] : counts) {
      int most = 0;
      for (const auto& [character, count] : next) most = std::max(most, count);
      right += most;
    }
  }
  return static_cast<double>(right) / all;
}

std::string drawn_text(size_t n, int letters) {
  std::string text;
  uint32_t state = 1;
  while (text.size() < n) {
    state = state * 1664525 + 1013904223;
    text += static_cast<char>('a' + static_cast<int>(state >> 24) % letters);
  }
  return text;
}

}  // namespace

TEST_CASE("the last tenth is held out, and no training example reaches into it") {
  const std::string text = drawn_text(300, 26);
  const std::unique_ptr<Task> task = make_task({"characters", 4, 0, text});
  CHECK(stretches(*task, false, 5000) == stretches_of(text.substr(0, 270), 4));
  CHECK(stretches(*task, true, 2000) == stretches_of(text.substr(270), 4));
}

TEST_CASE("of a short text, one stretch is held out, or nothing") {
  const std::string text = drawn_text(20, 26);
  const std::unique_ptr<Task> one = make_task({"characters", 4, 0, text});
  CHECK(stretches(*one, false, 500) == stretches_of(text.substr(0, 15), 4));
  CHECK(stretches(*one, true, 20) == std::set<std::string>{text.substr(15)});
  for (const bool held_out : {false, true}) {
    const std::unique_ptr<Task> none = make_task({"characters", 5, 0, text});
    CHECK(stretches(*none, held_out, 500) == stretches_of(text, 5));
  }
}

TEST_CASE("chance and ceiling are those of what is evaluated") {
  for (const size_t n : {400, 900}) {
    for (const int letters : {1, 2, 5, 26}) {
      for (const size_t length : {1, 3, 12}) {
        CAPTURE(n);
        CAPTURE(letters);
        CAPTURE(length);
        const std::string text = drawn_text(n, letters), end = text.substr(n - n / 10);
        const std::unique_ptr<Task> task = make_task({"characters", static_cast<int64_t>(length), 0, text});
        CHECK(task->ceiling() == doctest::Approx(best_share(end, length)));
        std::map<char, int> counts;
        for (const char c : end) ++counts[c];
        int most = 0;
        for (const auto& [character, count] : counts) most = std::max(most, count);
        CHECK(task->chance() == doctest::Approx(most / static_cast<double>(end.size())));
        CHECK(task->chance() <= task->ceiling() + 0.1);
      }
    }
  }
}

TEST_CASE("a ceiling takes bounded work, and stays a ceiling") {
  const std::string text(std::size_t{1} << 20, 'a');
  const std::unique_ptr<Task> task = make_task({"characters", 256, 0, text});
  CHECK(task->ceiling() == 1);
  const std::unique_ptr<Task> other = make_task({"characters", 64, 0, drawn_text(std::size_t{1} << 22, 2)});
  CHECK(other->ceiling() < 1);
  CHECK(other->ceiling() > 0.9);
}

TEST_CASE("a ceiling takes what reaches the bound of work, and nothing beyond") {
  // Only the last character differs, which the last of `places` has at the last distance; until then each
  // distance takes `places`, so that 256 times 8,192 are the bound.
  const auto ceiling = [](size_t places) {
    const std::string text = std::string((places + 255) * 10 - 1, 'a') + 'b';
    return make_task({"characters", 255, 0, text})->ceiling();
  };
  CHECK(ceiling(8192) == 1 - 1 / (255.0 * 8192));
  CHECK(ceiling(8193) == 1);
}

TEST_CASE("a trainer learns from the rest and is evaluated on what is held out") {
  TrainerConfig config = small_trainer();
  // Only the end has a letter that always follows itself.
  config.task = {"characters", 4, 0, drawn_text(270, 2) + std::string(30, 'z')};
  config.topology = Topology::kDecoder;
  Trainer trainer(config);
  for (const AnswerText& each : trainer.answers(20)) {
    CHECK(each.source == std::vector<std::string>{"z"});
    CHECK(each.expected == std::vector<std::string>(4, "z"));
  }
  for (int i = 0; i < 150; ++i) trainer.step();
  CHECK(trainer.evaluate(20).token_accuracy == 0);  // it has never seen one
  CHECK(trainer.task().chance() == 1);
}
