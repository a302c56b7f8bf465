#include "models/nano_gpt_model.h"

#include "models/load_weights.h"

namespace sqrtdk {
namespace {

constexpr WeightName kNames[] = {
    {"transformer.wte.weight", "embedding.weight"},
    {"transformer.wpe.weight", "positions.weight"},
    {"transformer.h.{i}.ln_1.weight", "layers.{i}.norm1.weight"},
    {"transformer.h.{i}.ln_1.bias", "layers.{i}.norm1.bias"},
    {"transformer.h.{i}.attn.c_attn.weight", "layers.{i}.self_attn.in_proj_weight"},
    {"transformer.h.{i}.attn.c_attn.bias", "layers.{i}.self_attn.in_proj_bias"},
    {"transformer.h.{i}.attn.c_proj.weight", "layers.{i}.self_attn.out_proj.weight"},
    {"transformer.h.{i}.attn.c_proj.bias", "layers.{i}.self_attn.out_proj.bias"},
    {"transformer.h.{i}.ln_2.weight", "layers.{i}.norm2.weight"},
    {"transformer.h.{i}.ln_2.bias", "layers.{i}.norm2.bias"},
    {"transformer.h.{i}.mlp.c_fc.weight", "layers.{i}.linear1.weight"},
    {"transformer.h.{i}.mlp.c_fc.bias", "layers.{i}.linear1.bias"},
    {"transformer.h.{i}.mlp.c_proj.weight", "layers.{i}.linear2.weight"},
    {"transformer.h.{i}.mlp.c_proj.bias", "layers.{i}.linear2.bias"},
    {"transformer.ln_f.weight", "norm.weight"},
    {"transformer.ln_f.bias", "norm.bias"},
    {"lm_head.weight", "head.weight"},
};

}  // namespace

LanguageModelConfig nano_gpt_config(const NanoGptConfig& c) {
  LanguageModelConfig config{c.vocab, c.context, c.n_layers, {{c.d_model, c.n_heads}, 4 * c.d_model}};
  config.positions = Positions::kLearned;
  config.tied = false;
  config.layer.norm_first = true;
  config.layer.feed_forward = FeedForwardKind::kGeluTanh;
  return config;
}

void load_nano_gpt(const NanoGptFile& file, Parameters& parameters, const std::string& name) {
  load_weights(file.tensors, kNames, parameters, name, "load_nano_gpt", "file");
}

}  // namespace sqrtdk
