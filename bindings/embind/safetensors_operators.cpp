#include "formats/safetensors.h"
#include "formats/write_npy.h"
#include "listing.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

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
  const SafeTensors safetensors = read_safetensors(bytes, op, "bytes");
  for (const NamedTensor& tensor : safetensors.tensors) check_bytes(tensor, op, "bytes");
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

std::vector<uint8_t> write(std::string_view tensors, Encoding dtype, std::string_view metadata) {
  std::vector<TensorToWrite> list;
  for (const Listed& each : listed(tensors)) {
    list.push_back({each.name, {reinterpret_cast<const float*>(each.pointer), each.shape}});
  }
  return write_safetensors(list, dtype, metadata_of(metadata));
}

}  // namespace

std::span<const Operator> safetensors_operators() {
  static constexpr Operator kOperators[] = {
      op<read_file>("read_safetensors", "bytes"),
      op<write>("write_safetensors", "tensors dtype metadata"),
      op<write_npy>("write_npy", "x"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
