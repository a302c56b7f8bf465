#include "layer_object.h"
#include "listing.h"
#include "models/checkpoint.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

constexpr const char* kBytes = "bytes";

/// Float32 copies that others own once they are answered, and that are given back if that does not happen.
class Copies {
 public:
  ~Copies() {
    for (const Pointer pointer : pointers_) std::free(reinterpret_cast<void*>(pointer));
  }
  View add(const Shape& shape) {
    pointers_.reserve(pointers_.size() + 1);
    const Pointer pointer = allocate(static_cast<double>(shape.size()) * sizeof(float));
    if (!pointer) throw std::bad_alloc();
    pointers_.push_back(pointer);
    return {reinterpret_cast<float*>(pointer), shape};
  }
  void keep() { pointers_.clear(); }

 private:
  std::vector<Pointer> pointers_;
};

/// A listing, of which the first is the file's metadata as JSON.
std::string read_file(std::span<const uint8_t> bytes) {
  const char* op = "read_safetensors";
  const SafeTensors safetensors = read_safetensors(bytes, op, kBytes);
  for (const NamedTensor& tensor : safetensors.tensors) check_bytes(tensor, op, kBytes);
  Copies copies;
  Listing listing;
  listing.add(safetensors.metadata, nullptr, {});
  for (const NamedTensor& tensor : safetensors.tensors) {
    const View values = copies.add(tensor.shape);
    copy_values(tensor, values);
    listing.add(tensor.name, values.data, values.shape);
  }
  std::string text = std::move(listing).text();
  copies.keep();
  return text;
}

Metadata metadata_of(std::string_view text) {
  Metadata metadata;
  const Request pairs(text);
  for (const auto& [key, value] : pairs.params) metadata.emplace_back(key, value);
  return metadata;
}

std::vector<uint8_t> write(std::string_view tensors, Encoding dtype, std::string_view metadata) {
  std::vector<TensorToWrite> list;
  for (const Listed& each : listed(tensors)) {
    list.push_back({each.name, {reinterpret_cast<const float*>(each.pointer), each.shape}});
  }
  return write_safetensors(list, dtype, metadata_of(metadata));
}

std::vector<uint8_t> save(LayerObject& layer, Encoding dtype, std::string_view metadata) {
  return save_state(layer.parameters, dtype, metadata_of(metadata));
}

/// How many are missing, their names, then the unexpected: "2\0missing\0missing\0unexpected".
std::string difference_text(const NameDifference& difference) {
  std::string text = std::to_string(difference.missing.size());
  for (const std::string& name : difference.missing) text += '\0' + name;
  for (const std::string& name : difference.unexpected) text += '\0' + name;
  return text;
}

std::string load(LayerObject& layer, bool strict, std::span<const uint8_t> bytes) {
  const std::vector<NamedTensor> tensors = read_safetensors(bytes, "load", kBytes).tensors;
  return difference_text(load_state(layer.parameters, tensors, strict, "load", kBytes));
}

std::string load_dict(LayerObject& layer, bool strict, std::string_view dict) {
  std::vector<NamedTensor> tensors;
  for (const Listed& each : listed(dict)) {
    const size_t bytes = static_cast<size_t>(each.shape.size()) * sizeof(float);
    tensors.push_back(
        {each.name, each.shape, Encoding::kF32, {reinterpret_cast<const uint8_t*>(each.pointer), bytes}});
  }
  return difference_text(load_state(layer.parameters, tensors, strict, "load_state_dict", "dict"));
}

}  // namespace

std::span<const Operator> checkpoint_operators() {
  static constexpr Operator kOperators[] = {
      op<read_file>("read_safetensors", "bytes"),
      op<write>("write_safetensors", "tensors dtype metadata"),
      op<save>("save_layer", "layer dtype metadata"),
      op<load>("load_layer", "layer strict bytes"),
      op<load_dict>("load_state_dict", "layer strict dict"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
