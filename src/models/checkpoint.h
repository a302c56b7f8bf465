#pragma once
// The parameters of a model from a file and to a file, by name, as PyTorch's load_state_dict and state_dict.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/safetensors.h"
#include "layers/parameters.h"

namespace sqrtdk {

struct NameDifference {
  std::vector<std::string> missing;     // parameters that the file does not have
  std::vector<std::string> unexpected;  // tensors that the model does not have
};

/// How tensors are matched with parameters.
struct Match {
  bool strict = true;
  std::string prefix = {};  // of a model inside another: tensors' names begin with it, others are passed over
};

/// Copies the tensors into the parameters of their names (or second names). Throws FormatError that lists all
/// tensors of a wrong shape and, if strict, all missing and unexpected names, and then changes nothing;
/// returns the latter if not strict. Names are listed without the prefix. A tied parameter may be there under
/// each of its names, with the same shape; the last in `tensors` counts.
NameDifference load_state(Parameters& parameters, std::span<const NamedTensor> tensors, const Match& match,
                          std::string_view op, std::string_view argument);

/// A safetensors file of all parameters under their first names.
std::vector<uint8_t> save_state(const Parameters& parameters, Encoding encoding = Encoding::kF32,
                                const Metadata& metadata = {});

}  // namespace sqrtdk
