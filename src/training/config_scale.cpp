// The scale of a config from its text.
#include "kernels/attention/scale.h"
#include "training/config_text.h"

namespace sqrtdk {
namespace {

constexpr const char* kFurther[] = {"default", "learned", "cosine"};

std::optional<float> value_of(const Scale& scale, const MultiHeadAttentionConfig& attention) {
  if (scale.kind == Scale::Kind::kDefault) return {};
  return scale.at(head_dimension(attention));
}

}  // namespace

std::vector<std::string> scale_texts() { return scale_names(kFurther); }

std::optional<float> scale_of(const std::string& text, const MultiHeadAttentionConfig& attention,
                              std::string_view op) {
  return value_of(parse_scale(op, text, std::span(kFurther).first(1)), attention);
}

TrainerConfig config_of(const Texts& fields, std::string_view op, const TrainerConfig& start) {
  TrainerConfig config = start;
  for (const auto& [name, text] : fields) {
    if (name != "scale") set_field(config, name, text, op);
  }
  const auto text = fields.find("scale");
  if (text == fields.end()) return config;
  MultiHeadAttentionConfig& attention = config.model.layer.attention;
  const Scale scale = parse_scale(op, text->second, kFurther);
  const bool cosine = scale.kind == Scale::Kind::kCosine, learned = scale.kind == Scale::Kind::kLearned;
  attention.cosine = attention.cosine || cosine;
  attention.learned_scale = attention.learned_scale || learned;
  attention.scale = cosine || learned ? std::nullopt : value_of(scale, attention);
  return config;
}

}  // namespace sqrtdk
