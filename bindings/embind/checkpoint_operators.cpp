#include "base/decimal.h"
#include "layer_object.h"
#include "listing.h"
#include "models/checkpoint.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

constexpr const char* kBytes = "bytes";

std::vector<uint8_t> save(LayerObject& layer, Encoding dtype, std::string_view metadata) {
  return save_state(layer.parameters, dtype, metadata_of(metadata));
}

/// How many are missing, their names, then the unexpected: "2\0missing\0missing\0unexpected".
std::string difference_text(const NameDifference& difference) {
  std::string text = to_text(difference.missing.size());
  for (const std::string& name : difference.missing) text += '\0' + name;
  for (const std::string& name : difference.unexpected) text += '\0' + name;
  return text;
}

std::string load(LayerObject& layer, bool strict, GivenText prefix, std::span<const uint8_t> bytes) {
  const std::vector<NamedTensor> tensors = read_safetensors(bytes, "load", kBytes).tensors;
  return difference_text(load_state(layer.parameters, tensors, {strict, prefix.string()}, "load", kBytes));
}

std::string load_dict(LayerObject& layer, bool strict, GivenText prefix, std::string_view dict) {
  std::vector<NamedTensor> tensors;
  for (const Listed& each : listed(dict)) {
    const size_t bytes = static_cast<size_t>(each.shape.size()) * sizeof(float);
    tensors.push_back(
        {each.name, each.shape, Encoding::kF32, {reinterpret_cast<const uint8_t*>(each.pointer), bytes}});
  }
  return difference_text(
      load_state(layer.parameters, tensors, {strict, prefix.string()}, "load_state_dict", "dict"));
}

}  // namespace

std::span<const Operator> checkpoint_operators() {
  static constexpr Operator kOperators[] = {
      op<save>("save_layer", "layer dtype metadata"),
      op<load>("load_layer", "layer strict prefix bytes"),
      op<load_dict>("load_state_dict", "layer strict prefix dict"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
