#include <algorithm>
#include <numeric>
#include <span>

#include "base/sort.h"
#include "training/tasks.h"

namespace sqrtdk::tasks {
namespace {

// A source of `length` tokens, all equally likely, and an answer as long.
class Sequence : public Task {
 public:
  explicit Sequence(const TaskConfig& config)
      : Task({config.symbols, config.length, config.length, config.length}) {}
  double chance() const override { return 1 / static_cast<double>(vocab()); }

 protected:
  void make(ExampleDraws draws, int32_t* source, int32_t* answer) const override {
    for (int64_t i = 0; i < n_source(); ++i) answer[i] = source[i] = draws.below(vocab());
    arrange(answer);
  }
  virtual void arrange(int32_t* answer) const {}
};

class Copy : public Sequence {
  using Sequence::Sequence;
};

class Reverse : public Sequence {
  using Sequence::Sequence;
  void arrange(int32_t* answer) const override { std::reverse(answer, answer + n_answer()); }
};

class Sort : public Sequence {
  using Sequence::Sequence;
  void arrange(int32_t* answer) const override {
    heap_sort(std::span(answer, static_cast<size_t>(n_answer())));
  }

 public:
  // The i-th smallest of n: P(it is at most s) = P(more than i of n are at most s), a binomial tail.
  double chance() const override {
    const int64_t n = n_answer();
    double right = 0;
    for (int64_t i = 0; i < n; ++i) {
      double below = 0, best = 0;
      for (int64_t s = 0; s < vocab(); ++s) {
        const double at_most = tail(i + 1, static_cast<double>(s + 1) / static_cast<double>(vocab()));
        best = std::max(best, at_most - below);
        below = at_most;
      }
      right += best;
    }
    return right / static_cast<double>(n);
  }

 private:
  // P(at least k of n), each with probability p.
  double tail(int64_t k, double p) const {
    const int64_t n = n_answer();
    std::vector<double> exactly(static_cast<size_t>(n) + 1);  // P(j of the first i)
    exactly[0] = 1;
    for (int64_t i = 0; i < n; ++i) {
      for (auto j = static_cast<size_t>(i + 1); j > 0; --j) {
        exactly[j] = exactly[j] * (1 - p) + exactly[j - 1] * p;
      }
      exactly[0] *= 1 - p;
    }
    return std::accumulate(exactly.begin() + k, exactly.end(), 0.0);
  }
};

template <class T>
std::unique_ptr<Task> make(const TaskConfig& config) {
  check("symbols", config.symbols, 2, Task::kMaxSymbols);
  check("length", config.length, 1, Task::kMaxLength);
  return std::make_unique<T>(config);
}

}  // namespace

std::unique_ptr<Task> sort(const TaskConfig& config) { return make<Sort>(config); }
std::unique_ptr<Task> copy(const TaskConfig& config) { return make<Copy>(config); }
std::unique_ptr<Task> reverse(const TaskConfig& config) { return make<Reverse>(config); }

}  // namespace sqrtdk::tasks
