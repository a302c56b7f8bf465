// Models of others: a nano-GPT that sorts, and llama2.c's that tell stories.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "experiments/trained_without/trained_model.h"
#include "lab/work.h"
#include "models/generate.h"
#include "models/llama2c_model.h"
#include "models/nano_gpt_model.h"
#include "models/tokenizer.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

constexpr const char* kCheckpoint = "checkpoint";

class ReaderModel : public TrainedModel {
 public:
  ReaderModel(const LanguageModelConfig& config, ProgressMeter& meter)
      : model_(parameters_, "", config), meter_(meter) {
    parameters_.allocate();
  }
  Parameters& parameters() { return parameters_; }
  int64_t d_k() const override { return config().layer.attention.d_model / config().layer.attention.n_heads; }
  float own_scale() const override { return static_cast<float>(1 / std::sqrt(static_cast<double>(d_k()))); }

 protected:
  const LanguageModelConfig& config() const { return model_.config(); }
  double forward_work(int64_t n_tokens) const { return row_work(n_tokens * parameters_.size()); }
  void computed(int64_t n_tokens) { meter_.add(forward_work(n_tokens)); }

  Parameters parameters_;
  LanguageModel model_;
  ProgressMeter& meter_;
  Cache cache_;
};

/// On one line, and without bytes that are no UTF-8.
std::string one_line(std::string_view text) {
  std::string line;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = decode_utf8(text, at);
    if (c == kNotUtf8 || c == '\n') {
      line += c == '\n' ? ' ' : '?';
    } else {
      append_utf8(line, c);
    }
  }
  return line;
}

int32_t likeliest(const float* logits, int64_t n) {
  return static_cast<int32_t>(std::max_element(logits, logits + n) - logits);
}

/// Its context holds a question of n tokens and its answer without the last. All questions are asked where
/// they are few, else some at random.
class SortingGpt : public ReaderModel {
 public:
  SortingGpt(const LanguageModelConfig& config, ProgressMeter& meter)
      : ReaderModel(config, meter),
        length_((config.context + 1) / 2),
        n_(std::clamp<int64_t>(65536 / length_, 1, kMaxSequences)) {
    int64_t all = 1;
    for (int64_t i = 0; i < length_ && all <= n_; ++i) all *= config.vocab;
    ask_all_ = all <= n_;
    if (ask_all_) n_ = all;
  }

  Performance at(float scale) override {
    int64_t right = 0, right_tokens = 0;
    std::string text;
    for (int64_t first = 0; first < n_; first += kBatch) {
      const int64_t batch = std::min(kBatch, n_ - first);
      std::vector<int32_t> questions;
      for (int64_t i = 0; i < batch; ++i) append_question(first + i, questions);
      const std::vector<int32_t> answers = answered(questions, batch, scale);
      for (int64_t i = 0; i < batch; ++i) {
        const auto begin = static_cast<size_t>(i * length_), end = begin + static_cast<size_t>(length_);
        std::vector<int32_t> sorted(questions.begin() + static_cast<std::ptrdiff_t>(begin),
                                    questions.begin() + static_cast<std::ptrdiff_t>(end));
        heap_sort(sorted);
        int64_t equal = 0;
        for (size_t j = begin; j < end; ++j) equal += answers[j] == sorted[j - begin];
        right_tokens += equal;
        right += equal == length_;
        if (first + i == n_ * 5 / 8) text = words(questions, begin) + " -> " + words(answers, begin);
      }
    }
    const double all = static_cast<double>(n_);
    return {{{"token_accuracy", static_cast<double>(right_tokens) / (all * static_cast<double>(length_))},
             {"sequence_accuracy", static_cast<double>(right) / all},
             {"n_sorted", static_cast<double>(right)}},
            text};
  }
  /// Each question, and its answer's tokens but the last.
  double work() const override { return forward_work(n_ * (2 * length_ - 1)); }
  std::optional<Figure> weights(float) override { return {}; }

 private:
  static constexpr int64_t kMaxSequences = 4096, kBatch = 64;

  void append_question(int64_t number, std::vector<int32_t>& questions) const {
    std::vector<float> uniform(static_cast<size_t>(length_));
    philox_uniform(0, 0, static_cast<uint64_t>(number * length_), uniform.data(), length_);
    for (const float u : uniform) {
      const int64_t drawn = static_cast<int64_t>(u * static_cast<float>(config().vocab));
      questions.push_back(static_cast<int32_t>(ask_all_ ? number % config().vocab : drawn));
      number /= config().vocab;
    }
  }
  std::vector<int32_t> answered(const std::vector<int32_t>& questions, int64_t batch, float scale) {
    AttentionOptions options;
    options.scale = scale;
    KeyValueCache past = model_.make_cache(batch);
    std::vector<int32_t> answers(questions.size()), next(static_cast<size_t>(batch));
    IndexView ids(questions.data(), {batch, length_});
    for (int64_t i = 0; i < length_; ++i) {
      const ConstView logits = model_.decode(ids, options, past, cache_);
      computed(ids.shape.size());  // tells of progress, and ends where nobody waits for it
      for (int64_t row = 0; row < batch; ++row) {
        const int32_t token = likeliest(logits.data + row * logits.shape[-1], logits.shape[-1]);
        next[static_cast<size_t>(row)] = answers[static_cast<size_t>(row * length_ + i)] = token;
      }
      ids = {next.data(), {batch, 1}};
    }
    return answers;
  }
  std::string words(const std::vector<int32_t>& tokens, size_t begin) const {
    std::string text;
    for (size_t i = begin; i < begin + static_cast<size_t>(length_); ++i)
      text.append(text.empty() ? "" : " ").append(to_text(tokens[i]));
    return text;
  }

  int64_t length_, n_;
  bool ask_all_;
};

/// Its own text, told from BOS at its own scale, is what it is asked for at others.
class Storyteller : public ReaderModel {
 public:
  Storyteller(const LanguageModelConfig& config, std::span<const uint8_t> tokenizer, int64_t n_tokens,
              std::string_view op, ProgressMeter& meter)
      : ReaderModel(config, meter), n_tokens_(std::min(n_tokens, config.context)) {
    if (!tokenizer.empty()) tokenizer_.emplace(tokenizer, config.vocab, op, "tokenizer");
    if (config.vocab <= Tokenizer::kBos) {
      throw FormatError(ErrorCode::kUnsupported, op, kCheckpoint, "a vocabulary with BOS",
                        to_text(config.vocab));
    }
  }

  Performance at(float scale) override {
    const std::vector<int32_t> tokens = told(scale);
    const auto same = std::mismatch(tokens.begin(), tokens.end(), text_.begin(), text_.end());

    AttentionOptions options;
    options.scale = scale;
    const int64_t n = static_cast<int64_t>(text_.size()) - 1;
    const double mean = negative_log_likelihood(model_, text_, options, cache_).mean;
    const ConstView logits = model_.forward({text_.data(), {1, n}}, options, false, cache_, {});
    int64_t equal = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int32_t token = likeliest(logits.data + i * config().vocab, config().vocab);
      equal += token == text_[static_cast<size_t>(i + 1)];
    }
    computed(2 * n);
    const double share = static_cast<double>(equal) / static_cast<double>(n);
    return {{{"greedy_agreement", share, std::sqrt(share * (1 - share) / static_cast<double>(n))},
             {"negative_log_likelihood", mean},
             {"equal_tokens", static_cast<double>(same.first - tokens.begin() - 1)}},
            tokenizer_ ? one_line(tokenizer_->decode(tokens)) : ids(tokens)};
  }
  /// The text, its likelihood, and the likeliest tokens in its place.
  double work() const override { return forward_work(3 * n_tokens_); }
  /// Its own text.
  double preparation_work() const override { return forward_work(n_tokens_); }
  void prepare() override { text_ = told(own_scale()); }
  std::optional<Figure> weights(float) override { return {}; }

 private:
  /// BOS and what follows.
  std::vector<int32_t> told(float scale) {
    const std::vector<int32_t> bos = {Tokenizer::kBos};
    GenerateOptions options{.n_tokens = n_tokens_};
    options.attention.scale = scale;
    options.stop = Tokenizer::kBos;
    options.on_token = [this](int32_t) { computed(1); };
    KeyValueCache past = model_.make_cache(1);
    std::vector<int32_t> tokens = generate(model_, bos, options, past, cache_);
    if (tokens.empty()) tokens = bos;  // a text of one BOS after another
    tokens.insert(tokens.begin(), Tokenizer::kBos);
    return tokens;
  }
  static std::string ids(const std::vector<int32_t>& tokens) {
    std::string text;
    for (size_t i = 1; i < std::min<size_t>(tokens.size(), 17); ++i) text += to_text(tokens[i]) + " ";
    return text + "..";
  }

  int64_t n_tokens_;
  std::optional<Tokenizer> tokenizer_;
  std::vector<int32_t> text_;
};

}  // namespace

std::unique_ptr<TrainedModel> read_sorting_gpt(std::span<const uint8_t> file, std::string_view op,
                                               ProgressMeter& meter) {
  const NanoGptFile contents = read_nano_gpt(file, op, kCheckpoint);
  auto model = std::make_unique<SortingGpt>(nano_gpt_config(contents.config), meter);
  load_nano_gpt(contents, model->parameters());
  return model;
}

std::unique_ptr<TrainedModel> read_storyteller(std::span<const uint8_t> file,
                                               std::span<const uint8_t> tokenizer, int64_t n_tokens,
                                               std::string_view op, ProgressMeter& meter) {
  const Llama2cFile contents = read_llama2c(file, op, kCheckpoint);
  auto model = std::make_unique<Storyteller>(llama2c_config(contents.config), tokenizer, n_tokens, op, meter);
  load_llama2c(contents, model->parameters());
  return model;
}

std::unique_ptr<TrainedModel> read_trained_model(std::span<const uint8_t> file,
                                                 std::span<const uint8_t> tokenizer, int64_t n_tokens,
                                                 std::string_view op, ProgressMeter& meter) {
  const auto begins = [&](size_t at) { return file.size() > at && file[at] == '{'; };
  if (begins(0)) return read_sorting_gpt(file, op, meter);
  if (begins(8)) return read_trainer(file, op, meter);
  return read_storyteller(file, tokenizer, n_tokens, op, meter);
}

}  // namespace sqrtdk
