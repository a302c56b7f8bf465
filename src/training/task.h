#pragma once
// Tasks that a small transformer learns within minutes, made from a seed: a source of tokens and its answer.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sqrtdk {

struct TaskConfig {
  std::string name = "sort";
  int64_t length = 12;    // tokens to sort, copy or reverse; pairs of which one is recalled
  int64_t symbols = 16;   // different ones; the modulus of an addition
  std::string text = {};  // whose characters are to be predicted
};

/// The uniform random numbers of one example, one after the other.
class ExampleDraws {
 public:
  ExampleDraws(const float* uniform, bool held_out) : next_(uniform), held_out_(held_out) {}
  /// 0 .. n - 1
  int32_t below(int64_t n) { return static_cast<int32_t>(*next_++ * static_cast<float>(n)); }
  bool held_out() const { return held_out_; }

 private:
  const float* next_;
  bool held_out_;
};

class Task {
 public:
  static constexpr int64_t kMaxLength = 256, kMaxSymbols = 256;
  struct Size {
    int64_t vocab, n_source, n_answer, n_draws;
    bool continues = false;
  };

  explicit Task(const Size& size) : size_(size) {}
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  int64_t vocab() const { return size_.vocab; }
  int64_t n_source() const { return size_.n_source; }
  int64_t n_answer() const { return size_.n_answer; }
  /// Whether the answer goes on where the source ends, with no token between them.
  bool continues() const { return size_.continues; }

  /// Examples first .. first + n - 1 of a stream of a seed, each a function of its number alone. source:
  /// [n, n_source], answer: [n, n_answer]. `held_out` ones are of what the others are never made of, where a
  /// task keeps something back.
  void sample(uint64_t seed, uint64_t stream, int64_t first, int64_t n, int32_t* source, int32_t* answer,
              bool held_out = false) const;

  /// The share of the answer's tokens that the best answer gets right which does not look at the source.
  virtual double chance() const = 0;
  /// What no model gets more than right: for each beginning of an answer and its source, the best token.
  virtual double ceiling() const { return 1; }
  /// How a token is written; "?" for one that is not of the task, such as a model's separator.
  std::string text(int32_t token) const;

 protected:
  virtual std::string written(int32_t token) const;  // 0 .. vocab - 1
  virtual void make(ExampleDraws draws, int32_t* source, int32_t* answer) const = 0;

 private:
  Size size_;
};

/// copy, reverse, sort: `length` of `symbols`, and so is the answer.
/// recall: `length` pairs of a key and a value, all keys different, then one of the keys; its value. Keys and
/// values are `symbols` different tokens each.
/// modular_addition: a, b and "="; a + b modulo `symbols`.
/// coreference: a sentence of an animal and a thing, one of which its last word suits; the noun that "it" is.
/// dates: a day of 1950 to 2049 in one of ten English and Chinese spellings, character by character; its ISO
/// form.
/// characters: one of `text`; the `length` that follow. Its last tenth, or length + 1 characters where that
/// is more, is held out, unless that would be more than a quarter. Throws ValueError for a name or numbers
/// that are none of these.
std::unique_ptr<Task> make_task(const TaskConfig& config);

}  // namespace sqrtdk
