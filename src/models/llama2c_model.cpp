#include "models/llama2c_model.h"

#include "models/load_weights.h"

namespace sqrtdk {
namespace {

constexpr WeightName kNames[] = {
    {"tok_embeddings.weight", "embedding.weight"},
    {"layers.{i}.attention_norm.weight", "layers.{i}.norm1.weight"},
    {"layers.{i}.attention.wo.weight", "layers.{i}.self_attn.out_proj.weight"},
    {"layers.{i}.ffn_norm.weight", "layers.{i}.norm2.weight"},
    {"layers.{i}.feed_forward.w1.weight", "layers.{i}.linear1.weight"},
    {"layers.{i}.feed_forward.w2.weight", "layers.{i}.linear2.weight"},
    {"layers.{i}.feed_forward.w3.weight", "layers.{i}.linear3.weight"},
    {"norm.weight", "norm.weight"},
    {"output.weight", "head.weight"},
};

// With grouped heads
constexpr WeightName kSeparate[] = {
    {"layers.{i}.attention.wq.weight", "layers.{i}.self_attn.q_proj_weight"},
    {"layers.{i}.attention.wk.weight", "layers.{i}.self_attn.k_proj_weight"},
    {"layers.{i}.attention.wv.weight", "layers.{i}.self_attn.v_proj_weight"},
};

// Otherwise
constexpr WeightName kTogether[] = {
    {"layers.{i}.attention.wq.weight", "layers.{i}.self_attn.in_proj_weight", 0, 3},
    {"layers.{i}.attention.wk.weight", "layers.{i}.self_attn.in_proj_weight", 1, 3},
    {"layers.{i}.attention.wv.weight", "layers.{i}.self_attn.in_proj_weight", 2, 3},
};

}  // namespace

LanguageModelConfig llama2c_config(const Llama2cConfig& c) {
  LanguageModelConfig config{c.vocab, c.context, c.n_layers, {{c.d_model, c.n_heads}, c.d_ff}};
  config.positions = Positions::kRotary;
  config.tied = c.tied;
  config.layer.norm_first = true;
  config.layer.norm = NormKind::kRms;
  config.layer.epsilon = 1e-5f;
  config.layer.feed_forward = FeedForwardKind::kSwiglu;
  config.layer.attention.bias = false;
  config.layer.attention.n_kv_heads = c.n_kv_heads;
  config.layer.attention.rotary_base = 10000;
  config.layer.attention.rotary_pairs = RotaryPairs::kInterleaved;
  return config;
}

void load_llama2c(const Llama2cFile& file, Parameters& parameters, const std::string& name) {
  std::vector<WeightName> names(std::begin(kNames), std::end(kNames));
  const bool grouped = file.config.n_kv_heads != file.config.n_heads;
  const std::span<const WeightName> projections = grouped ? kSeparate : kTogether;
  names.insert(names.end(), projections.begin(), projections.end());
  load_weights(file.tensors, names, parameters, name, "load_llama2c", "file");
}

}  // namespace sqrtdk
