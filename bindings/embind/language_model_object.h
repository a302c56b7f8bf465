#pragma once
// A language model behind a handle.
#include "layer_object.h"

namespace sqrtdk::border {

class LanguageModelObject final : public LayerObject {
 public:
  explicit LanguageModelObject(const LanguageModelConfig& config)
      : LayerObject("language_model"), model_(parameters, "", config) {}
  LanguageModel* language_model() override { return &model_; }
  int64_t d_head() const override { return model_.config().layer.attention.d_head; }

  Cache decoding;  // of decode, so that what forward left stays

 private:
  View run(const LayerCall& call) override {
    return model_.forward(call.ids, call.options[0], call.explain, cache, call.mode);
  }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    model_.backward(call.ids, dout, call.options[0], cache);
    return {};
  }

  LanguageModel model_;
};

/// Throws ValueError where the layer is no model.
template <>
inline LanguageModelObject& object<LanguageModelObject>(Arguments& given) {
  LayerObject& layer = object<LayerObject>(given);
  if (layer.language_model()) return static_cast<LanguageModelObject&>(layer);
  throw ValueError(ErrorCode::kUnsupported, "language_model", "handle", "a language model", layer.op);
}

}  // namespace sqrtdk::border
