#pragma once
// A trainer's config as named texts, exactly: for checkpoints.
#include <string>

#include "tensor/safetensors.h"
#include "training/trainer.h"

namespace sqrtdk {

/// One pair for each field, its name beginning with "config.".
Metadata config_metadata(const TrainerConfig& config);

/// The config of these pairs; others are passed over. Throws FormatError where a field is missing or is not
/// what it should be.
TrainerConfig read_config(const Metadata& metadata, const std::string& op, const std::string& argument);

}  // namespace sqrtdk
