#pragma once
// The tensors of a file whose names are not the model's, as a LanguageModel's parameters.
#include <span>
#include <string>
#include <string_view>

#include "formats/named_tensor.h"
#include "layers/parameters.h"

namespace sqrtdk {

struct WeightName {
  std::string_view file;       // "{i}" is the number of a layer
  std::string_view parameter;  // "{i}" too
  int64_t part = 0;            // which of the parameter's `parts` equal groups of rows
  int64_t parts = 1;
};

/// Copies every tensor to the place that `names` gives it among the parameters inside `name`. Throws
/// FormatError where a tensor has no place or another shape than it, is malformed, or where parameters remain
/// without values; then nothing is changed.
void load_weights(std::span<const NamedTensor> tensors, std::span<const WeightName> names,
                  Parameters& parameters, const std::string& name, std::string_view op,
                  std::string_view argument);

}  // namespace sqrtdk
