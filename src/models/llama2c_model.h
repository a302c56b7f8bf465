#pragma once
// The model of a llama2.c file: pre-LN with RMS norm, rotary positions on neighbouring pairs, grouped heads,
// SwiGLU, no bias. https://github.com/karpathy/llama2.c, run.c (forward)
#include "models/language_model.h"
#include "models/llama2c.h"

namespace sqrtdk {

LanguageModelConfig llama2c_config(const Llama2cConfig& config);

/// Copies the file's weights to the parameters of the LanguageModel `name` that has llama2c_config. Throws
/// FormatError where they do not fit; then nothing is changed.
void load_llama2c(const Llama2cFile& file, Parameters& parameters, const std::string& name = "");

}  // namespace sqrtdk
