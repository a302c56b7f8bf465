// The scale of a config from its text.
#include <algorithm>

#include "kernels/attention/scale.h"
#include "training/config_text.h"

namespace sqrtdk {
namespace {

constexpr const char* kFurther[] = {"default", "learned", "cosine"};

int64_t d_head_of(const MultiHeadAttentionConfig& attention) {
  return attention.d_head > 0 ? attention.d_head
                              : attention.d_model / std::max<int64_t>(attention.n_heads, 1);
}

std::optional<float> value_of(const Scale& scale, const MultiHeadAttentionConfig& attention) {
  if (scale.kind == Scale::Kind::kDefault) return {};
  return scale.at(d_head_of(attention));
}

}  // namespace

std::vector<std::string> scale_texts() { return scale_names(kFurther); }

std::optional<float> scale_of(const std::string& text, const MultiHeadAttentionConfig& attention,
                              const std::string& op) {
  return value_of(parse_scale(op, text, std::span(kFurther).first(1)), attention);
}

TrainerConfig config_of(const Texts& fields, const std::string& op, const TrainerConfig& start) {
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
