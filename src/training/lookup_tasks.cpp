#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/decimal.h"
#include "training/tasks.h"

namespace sqrtdk::tasks {
namespace {

class Recall : public Task {
 public:
  explicit Recall(const TaskConfig& config)
      : Task({2 * config.symbols, 2 * config.length + 1, 1, 2 * config.length + 1}),
        pairs_(config.length),
        symbols_(config.symbols) {}
  double chance() const override { return 1 / static_cast<double>(symbols_); }

 protected:
  std::string written(int32_t token) const override {
    const bool is_key = token < symbols_;
    return (is_key ? 'k' : 'v') + to_text(is_key ? token : token - symbols_);
  }
  void make(ExampleDraws draws, int32_t* source, int32_t* answer) const override {
    int32_t keys[kMaxSymbols];
    std::iota(keys, keys + symbols_, 0);
    for (int64_t i = 0; i < pairs_; ++i) {
      std::swap(keys[i], keys[i + draws.below(symbols_ - i)]);
      source[2 * i] = keys[i];
      source[2 * i + 1] = static_cast<int32_t>(symbols_) + draws.below(symbols_);
    }
    const int32_t asked = draws.below(pairs_);
    source[2 * pairs_] = keys[asked];
    *answer = source[2 * asked + 1];
  }

 private:
  int64_t pairs_, symbols_;
};

class ModularAddition : public Task {
 public:
  explicit ModularAddition(const TaskConfig& config) : Task({config.symbols + 1, 3, 1, 2}) {}
  double chance() const override { return 1 / static_cast<double>(vocab() - 1); }

 protected:
  std::string written(int32_t token) const override { return token == vocab() - 1 ? "=" : to_text(token); }
  void make(ExampleDraws draws, int32_t* source, int32_t* answer) const override {
    const int64_t modulus = vocab() - 1;
    source[0] = draws.below(modulus), source[1] = draws.below(modulus);
    source[2] = static_cast<int32_t>(modulus);
    *answer = static_cast<int32_t>((source[0] + source[1]) % modulus);
  }
};

// "the <noun> <verb> the <noun> because it was <adjective>": an animal and a thing in either order, and an
// adjective that suits one of them.
class Coreference : public Task {
 public:
  static constexpr const char* kWords[] = {
      "the",    "because", "it",     "was",                                          // 0
      "passed", "faced",   "left",   "noticed",                                      // 4
      "cat",    "dog",     "bird",   "horse",   "fox",    "mouse", "child", "bear",  // 8
      "street", "river",   "wall",   "fence",   "bridge", "field", "gate",  "road",  // 16
      "tired",  "hungry",  "afraid", "asleep",                                       // 24
      "wide",   "flooded", "steep",  "paved"};                                       // 28
  static constexpr int32_t kVerbs = 4, kAnimals = 8, kThings = 16, kAdjectives = 24;

  Coreference() : Task({static_cast<int64_t>(std::size(kWords)), 9, 1, 6}) {}
  double chance() const override { return 1.0 / (2 * (kThings - kAnimals)); }

 protected:
  std::string written(int32_t token) const override { return kWords[token]; }
  void make(ExampleDraws draws, int32_t* source, int32_t* answer) const override {
    const int32_t animal = kAnimals + draws.below(8), thing = kThings + draws.below(8);
    const bool animal_first = draws.below(2) == 0, of_animal = draws.below(2) == 0;
    const int32_t verb = kVerbs + draws.below(4);
    const int32_t adjective = kAdjectives + (of_animal ? 0 : 4) + draws.below(4);
    const int32_t words[] = {
        0, animal_first ? animal : thing, verb, 0, animal_first ? thing : animal, 1, 2, 3, adjective};
    std::copy(std::begin(words), std::end(words), source);
    *answer = of_animal ? animal : thing;
  }
};

}  // namespace

std::unique_ptr<Task> recall(const TaskConfig& config) {
  check("symbols", config.symbols, 2, Task::kMaxSymbols);
  check("length", config.length, 1, std::min(config.symbols, Task::kMaxLength));
  return std::make_unique<Recall>(config);
}

std::unique_ptr<Task> modular_addition(const TaskConfig& config) {
  check("symbols", config.symbols, 2, Task::kMaxSymbols);
  return std::make_unique<ModularAddition>(config);
}

std::unique_ptr<Task> coreference(const TaskConfig&) { return std::make_unique<Coreference>(); }

}  // namespace sqrtdk::tasks
