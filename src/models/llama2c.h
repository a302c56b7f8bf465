#pragma once
// The weights of llama2.c: seven 32-bit integers, then float32 matrices (row = output), little-endian.
// https://github.com/karpathy/llama2.c, run.c (memory_map_weights)
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/named_tensor.h"

namespace sqrtdk {

struct Llama2cConfig {
  int64_t d_model, d_ff, n_layers, n_heads, n_kv_heads, vocab, context;
  bool tied;  // the output layer is the token embedding
  int64_t head_size() const { return d_model / n_heads; }
};

struct Llama2cFile {
  Llama2cConfig config;
  /// In the file's order, under the names of llama2.c's model.py: tok_embeddings.weight,
  /// layers.{i}.attention_norm.weight, layers.{i}.attention.{wq,wk,wv,wo}.weight, layers.{i}.ffn_norm.weight,
  /// layers.{i}.feed_forward.{w1,w2,w3}.weight, norm.weight and, where it is not tied, output.weight.
  std::vector<NamedTensor> tensors;
};

/// Throws FormatError: a configuration that no model can have (at most 1024 layers), a file that ends early
/// (the tensor is named) or goes on. Keeps views of `file`.
Llama2cFile read_llama2c(std::span<const uint8_t> file, std::string_view op, std::string_view argument);

}  // namespace sqrtdk
