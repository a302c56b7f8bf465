#include "experiments/training_race/training_work.h"

#include <doctest/doctest.h>

#include "lab/progress.h"
#include "training/config_text.h"

namespace sqrtdk {
namespace {

constexpr int64_t kHeadExamples = 32;

const Texts kModels[] = {
    {},
    {{"d_model", "32"}, {"n_heads", "4"}, {"d_head", "48"}, {"d_ff", "20"}, {"n_layers", "3"}},
    {{"task", "characters"}, {"topology", "decoder"}, {"text", "abracadabra abracadabra"}, {"length", "6"}},
    {{"task", "dates"}, {"topology", "encoder_decoder"}, {"n_heads", "2"}, {"d_head", "20"}},
    {{"task", "recall"}, {"length", "5"}, {"symbols", "60"}, {"feed_forward", "swiglu"}, {"norm", "rms"}},
    {{"n_heads", "4"}, {"n_kv_heads", "2"}, {"qk_norm", "true"}, {"length", "40"}},
    {{"task", "dates"}, {"topology", "encoder_decoder"}, {"dropout", "0.1"}, {"cosine", "true"}},
    {{"optimizer", "sgd"}, {"batch", "100"}, {"length", "60"}, {"n_heads", "8"}, {"dropout", "0.2"}}};

/// The number of rows that a matrix of weights is applied to; 0 for a table.
double rows_of(const std::string& name, int64_t part, const Task& task, const TrainerConfig& config) {
  if (name.find("_proj") == std::string::npos && name.find("linear") == std::string::npos &&
      name.find("head.") == std::string::npos) {
    return 0;
  }
  const bool of_source = name.starts_with("encoder.") || (name.find("multihead_attn") < 99 && part > 0);
  if (config.topology != Topology::kEncoderDecoder) return static_cast<double>(config.model.context);
  return static_cast<double>(of_source ? task.n_source() : task.n_answer());
}

/// Weights times rows, and what the scores of a forward pass say.
double counted(Trainer& trainer) {
  const MultiHeadAttentionConfig& config = trainer.config().model.layer.attention;
  double products = 0;
  for (const Parameter& parameter : trainer.parameters().list()) {
    if (parameter.shape.rank() != 2) continue;
    const double n_in = static_cast<double>(parameter.shape[1]);
    for (int64_t row = 0; row < parameter.shape[0]; ++row) {  // those of in_proj: W_Q, W_K, W_V
      const bool joined = parameter.name.find("in_proj") != std::string::npos;
      const int64_t part =
          joined ? row / (config.n_heads * config.d_head) : parameter.name.find("k_proj") < 99;
      products += n_in * rows_of(parameter.name, part, trainer.task(), trainer.config());
    }
  }
  trainer.look_at_heads(1);
  for (const MultiHeadAttention* attention : trainer.model().attentions()) {
    products += static_cast<double>(attention->weights(trainer.cache()).shape.size() * 2 * config.d_head);
  }
  return products;
}

TEST_CASE("training work: the products of a forward pass, counted in the model itself") {
  for (const Texts& model : kModels) {
    Trainer trainer(config_of(model, "test"));
    CAPTURE(trainer.config().task.name);
    const double products = forward_products(trainer.config());
    CHECK(products == counted(trainer));
    CHECK(forward_products(config_of(model, "test")) == products);  // before defaults are resolved
    CHECK(step_work(trainer.config()) ==
          3 * static_cast<double>(trainer.config().batch) * forward_work(trainer.config()));
  }
}

/// What lies in a trainer: the cache holds the largest that was asked for under each name.
double held(const TrainerConfig& config) {
  Trainer trainer(config);
  std::map<std::string, int64_t> largest;
  const auto look = [&] {
    for (const std::string& name : trainer.cache().names()) {
      int64_t& size = largest[name];
      size = std::max(size, trainer.cache().at(name).shape.size());
    }
  };
  trainer.step();
  look();
  trainer.row_gradients(kHeadExamples);
  look();
  int64_t floats = trainer.parameters().size() * (2 + trainer.optimizer().n_moments());
  for (const auto& [name, size] : largest) floats += size;
  return 4 * static_cast<double>(floats);
}

TEST_CASE("training work: a trainer's memory is what its cache, its parameters and its optimizer hold") {
  for (const Texts& model : kModels) {
    const TrainerConfig config = config_of(model, "test");
    CAPTURE(config.task.name);
    const double ratio = training_bytes(config, kHeadExamples) / held(config);
    CHECK(ratio > 0.95);
    CHECK(ratio < 1.1);
  }
}

}  // namespace
}  // namespace sqrtdk
