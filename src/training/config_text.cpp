#include "training/config_text.h"

#include <algorithm>

#include "tensor/decimal.h"
#include "tensor/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kPrefix = "config.";

// field(name, value) for all fields, and field(name, value, names) for enumerations, in their order.
template <class Config, class Field>
void each_field(Config& config, Field& field) {
  field("task", config.task.name);
  field("length", config.task.length);
  field("symbols", config.task.symbols);
  field("text", config.task.text);
  field("topology", config.topology, {"encoder", "decoder", "encoder_decoder"});

  auto& model = config.model;
  field("n_layers", model.n_layers);
  field("positions", model.positions, {"none", "sinusoidal", "learned", "rotary"});
  field("tied", model.tied);
  field("head_bias", model.head_bias);
  field("final_norm", model.final_norm);
  field("scale_embedding", model.scale_embedding);

  auto& layer = model.layer;
  field("d_model", layer.d_model);
  field("n_heads", layer.n_heads);
  field("n_kv_heads", layer.n_kv_heads);
  field("d_head", layer.d_head);
  field("d_ff", layer.d_ff);
  field("norm_first", layer.norm_first);
  field("feed_forward", layer.feed_forward, {"relu", "gelu", "gelu_tanh", "swiglu"});
  field("dropout", layer.dropout);
  field("norm_epsilon", layer.epsilon);
  field("norm", layer.norm, {"layer", "rms"});
  field("bias", layer.bias);
  field("scale", layer.scale);
  field("softcap", layer.softcap);
  field("rotary_base", layer.rotary_base);
  field("qk_norm", layer.qk_norm);
  field("cosine", layer.cosine);
  field("learned_scale", layer.learned_scale);
  field("rotary_pairs", layer.rotary_pairs, {"halves", "interleaved"});

  auto& start = config.initialization;
  field("init", start.scheme,
        {"pytorch", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "normal"});
  field("init_gain", start.gain);
  field("init_split_in_proj", start.split_in_proj);
  field("init_std", start.std);
  field("init_embedding_std", start.embedding_std);

  auto& optimizer = config.optimizer;
  field("optimizer", optimizer.kind, {"sgd", "adam", "adamw", "adagrad"});
  field("learning_rate", optimizer.learning_rate);
  field("weight_decay", optimizer.weight_decay);
  field("momentum", optimizer.momentum);
  field("dampening", optimizer.dampening);
  field("nesterov", optimizer.nesterov);
  field("beta1", optimizer.beta1);
  field("beta2", optimizer.beta2);
  field("epsilon", optimizer.epsilon);
  field("rate_decay", optimizer.rate_decay);
  field("non_finite", optimizer.non_finite, {"throw", "skip"});
  field("warmup_steps", config.schedule.warmup_steps);
  field("total_steps", config.schedule.total_steps);
  field("final_fraction", config.schedule.final_fraction);
  field("max_gradient_norm", config.max_gradient_norm);
  field("label_smoothing", config.label_smoothing);
  field("batch", config.batch);
  field("seed", config.seed);
}

using Names = std::initializer_list<const char*>;

struct Writer {
  Metadata metadata;

  void operator()(const char* name, const std::string& text) {
    metadata.emplace_back(kPrefix + std::string(name), text);
  }
  void operator()(const char* name, const bool& value) {
    (*this)(name, std::string(value ? "true" : "false"));
  }
  void operator()(const char* name, const int64_t& value) { (*this)(name, std::to_string(value)); }
  void operator()(const char* name, const uint64_t& value) { (*this)(name, std::to_string(value)); }
  void operator()(const char* name, const double& value) { (*this)(name, to_general(value, 17)); }
  void operator()(const char* name, const float& value) { (*this)(name, to_general(value, 9)); }
  void operator()(const char* name, const std::optional<float>& value) {
    (*this)(name, value ? to_general(*value, 9) : std::string("default"));
  }
  template <class Enum>
  void operator()(const char* name, const Enum& value, Names names) {
    (*this)(name, std::string(names.begin()[static_cast<size_t>(value)]));
  }
};

struct Reader {
  const Metadata& metadata;
  const std::string &op, &argument;

  void operator()(const char* name, std::string& value) const { value = text(name); }
  void operator()(const char* name, bool& value) const {
    int index = 0;
    (*this)(name, index, {"false", "true"});
    value = index != 0;
  }
  void operator()(const char* name, int64_t& value) const {
    const std::string& digits = text(name);
    const bool negative = digits.starts_with('-');
    const uint64_t size = natural(name, digits.substr(negative ? 1 : 0), INT64_MAX);
    value = negative ? -static_cast<int64_t>(size) : static_cast<int64_t>(size);
  }
  void operator()(const char* name, uint64_t& value) const { value = natural(name, text(name), UINT64_MAX); }
  void operator()(const char* name, double& value) const {
    const std::optional<double> number = parse_double(text(name));
    if (!number) fail(name, "a number");
    value = *number;
  }
  void operator()(const char* name, float& value) const {
    const std::optional<float> number = parse_float(text(name));
    if (!number) fail(name, "a number");
    value = *number;
  }
  void operator()(const char* name, std::optional<float>& value) const {
    value.reset();
    if (text(name) != "default") (*this)(name, value.emplace());
  }
  template <class Enum>
  void operator()(const char* name, Enum& value, Names names) const {
    const auto* const found = std::find(names.begin(), names.end(), text(name));
    if (found == names.end()) fail(name, "one of its names");
    value = static_cast<Enum>(found - names.begin());
  }

 private:
  const std::string& text(const char* name) const {
    const std::string key = kPrefix + std::string(name);
    for (const auto& [known, value] : metadata) {
      if (known == key) return value;
    }
    throw FormatError(ErrorCode::kUnsupported, op, argument, key, "a checkpoint without it");
  }
  uint64_t natural(const char* name, const std::string& digits, uint64_t most) const {
    uint64_t value = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9' || value > (most - static_cast<uint64_t>(c - '0')) / 10)
        fail(name, "an integer");
      value = 10 * value + static_cast<uint64_t>(c - '0');
    }
    if (digits.empty()) fail(name, "an integer");
    return value;
  }
  [[noreturn]] void fail(const char* name, const char* expected) const {
    throw FormatError(ErrorCode::kUnsupported, op, argument, kPrefix + std::string(name) + ": " + expected,
                      text(name));
  }
};

}  // namespace

Metadata config_metadata(const TrainerConfig& config) {
  Writer writer;
  each_field(config, writer);
  return writer.metadata;
}

TrainerConfig read_config(const Metadata& metadata, const std::string& op, const std::string& argument) {
  TrainerConfig config;
  const Reader reader{metadata, op, argument};
  each_field(config, reader);
  return config;
}

}  // namespace sqrtdk
