// A safetensors file is refused, or its tensors and metadata, written again, are read as the same.
#include "formats/safetensors.h"

#include <algorithm>
#include <map>

#include "fuzz/fuzz.h"
#include "reference/compare.h"

namespace sqrtdk::fuzz {
namespace {

struct Contents {
  std::map<std::string, std::pair<Shape, std::vector<float>>> tensors;
  Metadata metadata;
};

Contents contents_of(Bytes input) {
  const SafeTensors file = read_safetensors(input, "fuzz", "file");
  Contents contents;
  for (const NamedTensor& tensor : file.tensors) {
    std::vector<float> values(static_cast<size_t>(tensor.shape.size()));
    copy_values(tensor, {values.data(), tensor.shape});
    contents.tensors[tensor.name] = {tensor.shape, std::move(values)};
  }
  CHECK(contents.tensors.size() == file.tensors.size());
  contents.metadata = read_metadata(file.metadata);
  std::sort(contents.metadata.begin(), contents.metadata.end());
  return contents;
}

}  // namespace

void run(Bytes input) {
  Contents contents;
  if (refused([&] { contents = contents_of(input); })) return;
  std::vector<TensorToWrite> tensors;
  for (const auto& [name, tensor] : contents.tensors) {
    tensors.push_back({name, {tensor.second.data(), tensor.first}});
  }
  const Contents again = contents_of(write_safetensors(tensors, Encoding::kF32, contents.metadata));
  CHECK(again.metadata == contents.metadata);
  CHECK(again.tensors.size() == contents.tensors.size());
  for (const auto& [name, tensor] : contents.tensors) {
    const auto& other = again.tensors.at(name);
    CHECK(other.first == tensor.first);
    CHECK(reference::same_bits(other.second, tensor.second));
  }
}

}  // namespace sqrtdk::fuzz
