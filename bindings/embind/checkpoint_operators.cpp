#include "layer_object.h"
#include "listing.h"
#include "models/checkpoint.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

constexpr const char* kBytes = "bytes";

std::span<const uint8_t> file(Arguments& given) {
  const std::string_view bytes = given.bytes();
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

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

/// Answers a listing, of which the first is the file's metadata as JSON.
void read(Arguments& given) {
  const char* op = "read_safetensors";
  const SafeTensors safetensors = read_safetensors(file(given), op, kBytes);
  for (const NamedTensor& tensor : safetensors.tensors) check_bytes(tensor, op, kBytes);
  Copies copies;
  Listing listing;
  listing.add(safetensors.metadata, nullptr, {});
  for (const NamedTensor& tensor : safetensors.tensors) {
    const View values = copies.add(tensor.shape);
    copy_values(tensor, values);
    listing.add(tensor.name, values.data, values.shape);
  }
  listing.answer();
  copies.keep();
}

Metadata metadata(Arguments& given) {
  Metadata metadata;
  const Request pairs(given.bytes());
  for (const auto& [key, value] : pairs.params) metadata.emplace_back(key, value);
  return metadata;
}

void write(Arguments& given) {
  std::vector<TensorToWrite> list;
  for (const Listed& each : listed(given.bytes())) {
    list.push_back({each.name, {reinterpret_cast<const float*>(each.pointer), each.shape}});
  }
  const auto encoding = given.choice<Encoding>();
  set_answer(write_safetensors(list, encoding, metadata(given)));
}

void save(Arguments& given) {
  const LayerObject& layer = object<LayerObject>(given);
  const auto encoding = given.choice<Encoding>();
  set_answer(save_state(layer.parameters, encoding, metadata(given)));
}

/// How many are missing, their names, then the unexpected: "2\0missing\0missing\0unexpected".
void answer_difference(const NameDifference& difference) {
  std::string text = std::to_string(difference.missing.size());
  for (const std::string& name : difference.missing) text += '\0' + name;
  for (const std::string& name : difference.unexpected) text += '\0' + name;
  set_answer(std::move(text));
}

void load(Arguments& given) {
  LayerObject& layer = object<LayerObject>(given);
  const bool strict = given.flag();
  const std::vector<NamedTensor> tensors = read_safetensors(file(given), "load", kBytes).tensors;
  answer_difference(load_state(layer.parameters, tensors, strict, "load", kBytes));
}

void load_dict(Arguments& given) {
  LayerObject& layer = object<LayerObject>(given);
  const bool strict = given.flag();
  std::vector<NamedTensor> tensors;
  for (const Listed& each : listed(given.bytes())) {
    const size_t bytes = static_cast<size_t>(each.shape.size()) * sizeof(float);
    tensors.push_back(
        {each.name, each.shape, Encoding::kF32, {reinterpret_cast<const uint8_t*>(each.pointer), bytes}});
  }
  answer_difference(load_state(layer.parameters, tensors, strict, "load_state_dict", "dict"));
}

}  // namespace

std::span<const Operator> checkpoint_operators() {
  static constexpr Operator kOperators[] = {
      {"read_safetensors", &call<read>}, {"write_safetensors", &call<write>},   {"save_layer", &call<save>},
      {"load_layer", &call<load>},       {"load_state_dict", &call<load_dict>},
  };
  return kOperators;
}

}  // namespace sqrtdk::border
