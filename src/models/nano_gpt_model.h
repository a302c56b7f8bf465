#pragma once
// The model of a small GPT-2's file: pre-LN, learned positions, tanh GELU, biases, an output layer of its
// own. Radford et al., "Language Models are Unsupervised Multitask Learners", 2019; minGPT, model.py
#include "models/language_model.h"
#include "models/nano_gpt.h"

namespace sqrtdk {

LanguageModelConfig nano_gpt_config(const NanoGptConfig& config);

/// Copies the file's weights to the parameters of the LanguageModel `name` that has nano_gpt_config. Throws
/// FormatError where they do not fit; then nothing is changed.
void load_nano_gpt(const NanoGptFile& file, Parameters& parameters, const std::string& name = "");

}  // namespace sqrtdk
