#pragma once
// The safetensors format: 8 bytes, the header's length; the header, a JSON object that gives each tensor's
// dtype, shape and place; the numbers. https://huggingface.co/docs/safetensors
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/named_tensor.h"

namespace sqrtdk {

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct SafeTensors {
  std::vector<NamedTensor> tensors;  // in the order of their numbers
  std::string_view metadata;         // the file's __metadata__, a JSON object; empty where it has none
};

/// Reads F32, F16 and BF16 tensors of at most 6 dimensions. The whole header is checked before anything is
/// returned: the tensors cover the data without a gap or an overlap. Throws FormatError, which names the
/// tensor and the reason; keeps views of `file` and about 110 bytes per tensor.
SafeTensors read_safetensors(std::span<const uint8_t> file, std::string_view op, std::string_view argument);

/// The pairs of SafeTensors::metadata.
Metadata read_metadata(std::string_view metadata);

struct TensorToWrite {
  std::string name;
  ConstView values;
};

/// All tensors in one encoding (kF32, kF16 or kBF16, to nearest even), by name; metadata by key: the same
/// contents give the same bytes. Throws ValueError for a repeated name, "__metadata__" and what is not UTF-8.
std::vector<uint8_t> write_safetensors(std::span<const TensorToWrite> tensors, Encoding encoding,
                                       const Metadata& metadata = {});

}  // namespace sqrtdk
