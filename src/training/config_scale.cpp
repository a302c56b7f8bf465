// The scale of a config from its text.
#include <algorithm>
#include <cmath>

#include "tensor/decimal.h"
#include "tensor/errors.h"
#include "training/config_text.h"

namespace sqrtdk {
namespace {

constexpr struct {
  const char* text;
  ScaleRule rule;
} kRules[] = {{"none", ScaleRule::kNone},
              {"1/sqrt(d)", ScaleRule::kInverseSqrt},
              {"1/(2*sqrt(d))", ScaleRule::kHalfInverseSqrt},
              {"1/d", ScaleRule::kInverse}};

bool is_kind(const std::string& text) { return text == "learned" || text == "cosine"; }

int64_t d_head_of(const TransformerLayerConfig& layer) {
  const int64_t d = layer.d_head > 0 ? layer.d_head : layer.d_model / std::max<int64_t>(layer.n_heads, 1);
  return std::max<int64_t>(d, 1);
}

std::string without_blanks(const std::string& text) {
  std::string compact;
  std::copy_if(text.begin(), text.end(), std::back_inserter(compact), [](char c) { return c != ' '; });
  return compact;
}

[[noreturn]] void refuse(const std::string& text, bool kinds, const std::string& op) {
  std::string expected;
  for (const std::string& known : scale_texts()) {
    if (kinds || !is_kind(known)) expected += known + ", ";
  }
  throw ValueError(ErrorCode::kNotAChoice, op, "scale", expected + "number", text);
}

std::optional<float> scale_of(const std::string& text, const TransformerLayerConfig& layer, bool kinds,
                              const std::string& op) {
  if (text == "default") return {};
  for (const auto& known : kRules) {
    if (text == known.text) return scale_of(known.rule, d_head_of(layer));
  }
  const std::optional<float> number = parse_float(text);
  if (!number) refuse(text, kinds, op);
  if (!std::isfinite(*number)) throw ValueError(ErrorCode::kNotFinite, op, "scale", "finite number", text);
  return number;
}

}  // namespace

std::vector<std::string> scale_texts() {
  std::vector<std::string> texts = {"default"};
  for (const auto& known : kRules) texts.emplace_back(known.text);
  texts.insert(texts.end(), {"learned", "cosine"});
  return texts;
}

std::optional<float> scale_of(const std::string& text, const TransformerLayerConfig& layer,
                              const std::string& op) {
  return scale_of(without_blanks(text), layer, false, op);
}

TrainerConfig config_of(const Texts& fields, const std::string& op, const TrainerConfig& start) {
  TrainerConfig config = start;
  for (const auto& [name, text] : fields) {
    if (name != "scale") set_field(config, name, text, op);
  }
  const auto scale = fields.find("scale");
  if (scale == fields.end()) return config;
  TransformerLayerConfig& layer = config.model.layer;
  const std::string text = without_blanks(scale->second);
  if (is_kind(text)) {
    layer.scale.reset();
    (text == "cosine" ? layer.cosine : layer.learned_scale) = true;
  } else {
    layer.scale = scale_of(text, layer, true, op);
  }
  return config;
}

}  // namespace sqrtdk
