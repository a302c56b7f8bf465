#pragma once
// NAME.goldens.json: what a trained model beside it, NAME.bin with a tokenizer, makes of texts.
#include <cstdint>

#include "conformance/case.h"

namespace sqrtdk::conformance {

bool is_goldens(const std::filesystem::path& file);

/// Throws std::exception where the file is malformed.
Case read_goldens(const std::filesystem::path& file);

/// Throws std::runtime_error, which names the file.
std::vector<uint8_t> read_bytes(const std::filesystem::path& file);

}  // namespace sqrtdk::conformance
