#pragma once
// A trainer's config as named texts, exactly: for checkpoints, options and links.
#include <map>
#include <string>
#include <vector>

#include "formats/safetensors.h"
#include "training/trainer.h"

namespace sqrtdk {

/// One pair for each field, its name beginning with "config.".
Metadata config_metadata(const TrainerConfig& config);

/// The config of these pairs; others are passed over. Throws FormatError where a field is missing or is not
/// what it should be.
TrainerConfig read_config(const Metadata& metadata, std::string_view op, std::string_view argument);

struct ConfigField {
  std::string name;      // "d_model"
  std::string expected;  // "integer", "number", "number or default", "text", or its choices: "layer, rms"
  std::string value;     // as config_metadata writes it
};
/// In the order of config_metadata.
std::vector<ConfigField> config_fields(const TrainerConfig& config);

/// Sets one field from its text. Throws ValueError that names it and says what was expected, or all names
/// where there is none of this name; then nothing has changed.
void set_field(TrainerConfig& config, const std::string& name, const std::string& text, std::string_view op);

using Texts = std::map<std::string, std::string>;

/// `start` with these fields set, each from its text. "scale" may besides be one of scale_texts(); what
/// depends on d uses the d_head that the other fields give. Throws ValueError as set_field does.
TrainerConfig config_of(const Texts& fields, std::string_view op, const TrainerConfig& start = {});

/// A scale that takes precedence over the config's, at its d_head: a number, or one of scale_texts() but
/// learned and cosine; nothing for default. Throws ValueError.
std::optional<float> scale_of(const std::string& text, const MultiHeadAttentionConfig& attention,
                              std::string_view op);

/// The names of scales that a config takes.
std::vector<std::string> scale_texts();

}  // namespace sqrtdk
