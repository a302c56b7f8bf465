#include "training/config_text.h"

#include <algorithm>
#include <span>
#include <variant>

#include "tensor/decimal.h"
#include "tensor/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kPrefix = "config.";

// Of enumerations, in their order.
constexpr const char* kTopologies[] = {"encoder", "decoder", "encoder_decoder"};
constexpr const char* kPositions[] = {"none", "sinusoidal", "learned", "rotary"};
constexpr const char* kFeedForwards[] = {"relu", "gelu", "gelu_tanh", "swiglu"};
constexpr const char* kNorms[] = {"layer", "rms"};
constexpr const char* kRotaryPairs[] = {"halves", "interleaved"};
constexpr const char* kInits[] = {"pytorch",         "xavier_uniform", "xavier_normal",
                                  "kaiming_uniform", "kaiming_normal", "normal"};
constexpr const char* kOptimizers[] = {"sgd", "adam", "adamw", "adagrad"};
constexpr const char* kNonFinites[] = {"throw", "skip"};

template <class Enum>
struct EnumAs {  // its numbers, whatever its type
  static int get(const void* value) { return static_cast<int>(*static_cast<const Enum*>(value)); }
  static void set(void* value, int number) { *static_cast<Enum*>(value) = static_cast<Enum>(number); }
};

struct Choice {
  void* value;
  int (*get)(const void*);
  void (*set)(void*, int);
  std::span<const char* const> names;  // of 0, 1, ..
};

struct Field {
  const char* name;
  std::variant<std::string*, bool*, int64_t*, uint64_t*, double*, float*, std::optional<float>*, Choice>
      value;
};

struct Fields {
  std::vector<Field> list;

  template <class Value>
  void operator()(const char* name, Value& value) {
    list.push_back({name, &value});
  }
  template <class Enum>
  void operator()(const char* name, Enum& value, std::span<const char* const> names) {
    list.push_back({name, Choice{&value, EnumAs<Enum>::get, EnumAs<Enum>::set, names}});
  }
};

std::vector<Field> fields_of(TrainerConfig& config) {
  Fields field;
  field("task", config.task.name);
  field("length", config.task.length);
  field("symbols", config.task.symbols);
  field("text", config.task.text);
  field("topology", config.topology, kTopologies);

  auto& model = config.model;
  field("n_layers", model.n_layers);
  field("positions", model.positions, kPositions);
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
  field("feed_forward", layer.feed_forward, kFeedForwards);
  field("dropout", layer.dropout);
  field("norm_epsilon", layer.epsilon);
  field("norm", layer.norm, kNorms);
  field("bias", layer.bias);
  field("scale", layer.scale);
  field("softcap", layer.softcap);
  field("rotary_base", layer.rotary_base);
  field("qk_norm", layer.qk_norm);
  field("cosine", layer.cosine);
  field("learned_scale", layer.learned_scale);
  field("tied_kv", layer.tied_kv);
  field("rotary_pairs", layer.rotary_pairs, kRotaryPairs);

  auto& start = config.initialization;
  field("init", start.scheme, kInits);
  field("init_gain", start.gain);
  field("init_split_in_proj", start.split_in_proj);
  field("init_std", start.std);
  field("init_embedding_std", start.embedding_std);
  field("init_projection_std", start.projection_std);
  field("init_equal_qk", start.equal_qk);

  auto& optimizer = config.optimizer;
  field("optimizer", optimizer.kind, kOptimizers);
  field("learning_rate", optimizer.learning_rate);
  field("weight_decay", optimizer.weight_decay);
  field("momentum", optimizer.momentum);
  field("dampening", optimizer.dampening);
  field("nesterov", optimizer.nesterov);
  field("beta1", optimizer.beta1);
  field("beta2", optimizer.beta2);
  field("epsilon", optimizer.epsilon);
  field("rate_decay", optimizer.rate_decay);
  field("non_finite", optimizer.non_finite, kNonFinites);
  field("warmup_steps", config.schedule.warmup_steps);
  field("total_steps", config.schedule.total_steps);
  field("final_fraction", config.schedule.final_fraction);
  field("max_gradient_norm", config.max_gradient_norm);
  field("label_smoothing", config.label_smoothing);
  field("batch", config.batch);
  field("seed", config.seed);
  return field.list;
}

struct Writer {
  std::string operator()(const std::string* value) const { return *value; }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int64_t* value) const { return std::to_string(*value); }
  std::string operator()(const uint64_t* value) const { return std::to_string(*value); }
  std::string operator()(const double* value) const { return to_general(*value, 17); }
  std::string operator()(const float* value) const { return to_general(*value, 9); }
  std::string operator()(const std::optional<float>* value) const {
    return *value ? to_general(**value, 9) : "default";
  }
  std::string operator()(const Choice& choice) const {
    return choice.names[static_cast<size_t>(choice.get(choice.value))];
  }
};

std::optional<uint64_t> natural(std::string_view digits, uint64_t most) {
  if (digits.empty()) return {};
  uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || value > (most - static_cast<uint64_t>(c - '0')) / 10) return {};
    value = 10 * value + static_cast<uint64_t>(c - '0');
  }
  return value;
}

// Sets the value, or changes nothing and returns false.
struct Parser {
  const std::string& text;

  bool operator()(std::string* value) const {
    *value = text;
    return true;
  }
  bool operator()(bool* value) const { return set(value, text == "true", text == "true" || text == "false"); }
  bool operator()(int64_t* value) const {
    const bool negative = text.starts_with('-');
    const std::optional<uint64_t> size = natural(std::string_view(text).substr(negative ? 1 : 0), INT64_MAX);
    const auto number = static_cast<int64_t>(size.value_or(0));
    return set(value, negative ? -number : number, size.has_value());
  }
  bool operator()(uint64_t* value) const {
    const std::optional<uint64_t> number = natural(text, UINT64_MAX);
    return set(value, number.value_or(0), number.has_value());
  }
  bool operator()(double* value) const {
    const std::optional<double> number = parse_double(text);
    return set(value, number.value_or(0), number.has_value());
  }
  bool operator()(float* value) const {
    const std::optional<float> number = parse_float(text);
    return set(value, number.value_or(0), number.has_value());
  }
  bool operator()(std::optional<float>* value) const {
    const std::optional<float> number = parse_float(text);
    return set(value, number, number || text == "default");
  }
  bool operator()(const Choice& choice) const {
    for (size_t i = 0; i < choice.names.size(); ++i) {
      if (text != choice.names[i]) continue;
      choice.set(choice.value, static_cast<int>(i));
      return true;
    }
    return false;
  }

 private:
  template <class Value>
  static bool set(Value* value, Value read, bool valid) {
    if (valid) *value = read;
    return valid;
  }
};

struct Expected {
  ErrorCode code;
  std::string what;
};

struct Describer {
  Expected operator()(const std::string*) const { return {ErrorCode::kUnsupported, "text"}; }
  Expected operator()(const bool*) const { return {ErrorCode::kNotAChoice, "true, false"}; }
  Expected operator()(const int64_t*) const { return {ErrorCode::kNotANumber, "integer"}; }
  Expected operator()(const uint64_t*) const {
    return {ErrorCode::kNotANumber, "integer from 0 to " + std::to_string(UINT64_MAX)};
  }
  Expected operator()(const double*) const { return {ErrorCode::kNotANumber, "number"}; }
  Expected operator()(const float*) const { return {ErrorCode::kNotANumber, "number"}; }
  Expected operator()(const std::optional<float>*) const {
    return {ErrorCode::kNotANumber, "number or default"};
  }
  Expected operator()(const Choice& choice) const {
    std::string names;
    for (const char* const name : choice.names) names.append(names.empty() ? "" : ", ").append(name);
    return {ErrorCode::kNotAChoice, names};
  }
};

}  // namespace

Metadata config_metadata(const TrainerConfig& config) {
  Metadata metadata;
  TrainerConfig copy = config;
  for (const Field& field : fields_of(copy)) {
    metadata.emplace_back(std::string(kPrefix) + field.name, std::visit(Writer(), field.value));
  }
  return metadata;
}

TrainerConfig read_config(const Metadata& metadata, const std::string& op, const std::string& argument) {
  TrainerConfig config;
  for (const Field& field : fields_of(config)) {
    const std::string key = std::string(kPrefix) + field.name;
    const auto found =
        std::find_if(metadata.begin(), metadata.end(), [&](const auto& pair) { return pair.first == key; });
    if (found == metadata.end()) {
      throw FormatError(ErrorCode::kUnsupported, op, argument, key, "a checkpoint without it");
    }
    if (std::visit(Parser{found->second}, field.value)) continue;
    throw FormatError(ErrorCode::kUnsupported, op, argument,
                      key + ": " + std::visit(Describer(), field.value).what, found->second);
  }
  return config;
}

std::vector<ConfigField> config_fields(const TrainerConfig& config) {
  std::vector<ConfigField> described;
  TrainerConfig copy = config;
  for (const Field& field : fields_of(copy)) {
    described.push_back(
        {field.name, std::visit(Describer(), field.value).what, std::visit(Writer(), field.value)});
  }
  return described;
}

void set_field(TrainerConfig& config, const std::string& name, const std::string& text,
               const std::string& op) {
  std::string names;
  for (const Field& field : fields_of(config)) {
    names.append(names.empty() ? "" : ", ").append(field.name);
    if (name != field.name) continue;
    if (std::visit(Parser{text}, field.value)) return;
    const Expected expected = std::visit(Describer(), field.value);
    throw ValueError(expected.code, op, name, expected.what, text);
  }
  throw ValueError(ErrorCode::kUnknownName, op, "field", names, name);
}

}  // namespace sqrtdk
