#pragma once
// A language model behind a handle.
#include "layer_object.h"

namespace sqrtdk::border {

class LanguageModelObject final : public LayerObject {
 public:
  explicit LanguageModelObject(const LanguageModelConfig& config)
      : LayerObject("language_model"), model_(parameters, "", config) {}
  LanguageModel* language_model() override { return &model_; }

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

}  // namespace sqrtdk::border
