#pragma once
// The weights of a small GPT-2 (minGPT, as in llm-viz's sorting model), in either of two forms:
// * one JSON file: {"config": {...}, "transformer.wte.weight": {"shape": [..], "dtype": "torch.float32",
//   "data": Base64 of little-endian float32}, ...}
// * a folder: a JSON file {"config": {...}, "inputs": [{"name", "dtype": "float32", "shape", "file",
//   "role": "weight"}, ...], ...}, and one NumPy file for each weight.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/named_tensor.h"

namespace sqrtdk {

struct NanoGptConfig {
  int64_t n_layers, n_heads, d_model, vocab, context;
};

struct NanoGptFile {
  NanoGptConfig config;
  /// Under the file's names, in its order: transformer.{wte,wpe}.weight,
  /// transformer.h.{i}.{ln_1,ln_2}.{weight, bias}, transformer.h.{i}.{attn,mlp}.{...}.{weight,bias},
  /// transformer.ln_f.{weight,bias}, lm_head.weight. A weight of a linear layer has a row for each output.
  std::vector<NamedTensor> tensors;
};

struct NamedFile {
  std::string name;
  std::span<const uint8_t> bytes;
};

/// Exactly the tensors of the configuration, in its shapes (the causal masks, attn.bias, are left out).
/// Throws FormatError that names the tensor. Keeps views of the bytes.
NanoGptFile read_nano_gpt(std::span<const uint8_t> json, std::string_view op, std::string_view argument);

/// The folder's form; `files` are those that the JSON file names, others are not read.
NanoGptFile read_nano_gpt(std::span<const uint8_t> json, std::span<const NamedFile> files,
                          std::string_view op, std::string_view argument);

}  // namespace sqrtdk
