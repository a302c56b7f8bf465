#pragma once
// A model as a task needs it: how source and answer become tokens and targets, whatever the topology.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/language_model.h"
#include "training/encoder_decoder.h"
#include "training/task.h"

namespace sqrtdk {

enum class Topology {
  kEncoder,  // sees the source; the answer stands at its last positions
  kDecoder,  // causal: the source, a separator where the task needs one, and the answer; predicts the next
  kEncoderDecoder,  // the encoder sees the source, the decoder a start token and the answer; predicts the
                    // next
};

class TaskModel {
 public:
  /// The task and the topology set the config's vocab, context, n_out and causal; a d_ff of 0 becomes
  /// 2 d_model. Throws ValueError for an invalid configuration.
  TaskModel(Parameters& parameters, const Task& task, Topology topology, const LanguageModelConfig& config);

  /// Takes examples, source: [n, n_source] and answer: [n, n_answer], for forward, backward and targets.
  void set_examples(int64_t n, const int32_t* source, const int32_t* answer);
  /// Logits [n, length, vocab], those of the answer at the last n_answer of the positions. A scale takes
  /// precedence over the config's.
  View forward(std::optional<float> scale, bool explain, Cache& cache, const Mode& mode) const;
  /// The backward pass of the last forward, which was without a scale.
  void backward(ConstView dlogits, Cache& cache) const;
  /// [n, length], kIgnored where no token of the answer is predicted.
  IndexView targets() const { return {targets_.data(), {n_, length_}}; }
  static constexpr int32_t kIgnored = -100;

  /// The answers [n, n_answer] to n sources, each token the likeliest, or -1 where logits are NaN and from
  /// there on.
  std::vector<int32_t> answer(int64_t n, const int32_t* source, std::optional<float> scale, bool explain,
                              Cache& cache);

  /// How a token is written: as the task's, or "→" for the separator.
  std::string text(int32_t token) const;

  /// Those of the encoder, then the decoder's own, then the decoder's of the encoder's output, each in the
  /// order of the layers.
  std::vector<const MultiHeadAttention*> attentions() const;
  struct Attended {
    const MultiHeadAttention* attention;
    std::span<const int32_t> queries, keys;
  };
  /// `attentions`, each with the tokens of the first example at the rows and columns of its weights, until
  /// the next examples.
  std::vector<Attended> attended() const;

  const LanguageModelConfig& config() const { return config_; }

 private:
  void answer_by_steps(int64_t n, const int32_t* source, std::optional<float> scale, Cache& cache,
                       std::span<int32_t> answers);
  void set_ids(int64_t n, const int32_t* source, const int32_t* answer, int64_t n_known);

  const Task* task_;
  Topology topology_;
  LanguageModelConfig config_;
  bool separated_;  // by the last token of the vocabulary
  int64_t length_;
  std::optional<LanguageModel> language_model_;
  std::optional<EncoderDecoder> encoder_decoder_;
  int64_t n_ = 0, n_ids_ = 0;  // examples, and positions of each
  std::vector<int32_t> source_, ids_, targets_;
};

/// The index of the largest; -1 where one is NaN.
int32_t likeliest(const float* logits, int64_t n);

}  // namespace sqrtdk
